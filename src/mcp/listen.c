/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First comes an acknowledgement that names the accepted part of the request; from then
 * on no change is missed. The state of each task is sent at once and at every change; those that
 * the stream's queue has no room for follow when it is empty. All messages carry the ID of the
 * request.
 *
 *   listening -> the client closes the connection: done
 *             -> the gateway stops, or CHANGE_RECONNECT: the result ends the stream
 *
 * There is nothing to resume: a client that reconnects reads again what it may have
 * missed.
 */
#include "mcp/era.h"

#include <stddef.h>
#include <string.h>

#include "base/observer.h"
#include "mcp/resource.h"
#include "mcp/rpc.h"
#include "mcp/session.h"
#include "mcp/task.h"

/* For one look at a task; freed at once, because a stream may live long. */
enum { LISTEN_TASK_ARENA_BYTES = 1024 * 1024 };

struct listen_item {
	const char *uri;     /* as the client wrote it; or a task ID */
	const char *subject; /* see struct resource_change */
	struct listen *listen;
	unsigned scopes;	 /* that a client needs to be notified */
	struct task_timer timer; /* set for tasks only */
	bool is_behind;		 /* a task whose state waits until the queue is empty */
	TAILQ_ENTRY(listen_item) link;
};

struct listen_items {
	TAILQ_HEAD(, listen_item) items;
	size_t count;
};

/* One request; lives in its arena. */
struct listen {
	struct request *request;
	struct stream_client client;
	struct observer observer;
	bool tools, events;
	struct listen_items resources, tasks;
};

static bool listen_has_room_for(const struct listen_items *list, const char *uri)
{
	const struct listen_item *item;

	TAILQ_FOREACH (item, &list->items, link) {
		if (strcmp(item->uri, uri) == 0)
			return false;
	}
	return list->count < LISTEN_URIS_MAX;
}

static void listen_add_item(struct listen *listen, struct listen_items *list,
			    const struct listen_item *what)
{
	struct listen_item *item = arena_alloc(listen->request->arena, sizeof(*item));

	if (!item || !what->subject)
		return;
	*item = *what;
	item->uri = arena_copy(listen->request->arena, what->uri, strlen(what->uri));
	if (!item->uri)
		return;
	item->listen = listen;
	TAILQ_INSERT_TAIL(&list->items, item, link);
	list->count++;
}

/* A resource that does not exist, or that the client may not read, is left out. */
static void listen_add_resource(struct listen *listen, const char *uri)
{
	struct request *request = listen->request;
	const struct resource *const *resources = request->context->resources;
	unsigned needed = resource_scopes(resources, uri);
	struct resource_call call = {
		.services = request->context->services,
		.arena = request->arena,
	};

	if (listen_has_room_for(&listen->resources, uri) &&
	    request_scopes_cover(exchange_client(request->exchange)->scopes, needed) &&
	    !resource_find(resources, uri, &call))
		listen_add_item(listen, &listen->resources,
				&(struct listen_item){ .uri = uri,
						       .subject = call.subject,
						       .scopes = needed });
}

static struct task_query listen_task_query(const struct listen *listen, const char *id,
					   struct arena *arena)
{
	return (struct task_query){
		.id = id,
		.client_id = exchange_client(listen->request->exchange)->id,
		.services = listen->request->context->services,
		.arena = arena,
	};
}

/* A task that does not exist, or belongs to another client, is left out. */
static void listen_add_task(struct listen *listen, const char *id)
{
	struct request *request = listen->request;
	struct arena *arena = arena_new(LISTEN_TASK_ARENA_BYTES);
	struct task_query query = listen_task_query(listen, id, arena);
	struct task task;

	if (arena && listen_has_room_for(&listen->tasks, id) &&
	    !task_find(request->context->tasks, &query, &task))
		listen_add_item(
			listen, &listen->tasks,
			&(struct listen_item){
				.uri = id,
				.subject = arena_copy(request->arena, task.subject,
						      strlen(task.subject)) });
	arena_free(arena);
}

/* Returns false if `texts` is not an array of strings. */
static bool listen_read_texts(struct listen *listen, const struct json *texts,
			      void (*add_text)(struct listen *listen, const char *text))
{
	if (!texts)
		return true;
	if (texts->type != JSON_ARRAY)
		return false;
	json_foreach (text, texts) {
		if (text->type != JSON_STRING)
			return false;
		add_text(listen, text->text);
	}
	return true;
}

static const struct json *listen_filter(const struct listen *listen)
{
	return json_member(listen->request->message.params, "notifications");
}

static bool listen_read_filter(struct listen *listen)
{
	const struct json *filter = listen_filter(listen);
	const struct json *tools = json_member(filter, "toolsListChanged");
	const struct json *events = json_member(filter, "eventsListChanged");

	if (!filter || filter->type != JSON_OBJECT ||
	    (tools && tools->type != JSON_BOOLEAN) ||
	    (events && events->type != JSON_BOOLEAN))
		return false;
	listen->tools = tools && tools->boolean;
	listen->events = events && events->boolean && listen->request->context->events;
	return listen_read_texts(listen, json_member(filter, "resourceSubscriptions"),
				 listen_add_resource) &&
	       listen_read_texts(listen, json_member(filter, "taskIds"), listen_add_task);
}

static void listen_write_uris(struct json_writer *writer, const char *key,
			      const struct listen_items *list)
{
	const struct listen_item *item;

	if (!list->count)
		return;
	json_open_array_at(writer, key);
	TAILQ_FOREACH (item, &list->items, link)
		json_write_string(writer, item->uri);
	json_close_array(writer);
}

static void listen_acknowledge(struct listen *listen)
{
	const struct json *id = listen->request->message.id;
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer = rpc_open_notification(
		&body, "notifications/subscriptions/acknowledged", id);

	if (writer) {
		json_open_object_at(writer, "notifications");
		if (listen->tools)
			json_put_boolean(writer, "toolsListChanged", true);
		if (listen->events)
			json_put_boolean(writer, "eventsListChanged", true);
		listen_write_uris(writer, "resourceSubscriptions", &listen->resources);
		listen_write_uris(writer, "taskIds", &listen->tasks);
		json_close_object(writer);
		rpc_close_notification(writer);
	}
	stream_client_push(&listen->client, &body, NULL);
}

/* Sends the current state of a task. */
static void listen_send_task(struct listen_item *item)
{
	const struct listen *listen = item->listen;
	const char *id = item->uri;
	struct stream *stream = listen->client.stream;
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer;
	struct task_query query;
	struct arena *arena;
	struct task task;

	item->is_behind = !stream_has_room(stream, 0);
	if (item->is_behind)
		return;
	arena = arena_new(LISTEN_TASK_ARENA_BYTES);
	query = listen_task_query(listen, id, arena);
	if (arena && !task_find(listen->request->context->tasks, &query, &task)) {
		writer = rpc_open_notification(&body, "notifications/tasks",
					       listen->request->message.id);
		if (writer) {
			task_write(&query, &task, writer);
			rpc_close_notification(writer);
		}
		item->is_behind = !stream_has_room(stream, body.length);
		if (item->is_behind)
			buffer_deinit(&body);
		else
			stream_client_push(&listen->client, &body, id);
		task_timer_set(listen->request->context->task_timers, &item->timer,
			       task.due_ms);
	}
	arena_free(arena);
}

static void listen_on_task_timer(struct task_timer *timer)
{
	listen_send_task((struct listen_item *)((char *)timer -
						offsetof(struct listen_item, timer)));
}

/* The client has taken everything. Runs inside of what http does. */
static void listen_on_empty(void *data)
{
	struct listen *listen = data;
	struct listen_item *item;

	TAILQ_FOREACH (item, &listen->tasks.items, link) {
		if (item->is_behind)
			task_timer_set_now(listen->request->context->task_timers,
					   &item->timer);
	}
}

static void listen_send_resource(const struct listen *listen, const char *subject)
{
	struct listen_item *item;

	TAILQ_FOREACH (item, &listen->resources.items, link) {
		if (strcmp(item->subject, subject) == 0 &&
		    request_scopes_cover(listen->client.scopes, item->scopes))
			stream_client_push_change(&listen->client, NULL, item->uri,
						  listen->request->message.id);
	}
	TAILQ_FOREACH (item, &listen->tasks.items, link) {
		if (strcmp(item->subject, subject) == 0)
			listen_send_task(item);
	}
}

static void listen_send_events_changed(const struct listen *listen)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer = rpc_open_notification(
		&body, "notifications/events/list_changed", listen->request->message.id);

	if (writer)
		rpc_close_notification(writer);
	stream_client_push(&listen->client, &body, "events");
}

/* Life */

static void listen_leave(void *data)
{
	struct listen *listen = data;
	struct listen_item *item;

	TAILQ_FOREACH (item, &listen->tasks.items, link)
		task_timer_set(listen->request->context->task_timers, &item->timer, 0);
	observer_remove(&listen->observer);
	if (listen->client.stream)
		stream_on_empty(listen->client.stream, NULL, NULL);
	stream_client_close(&listen->client);
}

static void listen_finish(void *data)
{
	struct listen *listen = data;

	listen_leave(listen);
	listen->request->subscription_id = listen->request->message.id;
	request_acknowledge(listen->request);
}

static void listen_on_change(void *data, const void *event_data)
{
	const struct resource_change *change = event_data;
	struct listen *listen = data;

	switch (change->type) {
	case CHANGE_RESOURCE:
		listen_send_resource(listen, change->subject);
		break;
	case CHANGE_TOOLS:
		if (listen->tools &&
		    resource_change_is_of(change, listen->client.client_id))
			stream_client_push_change(&listen->client, NULL, NULL,
						  listen->request->message.id);
		break;
	case CHANGE_EVENTS:
		if (listen->events &&
		    resource_change_is_of(change, listen->client.client_id))
			listen_send_events_changed(listen);
		break;
	case CHANGE_RECONNECT:
		if (resource_change_is_of(change, listen->client.client_id))
			listen_finish(listen);
		break;
	}
}

static const struct request_waiting listen_waiting = {
	.abandoned = listen_leave,
	.stopping = listen_finish,
};

static bool listen_open_stream(struct listen *listen)
{
	struct request *request = listen->request;
	struct stream_client_list *clients = request->context->stream_clients;
	struct stream *stream = stream_client_is_allowed(clients, request->exchange)
					? request_stream(request)
					: NULL;

	if (stream)
		stream_client_open(&listen->client, clients, request->exchange, stream);
	return stream;
}

/* Changes are observed before the acknowledgement, so that none is lost in between. */
static void listen_start(struct listen *listen)
{
	struct request *request = listen->request;
	struct observers *changes = request->context->changes;
	struct listen_item *item;

	if (changes)
		observer_add(changes, &listen->observer, listen_on_change, listen);
	stream_on_empty(listen->client.stream, listen_on_empty, listen);
	listen_acknowledge(listen);
	/* A task may have ended already, and then no change would ever report it. */
	TAILQ_FOREACH (item, &listen->tasks.items, link) {
		item->timer.expired = listen_on_task_timer;
		listen_send_task(item);
	}
	if (!changes || (!listen->tools && !listen->events && !listen->resources.count &&
			 !listen->tasks.count)) {
		listen_finish(listen);
		return;
	}
	request->waiting = &listen_waiting;
	request->waiting_data = listen;
	request_forget(request);
}

void listen_run(struct request *request)
{
	struct listen *listen = arena_alloc(request->arena, sizeof(*listen));

	if (!listen) {
		request_fail_no_memory(request);
		return;
	}
	listen->request = request;
	TAILQ_INIT(&listen->resources.items);
	TAILQ_INIT(&listen->tasks.items);
	if (json_member(listen_filter(listen), "taskIds") && !task_admit(request))
		return;
	if (!listen_read_filter(listen))
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.notifications must be an object with "
			     "toolsListChanged or eventsListChanged, "
			     "booleans, or resourceSubscriptions, an "
			     "array of URIs, or taskIds, an array of IDs");
	else if (!rpc_header_accepts_streams(request->exchange))
		request_fail(request, RPC_INVALID_REQUEST,
			     "the answer is a stream: send Accept: application/json, "
			     "text/event-stream");
	else if (!listen_open_stream(listen))
		request_fail(request, RPC_INTERNAL_ERROR,
			     "too many streams are open: close some, or try again later");
	else
		listen_start(listen);
}
