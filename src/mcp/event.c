/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What poll, push and webhook have in common: reading what a client wants, deciding about an
 * entry of the feed, and writing it.
 *
 * The order of decisions about an entry: the client still exists and has the scopes of the type
 * -> the type is of use now -> the entry is of the type -> the type's own matches().
 */
#include "mcp/event.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mcp/era.h"
#include "mcp/persistence.h"
#include "mcp/tool_set.h"

/*
 * The texts differ. SEP: the draft of the extension after 2026-10-08. Sketch: its forerunner,
 * and MCP's conformance PR 504. ChatGPT, AI SDK: what these clients do.
 *
 *   errors         SEP -32023 to -32027 ("provisional"); sketch -32011 to -32015
 *   capability     SEP: in extensions; sketch, ChatGPT and AI SDK: capabilities.events. The
 *                  official TypeScript client strips the second, so both are sent.
 *   declaration    SEP: clients MAY declare the extension; ChatGPT does not
 *   unsubscribe    SEP, sketch: NotFound for an unknown subscription; ChatGPT: {}
 *   webhook-id     all: the event ID; the AI SDK refuses any other
 *   gap, terminated   SEP, sketch: are posted to webhooks; ChatGPT ignores them
 *   poll timeoutMs    a branch of the sketch only: ignored
 *
 * We follow the SEP, declare both capabilities, and demand no declaration of the client.
 */
static const struct event_error_row {
	enum rpc_code code;
	const char *name; /* the message of the error */
} event_errors[] = {
	[EVENT_E_NOT_FOUND] = { RPC_NOT_FOUND, "NotFound" },
	[EVENT_E_FORBIDDEN] = { RPC_FORBIDDEN, "Forbidden" },
	[EVENT_E_EXHAUSTED] = { RPC_RESOURCE_EXHAUSTED, "ResourceExhausted" },
	[EVENT_E_UNSUPPORTED] = { RPC_UNSUPPORTED, "Unsupported" },
	[EVENT_E_CALLBACK] = { RPC_CALLBACK_ENDPOINT_ERROR, "CallbackEndpointError" },
};

/* ---- errors */

static void event_write_failure(struct json_writer *writer, const void *data)
{
	const struct event_failure *failure = data;

	json_open_object(writer);
	if (failure->key)
		json_put_string(writer, failure->key, failure->word);
	if (failure->second_key && failure->second_word)
		json_put_string(writer, failure->second_key, failure->second_word);
	else if (failure->second_key)
		json_put_integer(writer, failure->second_key, failure->maximum);
	if (failure->detail)
		json_put_string(writer, "detail", failure->detail);
	json_close_object(writer);
}

void event_write_error(struct json_writer *writer, const struct event_failure *failure)
{
	const struct event_error_row *row = &event_errors[failure->error];

	json_open_object(writer);
	json_put_integer(writer, "code", row->code);
	json_put_string(writer, "message", row->name);
	json_key(writer, "data");
	event_write_failure(writer, failure);
	json_close_object(writer);
}

void event_fail(struct request *request, const struct event_failure *failure)
{
	const struct event_error_row *row = &event_errors[failure->error];

	request_fail_with(request, &(struct rpc_error){ row->code, row->name,
							event_write_failure, failure });
}

/* ---- types */

static bool event_is_usable(const struct event_type *type,
			    const struct services *services)
{
	return !type->usable || type->usable(services);
}

bool event_is_permitted(const struct event_type *type, const struct client *client,
			const struct services *services)
{
	return client && request_scopes_cover(client->scopes, type->scopes) &&
	       event_is_usable(type, services);
}

const struct event_type *event_find(const struct event_type *const *types,
				    const char *name, const struct services *services)
{
	for (; types && *types; types++) {
		if (strcmp((*types)->name, name) == 0)
			return event_is_usable(*types, services) ? *types : NULL;
	}
	return NULL;
}

uint64_t event_permitted_types(const struct event_type *const *types,
			       const struct client *client,
			       const struct services *services)
{
	uint64_t permitted = 0;

	for (unsigned i = 0; types && types[i]; i++)
		permitted |= (uint64_t)event_is_permitted(types[i], client, services)
			     << i;
	return permitted;
}

/* ---- entries */

enum event_verdict event_judge(struct event_query *query, const struct feed_entry *entry)
{
	if (!event_is_permitted(query->type, query->client, query->services))
		return EVENT_FORBIDDEN;
	query->found = NULL;
	if (entry->type != query->type->feed || !query->type->matches(query, entry))
		return EVENT_PASSED_OVER;
	return EVENT_MATCHES;
}

void event_write_cursor(int64_t epoch, int64_t entry_id, char text[EVENT_CURSOR_BYTES])
{
	snprintf(text, EVENT_CURSOR_BYTES, "%lld.%lld", (long long)epoch,
		 (long long)entry_id);
}

void event_write_members(const struct event_query *query, const struct feed_entry *entry,
			 int64_t epoch, bool with_cursor, struct json_writer *writer)
{
	char id[EVENT_CURSOR_BYTES], at[CLOCK_TEXT_BYTES];

	event_write_cursor(epoch, entry->id, id);
	clock_format(entry->at_ms, at);
	json_put_string(writer, "eventId", id);
	json_put_string(writer, "name", query->type->name);
	json_put_string(writer, "timestamp", at);
	json_open_object_at(writer, "data");
	query->type->write_data(query, entry, writer);
	json_close_object(writer);
	if (with_cursor)
		json_put_string(writer, "cursor", id);
}

void event_write(const struct event_query *query, const struct feed_entry *entry,
		 int64_t epoch, bool with_cursor, struct json_writer *writer)
{
	json_open_object(writer);
	event_write_members(query, entry, epoch, with_cursor, writer);
	json_close_object(writer);
}

/* ---- what a client wants */

/* Returns false if this program has no events, and the request has been answered. */
static bool event_is_served(struct request *request)
{
	if (request->context->events)
		return true;
	request_fail(request, RPC_METHOD_NOT_FOUND, "Method not found");
	return false;
}

bool event_find_client(const struct request *request, struct client *client_out)
{
	const struct persistence *persistence = request->context->persistence;
	const struct client *client = exchange_client(request->exchange);

	if (client->id > 0)
		return persistence->find_client(persistence->store, client->id,
						client_out);
	client_out->id = client->id;
	client_out->scopes = client->scopes;
	return true;
}

static bool event_is_too_long(const struct json *arguments)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	bool is_too_long;

	if (!writer)
		return true;
	json_write_canonical(writer, arguments);
	json_writer_free(writer);
	is_too_long = text.failed || text.length > EVENT_ARGUMENTS_MAX;
	buffer_deinit(&text);
	return is_too_long;
}

static bool event_read_arguments(struct request *request, struct event_query *query)
{
	const struct json *arguments = json_member(request->message.params, "arguments");
	const char *problem;

	if (arguments && arguments->type == JSON_NULL)
		arguments = NULL;
	if (!arguments)
		return true;
	problem = arguments->type == JSON_OBJECT ? schema_check(query->type->arguments, 0,
								arguments, request->arena)
						 : "params.arguments must be an object";
	if (!problem && event_is_too_long(arguments))
		problem = "params.arguments is too long";
	query->arguments = arguments;
	query->arena = request->arena;
	if (!problem && query->type->find_problem)
		problem = query->type->find_problem(query);
	query->arena = NULL;
	if (problem)
		request_fail(request, RPC_INVALID_PARAMS, problem);
	return !problem;
}

bool event_read_query(struct request *request, struct event_query *query_out)
{
	const struct request_context *context = request->context;
	const char *name = json_string(json_member(request->message.params, "name"));
	const struct client *client = exchange_client(request->exchange);
	struct event_query query = { .services = context->services, .client = client };

	if (!event_is_served(request))
		return false;
	if (!name) {
		request_fail(
			request, RPC_INVALID_PARAMS,
			"params.name must be the name of an event type: see events/list");
		return false;
	}
	query.type = event_find(context->events, name, context->services);
	if (!query.type) {
		event_fail(
			request,
			&(struct event_failure){
				EVENT_E_NOT_FOUND, "kind", "event",
				.detail =
					"There is no such event type: see events/list." });
		return false;
	}
	if (!event_is_permitted(query.type, client, context->services)) {
		event_fail(request,
			   &(struct event_failure){
				   EVENT_E_FORBIDDEN, "reason", "insufficient_scope",
				   .detail = "This client may not read that. "
					     "The owner decides, with: " PROGRAM_NAME
					     " client set" });
		return false;
	}
	if (!event_read_arguments(request, &query))
		return false;
	*query_out = query;
	return true;
}

/* ---- cursors */

/* Reads digits without a sign or leading zeros, as we write them. */
static bool event_read_digits(const char **text, int64_t *number_out)
{
	const char *end = *text;
	int64_t number = 0;

	for (; *end >= '0' && *end <= '9'; end++) {
		if (number > (INT64_MAX - 9) / 10)
			return false;
		number = number * 10 + (*end - '0');
	}
	if (end == *text || (**text == '0' && end > *text + 1))
		return false;
	*text = end;
	*number_out = number;
	return true;
}

bool event_read_cursor(const char *text, int64_t *epoch_out, int64_t *id_out)
{
	return event_read_digits(&text, epoch_out) && *text++ == '.' &&
	       event_read_digits(&text, id_out) && !*text;
}

/* Finds the place of a cursor that is not null. Returns 0 or -errno. */
static int event_place_cursor(const struct persistence *persistence, const char *cursor,
			      struct event_position *position)
{
	int64_t first, head, epoch, id;
	int error = persistence->find_feed_bounds(persistence->store, &first, &head);

	if (error)
		return error;
	position->truncated = !event_read_cursor(cursor, &epoch, &id) ||
			      epoch != position->epoch || id > head || id < first - 1;
	position->after_id = position->truncated ? first - 1 : id;
	return 0;
}

static int event_place_now(const struct persistence *persistence,
			   struct event_position *position)
{
	int64_t first;

	return persistence->find_feed_bounds(persistence->store, &first,
					     &position->after_id);
}

static int event_skip_older(const struct persistence *persistence,
			    const struct event_type *type, int64_t age_ms,
			    struct event_position *position)
{
	int64_t now_ms = clock_wall_ms();
	bool skipped = false;
	int error =
		persistence->skip_older_feed(persistence->store, position->after_id,
					     age_ms < now_ms ? now_ms - age_ms : 0,
					     type->feed, &position->after_id, &skipped);

	position->truncated |= skipped;
	return error;
}

bool event_read_position(struct request *request, const struct event_type *type,
			 struct event_position *position_out)
{
	const struct persistence *persistence = request->context->persistence;
	const struct json *params = request->message.params;
	const struct json *cursor = json_member(params, "cursor");
	const struct json *age = json_member(params, "maxAgeMs");
	struct event_position position = { 0 };
	bool is_null = json_says_nothing(cursor);
	int64_t age_ms = -1;
	int error;

	if (!is_null && cursor->type != JSON_STRING) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.cursor must be a string or null");
		return false;
	}
	if (age && age->type != JSON_NULL &&
	    (!json_integer(age, &age_ms) || age_ms < 0)) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.maxAgeMs must be a whole number of milliseconds");
		return false;
	}
	error = persistence->find_feed_epoch(persistence->store, &position.epoch);
	if (!error)
		error = is_null ? event_place_now(persistence, &position)
				: event_place_cursor(persistence, cursor->text,
						     &position);
	if (!error && !is_null && age_ms >= 0)
		error = event_skip_older(persistence, type, age_ms, &position);
	if (error) {
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the events could not be read: try again later");
		return false;
	}
	*position_out = position;
	return true;
}

/*
 * events/list and events/poll.
 *
 * A poll reads the feed from the cursor on. It ends before the first entry that it has no room
 * for, or at the newest entry. The cursor of the answer is the last entry that was looked at, so
 * it advances when nothing matches.
 */

enum {
	EVENT_METHODS_POLL_MAX = 100,  /* events in one answer */
	EVENT_METHODS_READ_MAX = 5000, /* entries looked at for one answer */
	EVENT_METHODS_NEXT_MS = 5 * 1000,
	EVENT_METHODS_MORE_MS = 1000,		 /* clients wait no less */
	EVENT_METHODS_ARENA_BYTES = 1024 * 1024, /* for one entry */
};

/* ---- events/list */

static void event_methods_write_type(struct json_writer *writer,
				     const struct event_type *type,
				     const struct schema_reader *reader)
{
	json_open_object(writer);
	json_put_string(writer, "name", type->name);
	schema_put_text(writer, "description", type->description, reader);
	json_open_array_at(writer, "delivery");
	json_write_string(writer, "poll");
	json_write_string(writer, "push");
	json_write_string(writer, "webhook");
	json_close_array(writer);
	json_key(writer, "inputSchema");
	schema_write(writer, type->arguments, SCHEMA_CLOSED, reader);
	json_key(writer, "payloadSchema");
	schema_write(writer, type->payload, SCHEMA_OPEN, reader);
	json_close_object(writer);
}

void event_methods_run_list(struct request *request)
{
	const struct request_context *context = request->context;
	const struct client *client = exchange_client(request->exchange);
	const struct schema_reader reader =
		tool_set_reader(context->tools, client->scopes);
	const struct event_type *const *type;
	struct json_writer *writer;

	if (!event_is_served(request) || !request_has_no_cursor(request) ||
	    !(writer = request_open_result(request)))
		return;
	json_open_array_at(writer, "events");
	for (type = context->events; type && *type; type++) {
		if (event_is_permitted(*type, client, context->services))
			event_methods_write_type(writer, *type, &reader);
	}
	json_close_array(writer);
	request_close_result(request);
}

/* ---- events/poll */

struct event_methods_poll {
	struct event_query query;
	struct client client; /* as it is now */
	struct event_position position;
	struct json_writer *writer; /* of the events */
	struct request_room room;
	int64_t most; /* events in the answer */
	unsigned looked_at;
	bool has_more;
	bool has_no_memory;
};

/* Returns false if the answer has no room for it. */
static bool event_methods_write(struct event_methods_poll *poll,
				const struct feed_entry *entry)
{
	if (poll->room.rows == poll->most)
		return false;
	request_room_open_row(&poll->room);
	event_write(&poll->query, entry, poll->position.epoch, false, poll->writer);
	return request_room_close_row(&poll->room, 0);
}

/* Adds the type that is asked for. Returns false if the answer has no room for it. */
static bool event_methods_add(struct event_methods_poll *poll,
			      const struct feed_entry *entry)
{
	poll->query.arena = arena_new(EVENT_METHODS_ARENA_BYTES);
	if (!poll->query.arena) {
		poll->has_no_memory = true;
		return false;
	}
	if (event_judge(&poll->query, entry) == EVENT_MATCHES &&
	    !event_methods_write(poll, entry))
		poll->has_more = true;
	arena_free(poll->query.arena);
	return !poll->has_more;
}

static bool event_methods_visit(void *data, const struct feed_entry *entry)
{
	struct event_methods_poll *poll = data;

	if (++poll->looked_at > EVENT_METHODS_READ_MAX) {
		poll->has_more = true;
		return false;
	}
	if (entry->type == poll->query.type->feed && !event_methods_add(poll, entry))
		return false;
	poll->position.after_id = entry->id;
	return true;
}

/* Returns 0 or -errno. */
static int event_methods_read(const struct request *request,
			      struct event_methods_poll *poll)
{
	const struct persistence *persistence = request->context->persistence;
	int error;

	json_open_array(poll->writer);
	error = persistence->read_feed(persistence->store, poll->position.after_id,
				       EVENT_METHODS_READ_MAX + 1, event_methods_visit,
				       poll);
	json_close_array(poll->writer);
	return error ? error : poll->has_no_memory ? -1 : 0;
}

static void event_methods_answer_poll(struct request *request,
				      const struct event_methods_poll *poll,
				      const struct buffer *events)
{
	struct json_writer *writer = request_open_result(request);
	char cursor[EVENT_CURSOR_BYTES];

	if (!writer)
		return;
	event_write_cursor(poll->position.epoch, poll->position.after_id, cursor);
	json_key(writer, "events");
	json_write_raw(writer, events->data, events->length);
	json_put_string(writer, "cursor", cursor);
	json_put_boolean(writer, "truncated", poll->position.truncated);
	json_put_boolean(writer, "hasMore", poll->has_more);
	json_put_integer(writer, "nextPollMs",
			 poll->has_more ? EVENT_METHODS_MORE_MS : EVENT_METHODS_NEXT_MS);
	request_close_result(request);
}

/* Returns false if the request has been answered. */
static bool event_methods_read_most(struct request *request, int64_t *most_out)
{
	const struct json *most = json_member(request->message.params, "maxEvents");
	int64_t number = EVENT_METHODS_POLL_MAX;

	if (most && most->type != JSON_NULL &&
	    (!json_integer(most, &number) || number < 1)) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.maxEvents must be a whole number, 1 or more");
		return false;
	}
	*most_out = number < EVENT_METHODS_POLL_MAX ? number : EVENT_METHODS_POLL_MAX;
	return true;
}

void event_methods_run_poll(struct request *request)
{
	struct event_methods_poll poll = { 0 };
	struct buffer events = BUFFER_INIT;

	if (!event_read_query(request, &poll.query) ||
	    !event_methods_read_most(request, &poll.most) ||
	    !event_read_position(request, poll.query.type, &poll.position))
		return;
	poll.writer = json_writer_new(&events);
	if (!poll.writer) {
		request_fail_no_memory(request);
		return;
	}
	poll.room = (struct request_room){ .writer = poll.writer, .form = ANSWER_PLAIN };
	poll.query.may_show_text = true;
	if (event_find_client(request, &poll.client))
		poll.query.client = &poll.client;
	if (event_methods_read(request, &poll) || events.failed) {
		json_writer_free(poll.writer);
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the events could not be read: try again later");
	} else {
		json_writer_free(poll.writer);
		event_methods_answer_poll(request, &poll, &events);
	}
	buffer_deinit(&events);
}
