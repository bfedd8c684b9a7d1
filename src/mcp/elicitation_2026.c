/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elicitation in 2026-07-28: the call is answered with the question and a requestState
 * (mcp/elicitation_call.h); the client asks its user and repeats the call with both.
 *
 *   tools/call                        -> input_required: inputRequests, requestState
 *   tools/call with inputResponses    -> the result, or the next question
 *              and requestState
 *
 * A state is valid only for the same client, tool and arguments; anything else is -32602.
 * Answers without a state belong to no question of ours and are ignored. The state also
 * carries the accepted answers to earlier questions, because the server remembers nothing
 * in between.
 *
 * Source: MCP 2026-07-28, basic/patterns/mrtr.
 */
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json_reader.h"
#include "mcp/elicitation_call.h"
#include "mcp/request.h"
#include "mcp/tool.h"

enum { ELICITATION_2026_ORDER_BYTES = 16 };

/*
 * The requestState: "v1." BASE64(JSON) "." HEX(HMAC-SHA256 of all before this dot)
 *
 * Reading is strict about base64 and hex, so that a state has exactly one spelling. The
 * lifetime counts twice: by the wall clock, which somebody may set, and, until the phone
 * reboots, by the time since boot, which nobody can.
 */

#define VERSION "v1."

enum { VERSION_LENGTH = sizeof(VERSION) - 1 };

static void elicitation_2026_state_write_members(
	const struct elicitation_2026_state *state, struct json_writer *writer)
{
	json_open_object(writer);
	json_put_string(writer, "order", state->order);
	json_put_integer(writer, "expires", clock_wall_ms() + REQUEST_STATE_LIFETIME_MS);
	json_put_integer(writer, "boot", clock_boot_number());
	json_put_integer(writer, "lived", clock_boot_ms() + REQUEST_STATE_LIFETIME_MS);
	json_put_string(writer, "call", state->call);
	json_put_string(writer, "question", state->question);
	json_put_string(writer, "seen", state->seen);
	if (state->is_repeated)
		json_put_boolean(writer, "repeated", true);
	if (state->answers) {
		json_key(writer, "answers");
		json_write_canonical(writer, state->answers);
	}
	json_close_object(writer);
}

/* Writes "v1." and the base64 part */
static char *elicitation_2026_state_write_signed_part(
	const struct elicitation_2026_state *state, struct arena *arena)
{
	struct buffer members = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&members);
	size_t length;
	char *text = NULL;

	if (writer) {
		elicitation_2026_state_write_members(state, writer);
		json_writer_free(writer);
		length = crypto_base64_length(members.length);
		if (!members.failed)
			text = arena_alloc(arena, VERSION_LENGTH + length + 1);
	}
	if (text) {
		memcpy(text, VERSION, VERSION_LENGTH);
		if (!crypto_base64_encode(members.data, members.length,
					  text + VERSION_LENGTH))
			text = NULL;
	}
	buffer_deinit(&members);
	return text;
}

const char *elicitation_2026_state_write(const struct elicitation_2026_state *state,
					 const struct crypto_key *key,
					 struct arena *arena)
{
	const char *text = elicitation_2026_state_write_signed_part(state, arena);
	char mac[MAC_DIGEST_BYTES];

	if (!text || !crypto_hmac(key->bytes, text, strlen(text), mac))
		return NULL;
	return arena_printf(arena, "%s.%s", text, mac);
}

/* Returns where a correct MAC begins, or NULL if it was not made with this key. */
static const char *elicitation_2026_state_find_mac(const char *text,
						   const struct crypto_key *key)
{
	const char *point = strrchr(text, '.');
	char mac[MAC_DIGEST_BYTES];

	if (strncmp(text, VERSION, VERSION_LENGTH) != 0 || point < text + VERSION_LENGTH)
		return NULL;
	if (strlen(point + 1) != sizeof(mac) - 1 ||
	    !crypto_hmac(key->bytes, text, (size_t)(point - text), mac) ||
	    gnutls_memcmp(mac, point + 1, sizeof(mac) - 1) != 0)
		return NULL;
	return point + 1;
}

static int elicitation_2026_state_read_json(const char *text, size_t length,
					    struct arena *arena,
					    const struct json **root_out)
{
	char *data = arena_alloc(arena, length + 1);

	if (!data)
		return -ENOMEM;
	if (!crypto_base64_decode(text, length, data, &length))
		return REQUEST_STATE_E_FORGED;
	return json_reader_read(arena, data, length, root_out) ? -ENOMEM : 0;
}

/*
 * Measures the age by the time since boot, which cannot be set. Returns false if the phone was
 * booted since.
 */
static bool elicitation_2026_state_boot_age(const struct json *root, int64_t *age_ms_out)
{
	int64_t boot, until_ms;

	if (!json_integer(json_member(root, "boot"), &boot) || !boot ||
	    boot != clock_boot_number() ||
	    !json_integer(json_member(root, "lived"), &until_ms))
		return false;
	*age_ms_out = clock_boot_ms() - until_ms + REQUEST_STATE_LIFETIME_MS;
	return true;
}

/*
 * Returns false if it has expired. An expiry in the far future means that the wall clock was set
 * back since.
 */
static bool elicitation_2026_state_read_age(const struct json *root, int64_t *age_ms_out)
{
	int64_t expires_ms, left_ms;

	if (!json_integer(json_member(root, "expires"), &expires_ms))
		return false;
	left_ms = expires_ms - clock_wall_ms();
	if (!elicitation_2026_state_boot_age(root, age_ms_out))
		*age_ms_out = REQUEST_STATE_LIFETIME_MS - left_ms;
	return *age_ms_out < REQUEST_STATE_LIFETIME_MS && left_ms > 0 &&
	       left_ms <= REQUEST_STATE_LIFETIME_MS;
}

int elicitation_2026_state_read(const char *text, const struct crypto_key *key,
				struct arena *arena,
				struct elicitation_2026_state *state_out)
{
	const char *mac = elicitation_2026_state_find_mac(text, key);
	const struct json *root;
	struct elicitation_2026_state state;
	int64_t age_ms;
	int error;

	if (!mac)
		return REQUEST_STATE_E_FORGED;
	text += VERSION_LENGTH;
	error = elicitation_2026_state_read_json(text, (size_t)(mac - 1 - text), arena,
						 &root);
	if (error)
		return error;
	if (!elicitation_2026_state_read_age(root, &age_ms))
		return REQUEST_STATE_E_EXPIRED;
	state = (struct elicitation_2026_state){
		.order = json_string(json_member(root, "order")),
		.call = json_string(json_member(root, "call")),
		.question = json_string(json_member(root, "question")),
		.seen = json_string(json_member(root, "seen")),
		.answers = json_member(root, "answers"),
		.is_repeated = json_member(root, "repeated") != NULL,
		.age_ms = age_ms,
	};
	if (!state.order || !state.call || !state.question || !state.seen)
		return REQUEST_STATE_E_FORGED;
	*state_out = state;
	return 0;
}

/*
 * Writes the digest of the call that a requestState belongs to. Returns false if memory runs out.
 */
static bool elicitation_2026_digest_call(const struct elicitation_call *elicitation,
					 char digest[MAC_DIGEST_BYTES])
{
	const struct tool_call *call = elicitation->call;
	static const struct json none = { .type = JSON_OBJECT };
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	if (writer) {
		json_open_array(writer);
		json_write_integer(writer, exchange_client(call->request->exchange)->id);
		json_write_string(writer, call->tool->name);
		json_write_canonical(writer, call->arguments ? call->arguments : &none);
		json_close_array(writer);
	}
	return elicitation_digest(elicitation->calls, writer, &text, digest);
}

/* Reading */

static bool elicitation_2026_refuse(struct elicitation_call *elicitation,
				    const char *text)
{
	request_fail(elicitation->call->request, RPC_INVALID_PARAMS, text);
	return false;
}

static const char *elicitation_2026_error_text(int outcome)
{
	switch (outcome) {
	case REQUEST_STATE_E_EXPIRED:
		return "requestState has expired: call again without it";
	case REQUEST_STATE_E_FORGED:
		return "requestState was not made by this gateway: call again without it";
	default:
		return "out of memory: try again later";
	}
}

/* An absent or null response leaves the question open. */
static bool elicitation_2026_read_response(struct elicitation_call *elicitation,
					   const struct elicitation_2026_state *state)
{
	const struct json *responses =
		json_member(elicitation->call->request->message.params, "inputResponses");
	const struct json *response = json_member(responses, state->question);
	struct elicitation_call_reply reply = {
		.key = state->question,
		.seen = state->seen,
		.is_hasty = state->age_ms < ELICITATION_READING_MS,
	};

	if (responses && responses->type != JSON_OBJECT && responses->type != JSON_NULL)
		return elicitation_2026_refuse(elicitation,
					       "inputResponses must be an object");
	if (!response || response->type == JSON_NULL)
		return true;
	if (!elicitation_read_action(response, &reply.action))
		return elicitation_2026_refuse(elicitation,
					       "an input response must have the action "
					       "accept, decline or cancel");
	reply.content = json_member(response, "content");
	return elicitation_add_reply(elicitation, &reply) ||
	       elicitation_2026_refuse(elicitation, elicitation_2026_error_text(-1));
}

static bool elicitation_2026_read_answers(struct elicitation_call *elicitation,
					  const struct json *answers)
{
	if (!answers)
		return true;
	json_foreach (answer, answers) {
		struct elicitation_call_reply reply = {
			.key = answer->name,
			.seen = json_string(json_member(answer, "seen")),
			.content = json_member(answer, "content"),
		};

		if (!elicitation_add_reply(elicitation, &reply))
			return elicitation_2026_refuse(elicitation,
						       elicitation_2026_error_text(-1));
	}
	return true;
}

static bool elicitation_2026_begin(struct elicitation_call *elicitation)
{
	const struct json *text =
		json_member(elicitation->call->request->message.params, "requestState");
	char digest[MAC_DIGEST_BYTES];
	struct elicitation_2026_state state;
	int outcome;

	if (!text || text->type == JSON_NULL)
		return true;
	if (text->type != JSON_STRING)
		return elicitation_2026_refuse(
			elicitation, "requestState must be the string from the answer");
	outcome = elicitation_2026_state_read(text->text, &elicitation->calls->key,
					      elicitation->call->arena, &state);
	if (outcome)
		return elicitation_2026_refuse(elicitation,
					       elicitation_2026_error_text(outcome));
	if (!elicitation_2026_digest_call(elicitation, digest) ||
	    strcmp(digest, state.call) != 0)
		return elicitation_2026_refuse(
			elicitation,
			"requestState was given for another call: repeat that one with "
			"the same arguments, or call without it");
	elicitation->order = state.order;
	elicitation->is_resumed = true;
	elicitation->about = state.question;
	elicitation->is_repeated = state.is_repeated;
	return elicitation_2026_read_answers(elicitation, state.answers) &&
	       elicitation_2026_read_response(elicitation, &state);
}

/* Asking */

static bool elicitation_2026_is_available(const struct elicitation_call *elicitation)
{
	return elicitation_is_declared(rpc_meta(&elicitation->call->request->message,
						RPC_META_PREFIX "clientCapabilities"));
}

/* Returns the order of earlier rounds, or a new random one; NULL if memory runs out. */
static const char *elicitation_2026_order(struct elicitation_call *elicitation)
{
	char name[2 * ELICITATION_2026_ORDER_BYTES + 1];

	if (elicitation->order)
		return elicitation->order;
	return crypto_make_random(name, sizeof(name))
		       ? arena_copy(elicitation->call->arena, name, strlen(name))
		       : NULL;
}

static struct json *elicitation_2026_new_object(struct arena *arena, const char *name)
{
	struct json *object = arena_alloc(arena, sizeof(*object));

	if (object) {
		object->type = JSON_OBJECT;
		object->name = name;
	}
	return object;
}

static void elicitation_2026_add_member(struct json *object, struct json *member)
{
	member->next = object->first;
	object->first = member;
	object->count++;
}

static struct json *elicitation_2026_new_answer(
	const struct elicitation_call_reply *reply, struct arena *arena)
{
	struct json *answer = elicitation_2026_new_object(arena, reply->key);
	struct json *seen = elicitation_2026_new_object(arena, "seen");
	struct json *content = elicitation_2026_new_object(arena, "content");

	if (!answer || !seen || !content)
		return NULL;
	seen->type = JSON_STRING;
	seen->text = reply->seen;
	seen->length = strlen(reply->seen);
	*content = *reply->content;
	content->name = "content";
	elicitation_2026_add_member(answer, content);
	elicitation_2026_add_member(answer, seen);
	return answer;
}

/*
 * Returns the accepted answers so far, for the next requestState. The tool asks one question after
 * the other, so it has used all answers except one to `but`, the question it asks now. Returns NULL
 * if memory runs out.
 */
static const struct json *elicitation_2026_collect_answers(
	const struct elicitation_call *elicitation, const char *but)
{
	struct arena *arena = elicitation->call->arena;
	struct json *answers = elicitation_2026_new_object(arena, NULL);

	for (const struct elicitation_call_reply *reply = elicitation->replies;
	     reply && answers; reply = reply->next) {
		struct json *answer;

		if (reply->action != ELICITATION_ACCEPT || !reply->content ||
		    strcmp(reply->key, but) == 0 || json_member(answers, reply->key))
			continue;
		answer = elicitation_2026_new_answer(reply, arena);
		if (!answer)
			return NULL;
		elicitation_2026_add_member(answers, answer);
	}
	return answers;
}

static const char *elicitation_2026_write_state(
	struct elicitation_call *elicitation, const struct elicitation_question *question,
	const char *seen)
{
	char digest[MAC_DIGEST_BYTES];
	struct elicitation_2026_state state = {
		.order = elicitation_2026_order(elicitation),
		.call = digest,
		.question = question->key,
		.seen = seen,
		.answers = elicitation_2026_collect_answers(elicitation, question->key),
		.is_repeated = elicitation->is_repeated,
	};

	if (!state.order || !state.answers ||
	    !elicitation_2026_digest_call(elicitation, digest))
		return NULL;
	return elicitation_2026_state_write(&state, &elicitation->calls->key,
					    elicitation->call->arena);
}

static bool elicitation_2026_ask(struct elicitation_call *elicitation,
				 const struct elicitation_question *question,
				 const char *seen)
{
	struct request *request = elicitation->call->request;
	const char *state = elicitation_2026_write_state(elicitation, question, seen);
	struct json_writer *writer;

	if (!state)
		return false;
	request->result_type = "input_required";
	writer = request_open_result(request);
	if (!writer)
		return true; /* the request has been answered */
	json_open_object_at(writer, "inputRequests");
	elicitation_write_input_request(writer, question);
	json_close_object(writer);
	json_put_string(writer, "requestState", state);
	request_close_result(request);
	return true;
}

const struct elicitation_call_transport elicitation_2026_transport = {
	.begin = elicitation_2026_begin,
	.is_available = elicitation_2026_is_available,
	.ask = elicitation_2026_ask,
};
