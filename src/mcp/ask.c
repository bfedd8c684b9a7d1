/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/ask.h"

#include <string.h>

#include "base/clock.h"
#include "base/mac.h"
#include "mcp/ask_front.h"
#include "mcp/endpoint.h"
#include "mcp/era.h"

static const struct ask_front *front_of(const struct tool_call *call)
{
	return call->request->era->asking;
}

/* The client */

bool ask_is_declared(const struct json *capabilities)
{
	const struct json *elicitation = json_member(capabilities, "elicitation");
	const struct json *form = json_member(elicitation, "form");

	if (!elicitation || elicitation->type != JSON_OBJECT)
		return false;
	/* {} is {"form":{}}, for there was nothing else at first. */
	return !elicitation->count || (form && form->type == JSON_OBJECT);
}

bool ask_can(const struct tool_call *call)
{
	const struct ask *ask = call->ask;

	return ask && !ask->is_alone && call->request->revision->form != ASK_FORM_NONE &&
	       front_of(call)->can(ask);
}

static void write_required(struct json_writer *writer, const void *data)
{
	(void)data;
	json_open_object(writer);
	json_key(writer, "requiredCapabilities");
	json_open_object(writer);
	json_key(writer, "elicitation");
	json_open_object(writer);
	json_key(writer, "form");
	json_open_object(writer);
	json_close_object(writer);
	json_close_object(writer);
	json_close_object(writer);
	json_close_object(writer);
}

void ask_require(struct tool_call *call)
{
	request_fail_with(
		call->request,
		&(struct rpc_error){
			call->request->era->missing_capability,
			"This tool has to ask the person: declare the capability "
			"elicitation, in form mode",
			write_required,
		});
}

/* For fronts */

bool ask_add_reply(struct ask *ask, const struct ask_reply *reply)
{
	struct ask_reply *mine = arena_alloc(ask->call->arena, sizeof(*mine));

	if (!mine)
		return false;
	*mine = *reply;
	mine->next = ask->replies;
	ask->replies = mine;
	return true;
}

void ask_resume(struct ask *ask)
{
	ask->is_resumed = true;
	ask->call->tool->run(ask->call);
}

/* The question */

/* NULL: no memory. */
static const char *digest_question(const struct ask *ask,
				   const struct ask_question *question)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	char digest[MAC_DIGEST_BYTES];
	bool made = false;

	if (writer) {
		json_open_array(writer);
		json_write_string(writer, question->message);
		ask_form_write(writer, question->fields, ASK_FORM_TITLES);
		json_close_array(writer);
		json_writer_free(writer);
		made = !text.failed &&
		       mac_digest(ask->asking->key.bytes, text.data, text.length, digest);
	}
	buffer_deinit(&text);
	return made ? arena_copy(ask->call->arena, digest, strlen(digest)) : NULL;
}

static const struct ask_reply *find_reply(const struct ask *ask, const char *key,
					  const char *seen)
{
	const struct ask_reply *reply = ask->replies;

	while (reply && (strcmp(reply->key, key) != 0 || strcmp(reply->seen, seen) != 0))
		reply = reply->next;
	return reply;
}

/* For as long as the state of any round may be good. */
static void close_order(const struct ask *ask)
{
	if (ask->order)
		asking_close(ask->asking, ask->order, clock_wall_ms() + ASK_STATE_MS);
}

void ask_take_as_no(struct tool_call *call)
{
	close_order(call->ask);
}

enum ask_outcome ask_person(struct tool_call *call, const struct ask_question *question,
			    const struct json **content_out)
{
	struct ask *ask = call->ask;
	const char *seen = ask ? digest_question(ask, question) : NULL;
	const struct ask_reply *reply;
	const struct json *content;

	if (!seen)
		return ASK_UNABLE;
	reply = find_reply(ask, question->key, seen);
	if (ask->order && asking_is_closed(ask->asking, ask->order))
		return ASK_DECLINED;
	if (reply && reply->action != ASK_ACCEPT) {
		close_order(ask);
		return reply->action == ASK_DECLINE ? ASK_DECLINED : ASK_DISMISSED;
	}
	content = reply ? ask_form_read(question->fields, reply->content, call->arena)
			: NULL;
	if (content) {
		*content_out = content;
		return ASK_ANSWERED;
	}
	if (ask->rounds++ >= ASK_ROUNDS_MAX || !ask_can(call) ||
	    !ask_form_can_show(call->request->revision->form, question->fields))
		return ASK_UNABLE;
	ask->about = question->key;
	return front_of(call)->put(ask, question, seen) ? ASK_UNDER_WAY : ASK_UNABLE;
}

/* The call */

bool ask_is_resumed(const struct tool_call *call)
{
	return call->ask && call->ask->is_resumed;
}

bool ask_was_about(const struct tool_call *call, const char *key)
{
	const struct ask *ask = call->ask;
	const struct ask_reply *reply = ask ? ask->replies : NULL;

	if (!ask)
		return false;
	while (reply && strcmp(reply->key, key) != 0)
		reply = reply->next;
	return reply || (ask->about && strcmp(ask->about, key) == 0);
}

const char *ask_order(const struct tool_call *call)
{
	return call->ask ? call->ask->order : NULL;
}

bool ask_begin(struct tool_call *call)
{
	const struct ask_front *front = front_of(call);
	struct ask *ask = arena_alloc(call->arena, sizeof(*ask));

	if (!ask) {
		request_fail(call->request, RPC_INTERNAL_ERROR,
			     "out of memory: try again later");
		return false;
	}
	ask->call = call;
	ask->asking = endpoint_asking(call->request->endpoint);
	call->ask = ask;
	return !front->begin || front->begin(ask);
}
