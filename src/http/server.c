/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stopping: the listening sockets close, idle connections go, exchanges that wait are told.
 * What is being received or answered has until the timeout; then the owner hears `stopped`
 * whatever is left, and http_server_free() cuts it off.
 */
#include "http/server.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "http/connections.h"
#include "http/listener.h"

struct http_server {
	sd_event *loop;
	struct connections connections;
	struct listener listeners[CONFIG_LIST_MAX];
	unsigned listener_count;
	sd_event_source *stop_timer; /* NULL: not stopping */
	sd_event_source *stop_later;
	void (*stopped)(void *data);
	void *stopped_data;
};

static void stop_finish(struct http_server *server)
{
	server->stop_timer = sd_event_source_disable_unref(server->stop_timer);
	server->stop_later = sd_event_source_disable_unref(server->stop_later);
	server->stopped(server->stopped_data); /* may free the server */
}

static int on_stop_timeout(sd_event_source *source, uint64_t due_us, void *data)
{
	struct http_server *server = data;

	(void)source;
	(void)due_us;
	log_info("http: %u connections were cut off", server->connections.count);
	stop_finish(server);
	return 0;
}

static int on_stop_later(sd_event_source *source, void *data)
{
	(void)source;
	stop_finish(data);
	return 0;
}

static void on_emptied(void *data)
{
	struct http_server *server = data;

	if (server->stop_later)
		sd_event_source_set_enabled(server->stop_later, SD_EVENT_ONESHOT);
}

static int listeners_open(struct http_server *server, const struct config_list *listen,
			  struct config_error *error)
{
	size_t at;
	int result;

	for (at = 0; at < listen->count; at++) {
		result = listener_open(&server->listeners[at], &server->connections,
				       listen->items[at], error);
		if (result)
			return result;
		server->listener_count++;
	}
	return 0;
}

int http_server_new(sd_event *loop, const struct config *config,
		    const struct http_route *routes, const struct auth *auth,
		    struct http_server **server_out, struct config_error *error)
{
	struct http_server *server = calloc(1, sizeof(*server));
	int result;

	if (!server) {
		snprintf(error->text, sizeof(error->text), "out of memory");
		return -ENOMEM;
	}
	server->loop = sd_event_ref(loop);
	server->connections = (struct connections){
		.loop = loop,
		.config = config,
		.routes = routes,
		.auth = auth,
		.emptied = on_emptied,
		.data = server,
	};
	result = connections_init(&server->connections);
	if (result)
		snprintf(error->text, sizeof(error->text), "http: error %d", -result);
	else
		result = listeners_open(server, &config->listen, error);
	if (result) {
		http_server_free(server);
		return result;
	}
	*server_out = server;
	return 0;
}

int http_server_serve(struct http_server *server)
{
	int error = 0;

	for (unsigned at = 0; at < server->listener_count && !error; at++)
		error = listener_serve(&server->listeners[at]);
	return error;
}

uint16_t http_server_port(const struct http_server *server, unsigned index)
{
	assert(index < server->listener_count);
	return server->listeners[index].port;
}

unsigned http_server_connections(const struct http_server *server)
{
	return server->connections.count;
}

void http_server_cut_client(struct http_server *server, int64_t client_id)
{
	connections_cut_client(&server->connections, client_id);
}

void http_server_stop(struct http_server *server, unsigned timeout_ms,
		      void (*stopped)(void *data), void *data)
{
	unsigned at;

	assert(!server->stop_timer);
	server->stopped = stopped;
	server->stopped_data = data;
	if (sd_event_add_defer(server->loop, &server->stop_later, on_stop_later, server) <
		    0 ||
	    sd_event_add_time_relative(server->loop, &server->stop_timer, CLOCK_MONOTONIC,
				       (uint64_t)timeout_ms * 1000, 1000, on_stop_timeout,
				       server) < 0) {
		log_error("http: cannot wait for the last answers");
		abort();
	}
	sd_event_source_set_enabled(server->stop_later, SD_EVENT_OFF);
	for (at = 0; at < server->listener_count; at++)
		listener_quiesce(&server->listeners[at]);
	connections_stop(&server->connections);
	if (!server->connections.count)
		on_emptied(server);
}

void http_server_free(struct http_server *server)
{
	unsigned at;

	if (!server)
		return;
	server->stop_timer = sd_event_source_disable_unref(server->stop_timer);
	server->stop_later = sd_event_source_disable_unref(server->stop_later);
	connections_abandon(&server->connections);
	for (at = 0; at < server->listener_count; at++)
		listener_close(&server->listeners[at]);
	connections_deinit(&server->connections);
	sd_event_unref(server->loop);
	free(server);
}
