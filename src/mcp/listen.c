/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/listen.h"

#include <stddef.h>
#include <string.h>

#include "mcp/accept.h"
#include "mcp/endpoint.h"
#include "mcp/notification.h"
#include "mcp/permission.h"

/* What a look at a task may take. It goes at once, for a stream may live for long. */
enum { TASK_ARENA_BYTES = 1024 * 1024 };

struct listened {
	const char *uri;     /* as the client wrote it; or the id of a task */
	const char *subject; /* see struct change */
	struct listen *listen;
	unsigned scopes;	 /* of who may be told of it */
	struct task_alarm alarm; /* of a task */
	TAILQ_ENTRY(listened) link;
};

struct listened_list {
	TAILQ_HEAD(, listened) items;
	size_t count;
};

/* one request; lives in its arena */
struct listen {
	struct request *request;
	struct watcher watcher;
	struct observer observer;
	bool tools;
	struct listened_list resources, tasks;
};

/* The filter */

static void list_init(struct listened_list *list)
{
	TAILQ_INIT(&list->items);
	list->count = 0;
}

static bool is_listened(const struct listened_list *list, const char *uri)
{
	const struct listened *listened;

	TAILQ_FOREACH (listened, &list->items, link) {
		if (strcmp(listened->uri, uri) == 0)
			return true;
	}
	return false;
}

static bool takes(const struct listened_list *list, const char *uri)
{
	return list->count < LISTEN_URIS_MAX && !is_listened(list, uri);
}

static void add(struct listen *listen, struct listened_list *list,
		const struct listened *what)
{
	struct listened *listened =
		arena_alloc(listen->request->arena, sizeof(*listened));

	if (!listened || !what->subject)
		return;
	*listened = *what;
	listened->uri = arena_copy(listen->request->arena, what->uri, strlen(what->uri));
	if (!listened->uri)
		return;
	listened->listen = listen;
	TAILQ_INSERT_TAIL(&list->items, listened, link);
	list->count++;
}

/* What is not there, or may not be read, is left out. */
static void add_resource(struct listen *listen, const char *uri)
{
	struct request *request = listen->request;
	const struct resource *const *resources = endpoint_resources(request->endpoint);
	unsigned needed = resource_scopes(resources, uri);
	struct resource_call call = {
		.services = endpoint_services(request->endpoint),
		.arena = request->arena,
	};

	if (takes(&listen->resources, uri) &&
	    permission_covers(exchange_client(request->exchange)->scopes, needed) &&
	    !resource_find(resources, uri, &call))
		add(listen, &listen->resources,
		    &(struct listened){
			    .uri = uri, .subject = call.subject, .scopes = needed });
}

static struct task_query task_query(const struct listen *listen, const char *id,
				    struct arena *arena)
{
	return (struct task_query){
		.id = id,
		.client_id = exchange_client(listen->request->exchange)->id,
		.services = endpoint_services(listen->request->endpoint),
		.arena = arena,
	};
}

/* What is not there, or not this client's, is left out. */
static void add_task(struct listen *listen, const char *id)
{
	struct request *request = listen->request;
	struct arena *arena = arena_new(TASK_ARENA_BYTES);
	struct task_query query = task_query(listen, id, arena);
	struct task task;

	if (arena && takes(&listen->tasks, id) &&
	    !task_find(endpoint_tasks(request->endpoint), &query, &task))
		add(listen, &listen->tasks,
		    &(struct listened){ .uri = id,
					.subject =
						arena_copy(request->arena, task.subject,
							   strlen(task.subject)) });
	arena_free(arena);
}

/* False: they are not what they have to be. */
static bool read_texts(struct listen *listen, const struct json *texts,
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

static const struct json *filter_of(const struct listen *listen)
{
	return json_member(listen->request->message.params, "notifications");
}

static bool read_filter(struct listen *listen)
{
	const struct json *filter = filter_of(listen);
	const struct json *tools = json_member(filter, "toolsListChanged");

	if (!filter || filter->type != JSON_OBJECT ||
	    (tools && tools->type != JSON_BOOLEAN))
		return false;
	listen->tools = tools && tools->boolean;
	return read_texts(listen, json_member(filter, "resourceSubscriptions"),
			  add_resource) &&
	       read_texts(listen, json_member(filter, "taskIds"), add_task);
}

static void put_list(struct json_writer *writer, const char *key,
		     const struct listened_list *list)
{
	const struct listened *listened;

	if (!list->count)
		return;
	json_key(writer, key);
	json_open_array(writer);
	TAILQ_FOREACH (listened, &list->items, link)
		json_write_string(writer, listened->uri);
	json_close_array(writer);
}

static void acknowledge(struct listen *listen)
{
	const struct json *id = listen->request->message.id;
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		notification_open(&body, "notifications/subscriptions/acknowledged", id);

	if (writer) {
		json_key(writer, "notifications");
		json_open_object(writer);
		if (listen->tools)
			json_put_boolean(writer, "toolsListChanged", true);
		put_list(writer, "resourceSubscriptions", &listen->resources);
		put_list(writer, "taskIds", &listen->tasks);
		json_close_object(writer);
		notification_close(writer);
	}
	notification_push(listen->watcher.stream, &body, NULL);
}

/* Telling */

static void write_task(const struct task_query *query, const struct task *task,
		       const struct json *listen_id, struct buffer *body)
{
	struct json_writer *writer =
		notification_open(body, "notifications/tasks", listen_id);

	if (!writer)
		return;
	task_write(query, task, writer);
	notification_close(writer);
}

/* How it is by now. */
static void tell_task(struct listened *listened)
{
	const struct listen *listen = listened->listen;
	const char *id = listened->uri;
	struct arena *arena = arena_new(TASK_ARENA_BYTES);
	struct task_query query = task_query(listen, id, arena);
	struct buffer body = BUFFER_INIT;
	struct task task;

	if (arena &&
	    !task_find(endpoint_tasks(listen->request->endpoint), &query, &task)) {
		write_task(&query, &task, listen->request->message.id, &body);
		notification_push(listen->watcher.stream, &body, id);
		task_alarm_set(endpoint_task_alarms(listen->request->endpoint),
			       &listened->alarm, task.due_ms);
	}
	arena_free(arena);
}

static void on_alarm(struct task_alarm *alarm)
{
	tell_task((struct listened *)((char *)alarm - offsetof(struct listened, alarm)));
}

/* One that was over before it was listened to would never be told of. */
static void tell_tasks(const struct listen *listen)
{
	struct listened *listened;

	TAILQ_FOREACH (listened, &listen->tasks.items, link) {
		listened->alarm.ring = on_alarm;
		tell_task(listened);
	}
}

static void tell_resource(const struct listen *listen, const char *subject)
{
	struct listened *listened;

	TAILQ_FOREACH (listened, &listen->resources.items, link) {
		if (strcmp(listened->subject, subject) == 0 &&
		    permission_covers(listen->watcher.scopes, listened->scopes))
			notification_push_change(listen->watcher.stream, NULL,
						 listened->uri,
						 listen->request->message.id);
	}
	TAILQ_FOREACH (listened, &listen->tasks.items, link) {
		if (strcmp(listened->subject, subject) == 0)
			tell_task(listened);
	}
}

/* Life */

static void leave(void *data)
{
	struct listen *listen = data;
	struct listened *listened;

	TAILQ_FOREACH (listened, &listen->tasks.items, link)
		task_alarm_set(endpoint_task_alarms(listen->request->endpoint),
			       &listened->alarm, 0);
	observer_remove(&listen->observer);
	watcher_close(&listen->watcher);
}

static void finish(void *data)
{
	struct listen *listen = data;

	leave(listen);
	listen->request->subscription_id = listen->request->message.id;
	if (request_open_result(listen->request))
		request_close_result(listen->request);
}

static void on_change(void *data, const void *event_data)
{
	const struct change *change = event_data;
	struct listen *listen = data;

	switch (change->type) {
	case CHANGE_RESOURCE:
		tell_resource(listen, change->subject);
		break;
	case CHANGE_TOOLS:
		if (listen->tools && change_is_of(change, listen->watcher.client_id))
			notification_push_change(listen->watcher.stream, NULL, NULL,
						 listen->request->message.id);
		break;
	case CHANGE_CUT:
		if (change_is_of(change, listen->watcher.client_id))
			finish(listen);
		break;
	}
}

static const struct request_waiting waiting = {
	.abandoned = leave,
	.stopping = finish,
};

static bool open_stream(struct listen *listen)
{
	struct request *request = listen->request;
	struct watcher_list *watchers = endpoint_watchers(request->endpoint);
	struct stream *stream = watcher_is_allowed(watchers, request->exchange)
					? request_stream(request)
					: NULL;

	if (stream)
		watcher_open(&listen->watcher, watchers, request->exchange, stream);
	return stream;
}

static bool is_empty(const struct listen *listen)
{
	return !listen->tools && !listen->resources.count && !listen->tasks.count;
}

/* Heard before it is acknowledged: nothing falls between. */
static void start(struct listen *listen)
{
	struct request *request = listen->request;
	struct observers *changes = endpoint_changes(request->endpoint);

	if (changes)
		observer_add(changes, &listen->observer, on_change, listen);
	acknowledge(listen);
	tell_tasks(listen);
	if (!changes || is_empty(listen)) {
		finish(listen);
		return;
	}
	request->waiting = &waiting;
	request->waiting_data = listen;
	request_forget(request);
}

void listen_run(struct request *request)
{
	struct listen *listen = arena_alloc(request->arena, sizeof(*listen));

	if (!listen) {
		request_fail(request, RPC_INTERNAL_ERROR,
			     "out of memory: try again later");
		return;
	}
	listen->request = request;
	list_init(&listen->resources);
	list_init(&listen->tasks);
	if (json_member(filter_of(listen), "taskIds") && !task_admit(request))
		return;
	if (!read_filter(listen))
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.notifications must be an object with "
			     "toolsListChanged, a boolean, or resourceSubscriptions, an "
			     "array of URIs, or taskIds, an array of ids");
	else if (!accept_streams(request->exchange))
		request_fail(request, RPC_INVALID_REQUEST,
			     "the answer is a stream: send Accept: application/json, "
			     "text/event-stream");
	else if (!open_stream(listen))
		request_fail(request, RPC_INTERNAL_ERROR,
			     "too many streams are open: close some, or try again later");
	else
		start(listen);
}
