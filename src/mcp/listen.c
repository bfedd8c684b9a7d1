/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/listen.h"

#include <string.h>

#include "mcp/accept.h"
#include "mcp/endpoint.h"
#include "mcp/notification.h"

struct listened {
	const char *uri;     /* as the client wrote it */
	const char *subject; /* see struct change */
	TAILQ_ENTRY(listened) link;
};

/* one request; lives in its arena */
struct listen {
	struct request *request;
	struct watcher watcher;
	struct observer observer;
	bool tools;
	TAILQ_HEAD(listened_list, listened) resources;
	size_t resource_count;
};

/* The filter */

static bool is_listened(const struct listen *listen, const char *uri)
{
	const struct listened *listened;

	TAILQ_FOREACH (listened, &listen->resources, link) {
		if (strcmp(listened->uri, uri) == 0)
			return true;
	}
	return false;
}

/* What is not there is left out. */
static void add_resource(struct listen *listen, const char *uri)
{
	struct request *request = listen->request;
	struct resource_call call = {
		.services = endpoint_services(request->endpoint),
		.arena = request->arena,
	};
	struct listened *listened;

	if (listen->resource_count == LISTEN_URIS_MAX || is_listened(listen, uri) ||
	    resource_find(endpoint_resources(request->endpoint), uri, &call))
		return;
	listened = arena_alloc(request->arena, sizeof(*listened));
	if (!listened)
		return;
	listened->uri = uri;
	listened->subject = call.subject;
	TAILQ_INSERT_TAIL(&listen->resources, listened, link);
	listen->resource_count++;
}

/* False: they are not what they have to be. */
static bool read_resources(struct listen *listen, const struct json *uris)
{
	if (!uris)
		return true;
	if (uris->type != JSON_ARRAY)
		return false;
	json_foreach (uri, uris) {
		if (uri->type != JSON_STRING)
			return false;
		add_resource(listen, uri->text);
	}
	return true;
}

static bool read_filter(struct listen *listen)
{
	const struct json *filter =
		json_member(listen->request->message.params, "notifications");
	const struct json *tools = json_member(filter, "toolsListChanged");

	if (!filter || filter->type != JSON_OBJECT ||
	    (tools && tools->type != JSON_BOOLEAN))
		return false;
	listen->tools = tools && tools->boolean;
	return read_resources(listen, json_member(filter, "resourceSubscriptions"));
}

static void acknowledge(struct listen *listen)
{
	const struct json *id = listen->request->message.id;
	const struct listened *listened;
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		notification_open(&body, "notifications/subscriptions/acknowledged", id);

	if (writer) {
		json_key(writer, "notifications");
		json_open_object(writer);
		if (listen->tools)
			json_put_boolean(writer, "toolsListChanged", true);
		if (listen->resource_count) {
			json_key(writer, "resourceSubscriptions");
			json_open_array(writer);
			TAILQ_FOREACH (listened, &listen->resources, link)
				json_write_string(writer, listened->uri);
			json_close_array(writer);
		}
		json_close_object(writer);
		notification_close(writer);
	}
	notification_push(listen->watcher.stream, &body);
}

/* Life */

static void on_change(void *data, const void *event_data)
{
	const struct change *change = event_data;
	const struct listen *listen = data;
	const struct json *id = listen->request->message.id;
	struct stream *stream = listen->watcher.stream;
	const struct listened *listened;

	if (change->type == CHANGE_TOOLS) {
		if (listen->tools)
			notification_push_change(stream, NULL, NULL, id);
		return;
	}
	TAILQ_FOREACH (listened, &listen->resources, link) {
		if (strcmp(listened->subject, change->subject) == 0)
			notification_push_change(stream, NULL, listened->uri, id);
	}
}

static void leave(void *data)
{
	struct listen *listen = data;

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

/* Heard before it is acknowledged: nothing falls between. */
static void start(struct listen *listen)
{
	struct request *request = listen->request;
	struct observers *changes = endpoint_changes(request->endpoint);

	if (changes)
		observer_add(changes, &listen->observer, on_change, listen);
	acknowledge(listen);
	if (!changes || (!listen->tools && !listen->resource_count)) {
		finish(listen);
		return;
	}
	request->waiting = &waiting;
	request->waiting_data = listen;
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
	TAILQ_INIT(&listen->resources);
	if (!read_filter(listen))
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.notifications must be an object with "
			     "toolsListChanged, a boolean, or resourceSubscriptions, an "
			     "array of URIs");
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
