/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/input_required.h"

#include <gnutls/crypto.h>
#include <stdio.h>
#include <string.h>

#include "base/json_canonical.h"
#include "base/mac.h"
#include "mcp/envelope.h"

enum { ORDER_RANDOM_BYTES = 16 };

/* What the state is bound to. False: no memory. */
static bool digest_call(const struct ask *ask, char digest[MAC_DIGEST_BYTES])
{
	const struct tool_call *call = ask->call;
	static const struct json none = { .type = JSON_OBJECT };
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	bool made = false;

	if (writer) {
		json_open_array(writer);
		json_write_integer(writer, exchange_client(call->request->exchange)->id);
		json_write_string(writer, call->tool->name);
		json_write_canonical(writer, call->arguments ? call->arguments : &none);
		json_close_array(writer);
		json_writer_free(writer);
		made = !text.failed &&
		       mac_digest(ask->asking->key.bytes, text.data, text.length, digest);
	}
	buffer_deinit(&text);
	return made;
}

/* Reading */

static bool refuse(struct ask *ask, const char *text)
{
	request_fail(ask->call->request, RPC_INVALID_PARAMS, text);
	return false;
}

static const char *flaw_of(int outcome)
{
	switch (outcome) {
	case ASK_STATE_E_EXPIRED:
		return "requestState has expired: call again without it";
	case ASK_STATE_E_FORGED:
		return "requestState is not one of this gateway: call again without it";
	default:
		return "out of memory: try again later";
	}
}

/* An absent or null one is a question that is still open. */
static bool read_response(struct ask *ask, const struct ask_state *state)
{
	const struct json *responses =
		json_member(ask->call->request->message.params, "inputResponses");
	const struct json *response = json_member(responses, state->question);
	struct ask_reply reply = { state->question, state->seen };

	if (responses && responses->type != JSON_OBJECT && responses->type != JSON_NULL)
		return refuse(ask, "inputResponses must be an object");
	if (!response || response->type == JSON_NULL)
		return true;
	if (!ask_action_read(response, &reply.action))
		return refuse(ask, "an input response must have the action accept, "
				   "decline or cancel");
	reply.content = json_member(response, "content");
	return ask_add_reply(ask, &reply) || refuse(ask, flaw_of(-1));
}

static bool read_answers(struct ask *ask, const struct json *answers)
{
	if (!answers)
		return true;
	json_foreach (answer, answers) {
		struct ask_reply reply = {
			.key = answer->name,
			.seen = json_string(json_member(answer, "seen")),
			.content = json_member(answer, "content"),
		};

		if (!ask_add_reply(ask, &reply))
			return refuse(ask, flaw_of(-1));
	}
	return true;
}

static bool begin(struct ask *ask)
{
	const struct json *text =
		json_member(ask->call->request->message.params, "requestState");
	char digest[MAC_DIGEST_BYTES];
	struct ask_state state;
	int outcome;

	if (!text || text->type == JSON_NULL)
		return true;
	if (text->type != JSON_STRING)
		return refuse(ask, "requestState must be the string that was given");
	outcome = ask_state_read(text->text, &ask->asking->key, ask->call->arena, &state);
	if (outcome)
		return refuse(ask, flaw_of(outcome));
	if (!digest_call(ask, digest) || strcmp(digest, state.call) != 0)
		return refuse(ask, "requestState was given for another call: repeat that "
				   "one with the same arguments, or call without it");
	ask->order = state.order;
	ask->is_resumed = true;
	ask->about = state.question;
	return read_answers(ask, state.answers) && read_response(ask, &state);
}

/* Asking */

static bool can(const struct ask *ask)
{
	return ask_is_declared(envelope_capabilities(&ask->call->request->message));
}

/* An order keeps its name over all its questions. NULL: no memory. */
static const char *name_order(struct ask *ask)
{
	unsigned char random[ORDER_RANDOM_BYTES];
	char name[2 * ORDER_RANDOM_BYTES + 1];

	if (ask->order)
		return ask->order;
	if (gnutls_rnd(GNUTLS_RND_KEY, random, sizeof(random)) != 0)
		return NULL;
	for (size_t at = 0; at < sizeof(random); at++)
		snprintf(name + 2 * at, 3, "%02x", random[at]);
	return arena_copy(ask->call->arena, name, strlen(name));
}

static struct json *new_object(struct arena *arena, const char *name)
{
	struct json *object = arena_alloc(arena, sizeof(*object));

	if (object) {
		object->type = JSON_OBJECT;
		object->name = name;
	}
	return object;
}

static bool add(struct json *object, struct json *member)
{
	member->next = object->first;
	object->first = member;
	object->count++;
	return true;
}

static struct json *new_answer(const struct ask_reply *reply, struct arena *arena)
{
	struct json *answer = new_object(arena, reply->key);
	struct json *seen = new_object(arena, "seen");
	struct json *content = new_object(arena, "content");

	if (!answer || !seen || !content)
		return NULL;
	seen->type = JSON_STRING;
	seen->text = reply->seen;
	seen->length = strlen(reply->seen);
	*content = *reply->content;
	content->name = "content";
	add(answer, content);
	add(answer, seen);
	return answer;
}

/*
 * What was answered so far. Only what the tool took is passed on: it asks for one thing
 * after the other, so all but the question at hand. NULL: no memory.
 */
static const struct json *collect_answers(const struct ask *ask, const char *but)
{
	struct arena *arena = ask->call->arena;
	struct json *answers = new_object(arena, NULL);

	for (const struct ask_reply *reply = ask->replies; reply && answers;
	     reply = reply->next) {
		struct json *answer;

		if (reply->action != ASK_ACCEPT || !reply->content ||
		    strcmp(reply->key, but) == 0 || json_member(answers, reply->key))
			continue;
		answer = new_answer(reply, arena);
		if (!answer)
			return NULL;
		add(answers, answer);
	}
	return answers;
}

static const char *write_state(struct ask *ask, const struct ask_question *question,
			       const char *seen)
{
	char digest[MAC_DIGEST_BYTES];
	struct ask_state state = {
		.order = name_order(ask),
		.call = digest,
		.question = question->key,
		.seen = seen,
		.answers = collect_answers(ask, question->key),
	};

	if (!state.order || !state.answers || !digest_call(ask, digest))
		return NULL;
	return ask_state_write(&state, &ask->asking->key, ask->call->arena);
}

static bool put(struct ask *ask, const struct ask_question *question, const char *seen)
{
	struct request *request = ask->call->request;
	const char *state = write_state(ask, question, seen);
	struct json_writer *writer;

	if (!state)
		return false;
	request->result_type = "input_required";
	writer = request_open_result(request);
	if (!writer)
		return true; /* the request has failed */
	json_key(writer, "inputRequests");
	json_open_object(writer);
	ask_question_put_input(writer, question);
	json_close_object(writer);
	json_put_string(writer, "requestState", state);
	request_close_result(request);
	return true;
}

const struct ask_front input_required_front = {
	.begin = begin,
	.can = can,
	.put = put,
};
