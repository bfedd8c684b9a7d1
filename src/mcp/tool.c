/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tools/list, tools/call and the answers of tools.
 *
 *   tools/call -> the tool's row -> scopes -> arguments fit its schema? -> run()
 *                                                               no -> isError, invalid_arguments
 *
 * Some hosts show a model only the text blocks and others only structuredContent
 * (doc/protocol.md), so each of the two is complete, unless the answer would be longer than
 * ANSWER_OCTETS_MAX: then the text block has only the beginnings of long texts, and all the IDs
 * and cursors. A failure is one block of JSON.
 */
#include "mcp/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/utf8.h"
#include "mcp/elicitation.h"
#include "mcp/persistence.h"
#include "mcp/tool_arguments.h"
#include "mcp/tool_set.h"

enum {
	TOOL_NAME_CHARACTERS = 64, /* of an unknown tool's name in an error */
	TOOL_HUB_CHARACTERS = 64,  /* of whom a hub calls for; the rest is cut */
	TOOL_ENVELOPE_OCTETS = 1000,
	TOOL_SHORT_OCTETS =
		1000, /* of a text that does not fit twice, in the text block */
};

/*
 * Hub claim: what a hub of many phones says of itself in _meta of a tools/call. Believed only
 * from a client with the scope hub.
 */

/*
 * A whole number from 1 that grows with each start of the hub. A call with a lower one than the
 * highest that this client ever used is refused (stale_hub), so that a hub whose message store
 * was copied or restored, and one that was declared dead, cannot act beside its successor.
 */
#define TOOL_HUB_EPOCH "ofono-mcp/hub_epoch"
/*
 * A text: the epoch of list_changes for which the call was made. A call that was delayed until
 * the message store was restored or repaired is refused (other_epoch): the store may have
 * forgotten that the message was sent.
 */
#define TOOL_HUB_STORE_EPOCH "ofono-mcp/store_epoch"
/* A text: whom it calls for. In the audit log and in the history of messages. */
#define TOOL_HUB_ON_BEHALF_OF "ofono-mcp/on_behalf_of"

#define TOOL_SHORTENED "\\\\u{cut: the whole text is in structuredContent}"

static void tool_write_text_block(struct json_writer *writer, const char *text,
				  size_t length)
{
	json_open_object(writer);
	json_put_string(writer, "type", "text");
	json_key(writer, "text");
	json_write_text(writer, text, length);
	json_close_object(writer);
}

/* Returns NULL if memory runs out, and the call has been answered. */
static struct json_writer *tool_open_result(struct tool_call *call)
{
	return call->into ? call->into : request_open_result(call->request);
}

static void tool_close_result(struct tool_call *call)
{
	if (!call->into)
		request_close_result(call->request);
}

static void tool_fail_out_of_memory(struct tool_call *call)
{
	static const struct tool_error error = {
		.code = "internal",
		.message = "The gateway is out of memory.",
		.fix = "Try again later.",
		.retryable = true,
	};

	if (call->caller) {
		call->caller->failed(call->caller_data, &error);
		return;
	}
	if (!call->into) {
		request_fail(call->request, RPC_INTERNAL_ERROR, "out of memory");
		return;
	}
	json_open_array_at(call->into, "content");
	json_close_array(call->into);
	json_put_boolean(call->into, "isError", true);
}

/* Returns the length of what stands for one octet in a JSON string. */
static size_t tool_letter_length(const char *letter)
{
	if (*letter != '\\')
		return 1;
	return letter[1] == 'u' ? sizeof("\\u001F") - 1 : 2;
}

/* `json` with the beginnings of its long strings. */
static void tool_shorten(struct buffer *shorter, const struct buffer *json)
{
	const char *end = json->data + json->length;

	for (const char *at = json->data, *open; at < end; at++) {
		const char *cut = NULL;

		open = at;
		while (at < end && *at != '"')
			at++;
		buffer_append(shorter, open, (size_t)(at - open));
		if (at == end)
			break;
		for (open = at++; *at != '"'; at += tool_letter_length(at)) {
			if (!cut && at - open > TOOL_SHORT_OCTETS && utf8_begins(*at))
				cut = at;
		}
		buffer_append(shorter, open, (size_t)((cut ? cut : at) - open));
		if (cut)
			buffer_append_text(shorter, TOOL_SHORTENED);
		buffer_append(shorter, "\"", 1);
	}
}

/*
 * Repeats the JSON, of which `room` octets fit: whole, or without the ends of its long texts,
 * or not at all.
 */
static void tool_write_mirror(struct json_writer *writer, const struct buffer *structured,
			      size_t room)
{
	static const char none[] = "Too long to be given twice: see structuredContent.";
	struct buffer shorter = BUFFER_INIT;

	if (request_room_octets(ANSWER_QUOTED, structured->data, structured->length) <=
	    room) {
		tool_write_text_block(writer, structured->data, structured->length);
		return;
	}
	tool_shorten(&shorter, structured);
	if (!shorter.failed &&
	    request_room_octets(ANSWER_QUOTED, shorter.data, shorter.length) <= room)
		tool_write_text_block(writer, shorter.data, shorter.length);
	else
		tool_write_text_block(writer, none, strlen(none));
	buffer_deinit(&shorter);
}

/* `text` may be NULL with `mirror`. */
static void tool_write_blocks(struct json_writer *writer, const char *text,
			      const struct buffer *structured, bool mirror)
{
	size_t used = TOOL_ENVELOPE_OCTETS + structured->length;

	json_open_array(writer);
	if (text) {
		used += request_room_octets(ANSWER_QUOTED, text, strlen(text));
		tool_write_text_block(writer, text, strlen(text));
	}
	if (mirror)
		tool_write_mirror(writer, structured,
				  used < ANSWER_OCTETS_MAX ? ANSWER_OCTETS_MAX - used
							   : 0);
	json_close_array(writer);
}

/* Replaces the end of the object by one more member: what of the arguments was ignored. */
static void tool_add_ignored(struct buffer *structured, const struct json *ignored)
{
	struct buffer list = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&list);

	if (writer)
		json_write_canonical(writer, ignored);
	json_writer_free(writer);
	if (list.failed || structured->failed) {
		structured->failed = true;
	} else {
		structured->length--;
		buffer_append_text(structured, structured->length > 1 ? "," : "");
		buffer_append_text(structured, "\"ignored\":");
		buffer_append(structured, list.data, list.length);
		buffer_append_text(structured, "}");
	}
	buffer_deinit(&list);
}

static void tool_succeed(struct tool_call *call, const char *text,
			 struct buffer *structured, bool mirror)
{
	struct json_writer *writer = NULL;

	if (call->ignored) {
		tool_add_ignored(structured, call->ignored);
		mirror = true; /* some hosts show a model only the text */
	}
	if (structured->failed)
		tool_fail_out_of_memory(call);
	else if (call->caller)
		call->caller->succeeded(call->caller_data, structured);
	else
		writer = tool_open_result(call);
	if (writer) {
		json_key(writer, "content");
		tool_write_blocks(writer, text, structured, mirror);
		json_key(writer, "structuredContent");
		json_write_raw(writer, structured->data, structured->length);
		tool_close_result(call);
	}
	buffer_deinit(structured);
}

void tool_call_succeed(struct tool_call *call, const char *text,
		       struct buffer *structured, bool mirror)
{
	if (!text) /* no memory */
		structured->failed = true;
	tool_succeed(call, text, structured, mirror);
}

void tool_call_succeed_with_json(struct tool_call *call, struct buffer *structured)
{
	tool_succeed(call, NULL, structured, true);
}

void tool_call_put_fix(const struct tool_call *call, struct json_writer *writer,
		       const char *fix)
{
	struct schema_reader reader;

	if (!call->request) {
		json_put_string(writer, "fix", fix);
		return;
	}
	reader = tool_set_reader(call->request->context->tools,
				 exchange_client(call->request->exchange)->scopes);
	if (!schema_put_text(writer, "fix", fix, &reader))
		json_put_string(writer, "fix", "Tell your user.");
}

static void tool_write_error_facts(struct buffer *facts, const struct tool_call *call,
				   const struct tool_error *error)
{
	struct json_writer *writer = json_writer_new(facts);

	if (!writer)
		return;
	json_open_object(writer);
	json_put_string(writer, "code", error->code);
	json_put_string(writer, "message", error->message);
	json_put_boolean(writer, "retryable", error->retryable);
	if (error->retry_after_seconds)
		json_put_integer(writer, "retry_after_seconds",
				 error->retry_after_seconds);
	tool_call_put_fix(call, writer, error->fix);
	if (error->more)
		error->more(writer, error->data);
	if (call->ignored) {
		json_key(writer, "ignored");
		json_write_canonical(writer, call->ignored);
	}
	json_close_object(writer);
	json_writer_free(writer);
}

static void tool_fail(struct tool_call *call, const struct tool_error *error)
{
	struct json_writer *writer = tool_open_result(call);
	struct buffer facts = BUFFER_INIT;

	if (!writer)
		return;
	tool_write_error_facts(&facts, call, error);
	json_open_array_at(writer, "content");
	tool_write_text_block(writer, facts.data ? facts.data : error->code,
			      facts.data ? facts.length : strlen(error->code));
	json_close_array(writer);
	json_put_boolean(writer, "isError", true);
	tool_close_result(call);
	buffer_deinit(&facts);
}

void tool_call_fail(struct tool_call *call, const struct tool_error *error)
{
	struct tool_error full = *error;

	if (error->is_refusal && call->tool && call->tool->nothing_done)
		full.message = arena_printf(call->arena, "%s %s", error->message,
					    call->tool->nothing_done);
	if (!full.message)
		full.message = error->message;
	if (call->caller)
		call->caller->failed(call->caller_data, &full);
	else
		tool_fail(call, &full);
}

/* Fails the call with a refusal whose code and fix stand in base/failure.h. */
static void tool_call_refuse(struct tool_call *call, enum failure failure,
			     const char *message)
{
	const struct failure_words *words = failure_words(failure);
	const struct tool_error error = {
		.code = words->code,
		.message = message,
		.fix = words->fix,
		.is_refusal = true,
		.retryable = words->retryable,
	};

	tool_call_fail(call, &error);
}

void tool_call_wait(struct tool_call *call, const struct request_waiting *waiting,
		    void *data)
{
	if (call->caller) {
		call->caller->waits(call->caller_data, waiting, data);
		return;
	}
	call->request->waiting = waiting;
	call->request->waiting_data = data;
}

void tool_call_progress(struct tool_call *call, const char *message)
{
	if (call->caller)
		call->caller->progressed(call->caller_data, message);
	else
		request_send_progress(call->request, message);
}

void tool_run_list(struct request *request)
{
	const struct buffer *list;
	struct json_writer *writer;

	if (!request_has_no_cursor(request))
		return;
	list = tool_set_list(request->context->tools,
			     exchange_client(request->exchange)->scopes);
	if (!list) {
		request_fail_no_memory(request);
		return;
	}
	writer = request_open_result(request);
	if (!writer)
		return;
	json_key(writer, "tools");
	json_write_raw(writer, list->data, list->length);
	request_close_result(request);
}

void tool_call_run_again(struct tool_call *call)
{
	const struct persistence *persistence =
		call->on_behalf_of ? call->request->context->persistence : NULL;

	if (persistence)
		persistence->act_for(persistence->store, call->on_behalf_of);
	call->tool->run(call);
	if (persistence)
		persistence->act_for(persistence->store, NULL);
}

static unsigned tool_scopes_of(const struct tool_call *call)
{
	return call->client ? call->client->scopes : 0;
}

/* Returns what to do about arguments that do not fit. */
static const char *tool_find_fix(const struct tool_call *call)
{
	const char *fix = NULL;

	for (const struct schema_field *field = call->tool->input; field->name && !fix;
	     field++) {
		const struct json *value = json_member(call->arguments, field->name);

		if (value && field->fix && schema_check_value(field, value, call->arena))
			fix = field->fix(call);
	}
	return fix ? fix : "Call again with arguments that match the tool's inputSchema.";
}

void tool_call_run(struct tool_call *call)
{
	struct tool_arguments arguments;
	const char *problem =
		tool_arguments_read(call->tool->input, tool_scopes_of(call),
				    call->arguments, call->arena, &arguments);
	struct tool_error error = {
		.code = "invalid_arguments",
		.is_refusal = true,
	};

	call->arguments = arguments.object;
	call->ignored = arguments.ignored;
	if (!problem) {
		if (call->caller || elicitation_begin(call))
			tool_call_run_again(call);
		return;
	}
	error.fix = tool_find_fix(call);
	error.message = arena_printf(call->arena, "%s: %s.", call->tool->name, problem);
	if (!error.message)
		error.message = "The arguments do not fit.";
	tool_call_fail(call, &error);
}

/* Returns the named tool, or NULL with the request answered. */
static const struct tool *tool_read_call(struct request *request,
					 const struct json **arguments_out)
{
	const char *name = json_string(json_member(request->message.params, "name"));
	const struct json *arguments = json_member(request->message.params, "arguments");
	const struct tool *tool;

	if (!name) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "tools/call needs params.name, the name of a tool");
		return NULL;
	}
	if (arguments && arguments->type == JSON_NULL)
		arguments = NULL;
	if (arguments && arguments->type != JSON_OBJECT) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.arguments must be an object");
		return NULL;
	}
	tool = tool_set_find(request->context->tools->offered, name, strlen(name));
	if (!tool)
		request_fail(request, RPC_INVALID_PARAMS,
			     arena_printf(request->arena, "Unknown tool: %s",
					  escape_quote(request->arena, name,
						       TOOL_NAME_CHARACTERS)));
	*arguments_out = arguments;
	return tool;
}

static bool tool_hub_refuse(struct tool_call *call, enum failure failure,
			    const char *message)
{
	tool_call_refuse(call, failure, message);
	return false;
}

static bool tool_hub_raise(struct tool_call *call, const struct json *epoch)
{
	const struct persistence *persistence = call->request->context->persistence;
	int64_t number;
	int error;

	if (!json_integer(epoch, &number) || number < 1)
		return tool_hub_refuse(call, FAILURE_INVALID_ARGUMENTS,
				       TOOL_HUB_EPOCH " must be a whole number from 1.");
	if (!persistence || !persistence->raise_hub_epoch)
		return true;
	error = persistence->raise_hub_epoch(persistence->store, call->client->id,
					     number);
	if (!error)
		return true;
	if (error == PERSISTENCE_E_STALE)
		return tool_hub_refuse(call, FAILURE_STALE_HUB,
				       "A newer hub has taken over this phone.");
	log_warning("mcp: the epoch of a hub cannot be stored");
	return tool_hub_refuse(call, FAILURE_STORAGE_FULL,
			       "The phone's storage does not take the hub's epoch.");
}

static bool tool_hub_check_store(struct tool_call *call, const struct json *epoch)
{
	const struct persistence *persistence = call->request->context->persistence;
	int64_t present;
	char text[20];

	if (!json_string(epoch))
		return tool_hub_refuse(call, FAILURE_INVALID_ARGUMENTS,
				       TOOL_HUB_STORE_EPOCH " must be a text.");
	if (!persistence || !persistence->find_feed_epoch)
		return true;
	if (persistence->find_feed_epoch(persistence->store, &present))
		return tool_hub_refuse(call, FAILURE_INTERNAL,
				       "The epoch of the store cannot be read.");
	snprintf(text, sizeof(text), "%016" PRIx64, (uint64_t)present);
	if (strcmp(text, json_string(epoch)) == 0)
		return true;
	return tool_hub_refuse(call, FAILURE_OTHER_EPOCH,
			       "The message store was restored or repaired since.");
}

/* Returns false if the call has been refused. */
static bool tool_hub_admit(struct tool_call *call)
{
	const struct rpc_message *message = &call->request->message;
	const struct json *epoch = rpc_meta(message, TOOL_HUB_EPOCH);
	const struct json *store_epoch = rpc_meta(message, TOOL_HUB_STORE_EPOCH);
	const struct json *name = rpc_meta(message, TOOL_HUB_ON_BEHALF_OF);

	if (name && !json_string(name))
		return tool_hub_refuse(call, FAILURE_INVALID_ARGUMENTS,
				       TOOL_HUB_ON_BEHALF_OF " must be a text.");
	if (name && *json_string(name))
		call->on_behalf_of =
			escape_quote(call->arena, json_string(name), TOOL_HUB_CHARACTERS);
	return (!epoch || tool_hub_raise(call, epoch)) &&
	       (!store_epoch || tool_hub_check_store(call, store_epoch));
}

/* False: the call has been answered. */
static bool tool_call_is_permitted(struct tool_call *call)
{
	const char *text;

	if (request_scopes_cover(call->client->scopes, call->tool->scopes))
		return true;
	text = request_scope_text(call->arena, call->client, call->tool->scopes,
				  call->tool->name);
	if (text)
		tool_call_refuse(call, FAILURE_SCOPE, text);
	else
		request_fail_no_memory(call->request);
	return false;
}

void tool_run_call(struct request *request)
{
	const struct json *arguments = NULL;
	const struct tool *tool = tool_read_call(request, &arguments);
	struct tool_call *call;

	if (!tool)
		return;
	call = arena_alloc(request->arena, sizeof(*call));
	if (!call) {
		request_fail_no_memory(request);
		return;
	}
	*call = (struct tool_call){
		.tool = tool,
		.client = exchange_client(request->exchange),
		.request = request,
		.arguments = arguments,
		.services = request->context->services,
		.arena = request->arena,
	};
	if (tool_call_is_permitted(call) &&
	    (!(call->client->scopes & CLIENT_HUB) || tool_hub_admit(call)))
		tool_call_run(call);
}
