/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events/list and events/poll.
 *
 * A poll reads the feed from the cursor on. It ends before the first entry that it has no room
 * for, or at the newest entry. The cursor of the answer is the last entry that was looked at, so
 * it advances when nothing matches.
 */
#include "mcp/event.h"

#include <string.h>

#include "mcp/answer_room.h"
#include "mcp/persistence.h"
#include "mcp/tool_set.h"

enum {
	EVENT_METHODS_POLL_MAX = 100,  /* events in one answer */
	EVENT_METHODS_READ_MAX = 5000, /* entries looked at for one answer */
	EVENT_METHODS_NEXT_MS = 5 * 1000,
	EVENT_METHODS_MORE_MS = 1000,		 /* clients wait no less */
	EVENT_METHODS_ARENA_BYTES = 1024 * 1024, /* for one entry */
};

/* ---- events/list */

static void event_methods_write_deliveries(struct json_writer *writer,
					   unsigned deliveries)
{
	json_open_array_at(writer, "delivery");
	if (deliveries & EVENT_POLL)
		json_write_string(writer, "poll");
	if (deliveries & EVENT_PUSH)
		json_write_string(writer, "push");
	if (deliveries & EVENT_WEBHOOK)
		json_write_string(writer, "webhook");
	json_close_array(writer);
}

static void event_methods_write_type(struct json_writer *writer,
				     const struct event_type *type,
				     const struct tool_text_reader *reader)
{
	json_open_object(writer);
	json_put_string(writer, "name", type->name);
	tool_text_put(writer, "description", type->description, reader);
	event_methods_write_deliveries(writer, type->deliveries);
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
	const struct tool_text_reader reader =
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
	struct answer_room room;
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
	answer_room_open_row(&poll->room);
	event_write(&poll->query, entry, poll->position.epoch, false, poll->writer);
	return answer_room_close_row(&poll->room, 0);
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

	if (!event_read_query(request, EVENT_POLL, &poll.query) ||
	    !event_methods_read_most(request, &poll.most) ||
	    !event_read_position(request, poll.query.type, &poll.position))
		return;
	poll.writer = json_writer_new(&events);
	if (!poll.writer) {
		request_fail_no_memory(request);
		return;
	}
	poll.room = (struct answer_room){ .writer = poll.writer, .form = ANSWER_PLAIN };
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
