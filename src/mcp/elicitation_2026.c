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
#include <gnutls/crypto.h>
#include <string.h>

#include "base/crypto.h"
#include "base/json.h"
#include "mcp/elicitation_call.h"
#include "mcp/request.h"
#include "mcp/tool.h"

enum { ELICITATION_2026_ORDER_BYTES = 16 };

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
					   const struct request_state *state)
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
	struct request_state state;
	int outcome;

	if (!text || text->type == JSON_NULL)
		return true;
	if (text->type != JSON_STRING)
		return elicitation_2026_refuse(
			elicitation, "requestState must be the string from the answer");
	outcome = request_state_read(text->text, &elicitation->calls->key,
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
	struct request_state state = {
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
	return request_state_write(&state, &elicitation->calls->key,
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
