/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   dispatched -> method runs -> answered
 *                      |            ^
 *                   waiting --------+  method answers later, or stopping
 *                      |
 *                      +-> abandoned: the client left (2026: that cancels)
 *                      +-> cancelled: notifications/cancelled (2025)
 *
 * The answer is a JSON object, or the end of a stream (reply.c) once something was sent
 * before it. Calls go one way: endpoint.c, the era, its methods, request.c, reply.c.
 */
#include "mcp/request.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "mcp/era.h"
#include "mcp/session.h"

static void request_end_cancellable(struct request *request)
{
	if (request->is_cancellable)
		LIST_REMOVE(request, link);
	request->is_cancellable = false;
}

static void request_end_wait(struct request *request)
{
	if (request->is_long)
		LIST_REMOVE(request, wait_link);
	request->is_long = false;
}

/* An empty body: the request gets no answer. */
static void request_answer(struct request *request, unsigned status)
{
	struct reply *reply = request->reply;
	struct buffer *body = &request->body;

	request_end_cancellable(request);
	request_end_wait(request);
	request->waiting = NULL;
	if (request->is_lost)
		return;
	if (reply) {
		/* The status went out when the stream began. Without memory the stream ends
		 * without the answer. */
		request->reply = NULL;
		reply_finish(reply, body);
		return;
	}
	if (body->failed)
		status = 503;
	if (body->failed || !body->length) {
		buffer_clear(body);
		exchange_answer(request->exchange, status, NULL, NULL);
	} else {
		exchange_answer(request->exchange, status, "application/json", body);
	}
}

void request_fail_no_memory(struct request *request)
{
	request_fail(request, RPC_INTERNAL_ERROR, "out of memory: try again later");
}

struct json_writer *request_open_result(struct request *request)
{
	struct json_writer *writer = json_writer_new(&request->body);

	assert(!request->writer);
	if (!writer) {
		request_fail_no_memory(request);
		return NULL;
	}
	request->writer = writer;
	rpc_open(writer, request->message.id);
	json_open_object_at(writer, "result");
	if (request->era->open_result)
		request->era->open_result(request, writer);
	return writer;
}

void request_close_result(struct request *request)
{
	json_close_object(request->writer);
	json_close_object(request->writer);
	json_writer_free(request->writer);
	request->writer = NULL;
	request_answer(request, 200);
}

void request_acknowledge(struct request *request)
{
	if (request_open_result(request))
		request_close_result(request);
}

void request_fail_with(struct request *request, const struct rpc_error *error)
{
	rpc_write_error(&request->body, request->message.id, error);
	request_answer(request,
		       request->era->errors_have_status ? rpc_status(error->code) : 200);
}

void request_fail(struct request *request, enum rpc_code code, const char *text)
{
	request_fail_with(request, &(struct rpc_error){ code, text });
}

void request_refuse(struct request *request, unsigned status,
		    const struct rpc_error *error)
{
	log_debug("mcp: refused with %u, %d: %s", status, error->code,
		  error->text ? error->text : "out of memory");
	rpc_write_error(&request->body, request->message.id, error);
	request_answer(request, status);
}

bool request_has_no_cursor(struct request *request)
{
	if (json_says_nothing(json_member(request->message.params, "cursor")))
		return true;
	request_fail(request, RPC_INVALID_PARAMS,
		     "unknown cursor: ask again without one");
	return false;
}

/* Scopes */

const char *request_scope_text(struct arena *arena, const struct client *client,
			       unsigned needed, const char *what)
{
	char missing[CLIENT_SCOPES_BYTES], all[CLIENT_SCOPES_BYTES];

	client_write_scopes(needed & ~client->scopes, ',', missing);
	client_write_scopes(needed | client->scopes, ',', all);
	return arena_printf(
		arena,
		"%s needs the scope %s, which the client %s does not have. The owner grants it on the phone (" PROGRAM_NAME
		" client set %s --scope %s); trying again does not help.",
		what, missing, client->name, client->name, all);
}

static void request_write_scope(struct json_writer *writer, const void *data)
{
	char names[CLIENT_SCOPES_BYTES];

	client_write_scopes(*(const unsigned *)data, ' ', names);
	json_open_object(writer);
	json_put_string(writer, "error", "insufficient_scope");
	json_put_string(writer, "scope", names);
	json_close_object(writer);
}

bool request_check_scopes(struct request *request, unsigned needed, const char *what)
{
	const struct client *client = exchange_client(request->exchange);

	if (request_scopes_cover(client->scopes, needed))
		return true;
	request_refuse(
		request, 200,
		&(struct rpc_error){
			.code = RPC_REFUSED,
			.text = request_scope_text(request->arena, client, needed, what),
			.write_data = request_write_scope,
			.data = &needed,
		});
	return false;
}

/* Waiting */

bool request_may_wait(const struct request *request)
{
	int64_t client_id = exchange_client(request->exchange)->id;
	const struct request *other;
	unsigned count = 0;

	if (request->is_long || !client_id)
		return true;
	LIST_FOREACH (other, request->context->waits, wait_link)
		count += exchange_client(other->exchange)->id == client_id;
	return count < REQUEST_WAITS_PER_CLIENT;
}

bool request_take_wait(struct request *request)
{
	if (!request_may_wait(request))
		return false;
	if (!request->is_long)
		LIST_INSERT_HEAD(request->context->waits, request, wait_link);
	request->is_long = true;
	return true;
}

/* Messages before the answer */

static void request_abandon(struct request *request)
{
	const struct request_waiting *waiting = request->waiting;

	request_end_cancellable(request);
	request_end_wait(request);
	request->waiting = NULL;
	if (!waiting)
		return;
	if (request->era->leaving_cancels && waiting->cancelled)
		waiting->cancelled(request->waiting_data);
	else
		waiting->abandoned(request->waiting_data);
}

static void request_on_abandoned(void *data)
{
	struct request *request = data;

	request->reply = NULL;
	request->is_lost = true;
	request_abandon(request);
}

static void request_on_stopping(void *data)
{
	request_stop(data);
}

struct reply *request_reply(struct request *request)
{
	const struct reply_owner owner = { request_on_abandoned, request_on_stopping,
					   request };

	if (!request->reply && !request->is_lost &&
	    rpc_header_accepts_streams(request->exchange))
		request->reply = reply_open(
			request->exchange,
			request->revision->resumes ? session_of_request(request) : NULL,
			&owner);
	return request->reply;
}

bool request_send(struct request *request, struct buffer *body)
{
	struct reply *reply = request_reply(request);

	if (reply)
		return reply_push(reply, body);
	buffer_deinit(body);
	return false;
}

struct stream *request_stream(struct request *request)
{
	struct reply *reply = request_reply(request);

	return reply ? reply_stream(reply) : NULL;
}

/* 0 and "" are valid tokens. Returns NULL if there is none. */
static const struct json *request_progress_token(const struct request *request)
{
	const struct json *token = rpc_meta(&request->message, "progressToken");

	return token && rpc_is_id(token) ? token : NULL;
}

bool request_wants_progress(const struct request *request)
{
	return request_progress_token(request) != NULL;
}

void request_send_progress(struct request *request, const char *message)
{
	const struct json *token = request_progress_token(request);
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer;

	if (!token)
		return;
	writer = rpc_open_notification(&body, "notifications/progress", NULL);
	if (writer) {
		rpc_write_id(writer, "progressToken", token);
		json_put_integer(writer, "progress", ++request->progress);
		json_put_string(writer, "message", message);
		rpc_close_notification(writer);
	}
	request_send(request, &body);
}

bool request_forget(struct request *request)
{
	const struct json *id = request->message.id;
	struct json *copy;
	const char *text;

	if (request_wants_progress(request))
		return false;
	copy = arena_alloc(request->arena, sizeof(*copy));
	text = arena_copy(request->arena, id->text, id->length);
	if (!copy || !text)
		return false;
	*copy = (struct json){ .type = id->type, .text = text, .length = id->length };
	request->message = (struct rpc_message){ .kind = RPC_REQUEST, .id = copy };
	request->is_forgotten = true;
	return true;
}

/* Running */

static const struct era_method *request_find_method(const struct era *era,
						    const char *name)
{
	for (const struct era_method *method = era->methods; method->name; method++) {
		if (strcmp(method->name, name) == 0)
			return method;
	}
	return NULL;
}

static void request_run(struct request *request)
{
	request->method = request_find_method(request->era, request->message.method);
	if (request->era->admit && !request->era->admit(request))
		return;
	if (request->error.code)
		request_fail_with(request, &request->error);
	else if (request->method)
		request->method->run(request);
	else
		request_fail(request, RPC_METHOD_NOT_FOUND, "Method not found");
}

void request_dispatch(struct request *message)
{
	if (message->message.kind != RPC_REQUEST) {
		if (message->era->receive)
			message->era->receive(message);
		return;
	}
	request_run(message);
	/* IDs are unique only within a session. Eras that receive nothing cannot
	 * cancel. */
	if (message->waiting && message->era->receive && message->session_id) {
		message->is_cancellable = true;
		LIST_INSERT_HEAD(message->context->cancellable, message, link);
	}
}

void request_leave(struct request *request)
{
	if (request->reply && reply_lose(request->reply))
		return;
	request->reply = NULL;
	request_abandon(request);
}

void request_cancel(struct request *request)
{
	const struct request_waiting *waiting = request->waiting;

	request->waiting = NULL;
	if (waiting && waiting->cancelled)
		waiting->cancelled(request->waiting_data);
	else if (waiting)
		waiting->abandoned(request->waiting_data);
	request_answer(request, 202);
}

void request_stop(struct request *request)
{
	if (request->waiting)
		request->waiting->stopping(request->waiting_data);
}

void request_deinit(struct request *request)
{
	if (request->reply)
		reply_lose(request->reply);
	request_end_cancellable(request);
	request_end_wait(request);
	buffer_deinit(&request->body);
}

/* The room of an answer */

size_t request_room_octets(enum request_room_form form, const char *json, size_t length)
{
	size_t quoted = length;

	if (form == ANSWER_PLAIN)
		return length;
	/* the writer leaves nothing else in JSON that a string has to escape */
	for (size_t i = 0; i < length; i++)
		quoted += json[i] == '"' || json[i] == '\\';
	return form == ANSWER_QUOTED ? quoted : length + quoted;
}

static void request_room_count(struct request_room *room)
{
	size_t length = json_writer_length(room->writer);

	room->used += request_room_octets(room->form,
					  json_writer_data(room->writer) + room->begin,
					  length - room->begin);
	room->begin = length;
}

void request_room_open_row(struct request_room *room)
{
	request_room_count(room);
}

bool request_room_close_row(struct request_room *room, size_t more)
{
	size_t begin = room->begin, used = room->used;

	request_room_count(room);
	room->used += more;
	if (room->rows && room->used > ANSWER_OCTETS_MAX - ANSWER_FRAME_OCTETS) {
		json_writer_drop(room->writer, begin);
		room->begin = begin;
		room->used = used;
		return false;
	}
	room->rows++;
	return true;
}
