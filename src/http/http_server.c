/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reviewing: each listen address is open or closed depending on the clients and the certificate.
 * http_server_review() schedules a turn in which all of them are brought up to date.
 *
 * Stopping: listeners close, idle connections go, waiting exchanges run `stopping`. Requests that
 * are arriving or being answered have until the timeout. Then `stopped` runs whatever is left, and
 * http_server_free() cuts the rest off.
 */
#include "http/http_server.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "config/config.h"
#include "http/connection.h"

struct http_server {
	struct connections connections;
	struct listener listeners[CONFIG_LIST_MAX];
	unsigned listener_count;
	struct listener
		local; /* of connections that were accepted elsewhere; never open */
	bool has_clients;
	bool serving;
	sd_event_source *review;
	sd_event_source *stop_timer; /* NULL if not stopping */
	void (*stopped)(void *data);
	void *stopped_data;
	void (*changed)(void *data); /* may be NULL */
	void *changed_data;
};

/* Opening */

static int http_server_add_listeners(struct http_server *server,
				     const struct listener_sockets *sockets,
				     struct explanation *error)
{
	const struct config_list *listen = &server->connections.config->listen;
	size_t count = sockets->count ? sockets->count : listen->count;
	int result = 0;

	for (size_t at = 0; at < count && !result; at++) {
		struct listener *listener = &server->listeners[at];

		result =
			listener_init(listener, &server->connections,
				      sockets->count ? NULL : listen->items[at],
				      sockets->count ? &sockets->items[at] : NULL, error);
		if (result)
			break;
		server->listener_count++;
		if (!listener->network)
			result = listener_open(listener, error);
	}
	return result;
}

/* Reviewing */

static void http_server_reopen(struct http_server *server, struct listener *listener)
{
	struct explanation problem = { "" };
	char text[ADDRESS_TEXT_BYTES];
	int result = 0;

	/* pairing the first client may have made a certificate */
	if (!server->connections.tls.pair.length)
		result = tls_load(&server->connections.tls, server->connections.config,
				  &problem);
	if (!result || result == TLS_E_NONE)
		result = listener_open(listener, &problem);
	if (!result && server->serving) {
		result = listener_serve(listener);
		if (result)
			listener_close(listener);
	}
	address_format(&listener->address, text);
	if (result)
		log_error("http: %s stays closed until SIGHUP: %s", text,
			  *problem.text ? problem.text : strerror(-result));
	else
		log_info("http: %s is open%s now, %s", text,
			 listener->network ? " to the network" : "",
			 listener->tls ? "with TLS"
				       : "without TLS: anyone who captures the traffic "
					 "can read tokens and messages");
}

static void http_server_close_listener(struct http_server *server,
				       struct listener *listener, const char *reason)
{
	char text[ADDRESS_TEXT_BYTES];

	address_format(&listener->address, text);
	log_info("http: %s is closed, %s", text, reason);
	listener_close(listener); /* first, so that no peer can reconnect */
	connections_close(&server->connections, listener);
}

static void http_server_review_listener(struct http_server *server,
					struct listener *listener)
{
	bool wanted = !listener->network || server->has_clients;

	if (listener->accepting && !wanted)
		http_server_close_listener(server, listener,
					   "because no client has a token any more");
	else if (listener->accepting && listener->tls != listener_wants_tls(listener))
		http_server_close_listener(server, listener, "to reopen it with TLS");
	if (wanted && !listener->accepting)
		http_server_reopen(server, listener);
}

static int http_server_on_review(sd_event_source *source, void *data)
{
	struct http_server *server = data;

	for (unsigned at = 0; at < server->listener_count && !server->stop_timer; at++)
		http_server_review_listener(server, &server->listeners[at]);
	if (server->changed && !server->stop_timer)
		server->changed(server->changed_data);
	return 0;
}

void http_server_review(struct http_server *server, bool has_clients)
{
	server->has_clients = has_clients;
	if (sd_event_source_set_enabled(server->review, SD_EVENT_ONESHOT) < 0)
		log_error("http: cannot schedule a review of the listen addresses");
}

void http_server_reload_certificate(struct http_server *server)
{
	struct explanation problem = { "" };
	struct tls *tls = &server->connections.tls;
	bool had = tls->pair.length;
	int result = tls_load(tls, server->connections.config, &problem);

	if (result < 0)
		log_error("http: keeping the old certificate: %s", problem.text);
	else if (result == TLS_E_NONE && had)
		log_warning("http: the certificate file is gone; "
			    "keeping the certificate that was loaded");
	else if (!result)
		log_info("http: loaded the certificate%s", had ? " again" : "");
	/* a listener that failed may open now, and one without TLS may need it */
	http_server_review(server, server->has_clients);
}

/* Stopping */

static int http_server_on_stop(sd_event_source *source, uint64_t due_us, void *data)
{
	struct http_server *server = data;

	if (server->connections.count)
		log_info("http: cutting off %u connections", server->connections.count);
	server->stop_timer = sd_event_source_disable_unref(server->stop_timer);
	server->stopped(server->stopped_data); /* may free the server */
	return 0;
}

static void http_server_on_emptied(void *data)
{
	struct http_server *server = data;

	if (server->stop_timer)
		sd_event_source_set_time(server->stop_timer, 0);
}

void http_server_stop(struct http_server *server, unsigned timeout_ms,
		      void (*stopped)(void *data), void *data)
{
	assert(!server->stop_timer);
	server->stopped = stopped;
	server->stopped_data = data;
	if (sd_event_add_time_relative(server->connections.loop, &server->stop_timer,
				       CLOCK_MONOTONIC, (uint64_t)timeout_ms * 1000, 1000,
				       http_server_on_stop, server) < 0) {
		log_error("http: cannot schedule the stop");
		abort();
	}
	for (unsigned at = 0; at < server->listener_count; at++)
		if (server->listeners[at].accepting)
			listener_close(&server->listeners[at]);
	connections_stop(&server->connections);
	if (!server->connections.count)
		http_server_on_emptied(server);
}

/* Creating */

static int http_server_init(struct http_server *server, struct explanation *error)
{
	const struct config *config = server->connections.config;
	struct listener_sockets sockets;
	int result = connections_init(&server->connections);

	if (!result)
		result = sd_event_add_defer(server->connections.loop, &server->review,
					    http_server_on_review, server);
	if (result >= 0)
		result = sd_event_source_set_enabled(server->review, SD_EVENT_OFF);
	if (result < 0)
		return explanation_set(error, result, "http: error %d", -result);

	/* a missing certificate is no error */
	result = tls_load(&server->connections.tls, config, error);
	if (!result || result == TLS_E_NONE)
		result = listener_take_sockets(&sockets, config->open, error);
	return result ? result : http_server_add_listeners(server, &sockets, error);
}

int http_server_new(sd_event *loop, const struct config *config,
		    const struct http_server_route *routes, const struct auth *auth,
		    struct http_server **server_out, struct explanation *error)
{
	struct http_server *server = calloc(1, sizeof(*server));
	int result;

	if (!server)
		return explanation_set(error, -ENOMEM, "out of memory");

	server->connections = (struct connections){
		.loop = sd_event_ref(loop),
		.config = config,
		.routes = routes,
		.auth = auth,
		.emptied = http_server_on_emptied,
		.data = server,
	};
	server->local =
		(struct listener){ .connections = &server->connections, .fd = -1 };
	result = http_server_init(server, error);
	if (result) {
		http_server_free(server);
		return result;
	}
	*server_out = server;
	return 0;
}

void http_server_free(struct http_server *server)
{
	if (!server)
		return;
	server->stop_timer = sd_event_source_disable_unref(server->stop_timer);
	server->review = sd_event_source_disable_unref(server->review);
	for (unsigned at = 0; at < server->listener_count; at++) {
		listener_close(&server->listeners[at]);
		if (server->listeners[at].passed)
			close(server->listeners[at].fd);
	}
	connections_deinit(&server->connections);
	tls_unload(&server->connections.tls);
	sd_event_unref(server->connections.loop);
	free(server);
}

/* Their address is that of any program on this machine. */
void http_server_take_local(struct http_server *server, int fd, const char *name)
{
	struct address loopback;

	address_parse("127.0.0.1:0", &loopback);
	connections_accept(&server->connections, fd, &loopback, &server->local, name);
	connections_flush(&server->connections);
}

int http_server_serve(struct http_server *server)
{
	int error = 0;

	server->serving = true;
	for (unsigned at = 0; at < server->listener_count && !error; at++)
		if (server->listeners[at].accepting)
			error = listener_serve(&server->listeners[at]);
	return error;
}

/* State */

bool http_server_has_network(const struct http_server *server)
{
	for (unsigned at = 0; at < server->listener_count; at++)
		if (server->listeners[at].network)
			return true;
	return false;
}

bool http_server_listener(const struct http_server *server, unsigned index,
			  struct http_server_listener *listener_out)
{
	const struct listener *listener = &server->listeners[index];

	if (index >= server->listener_count)
		return false;
	*listener_out = (struct http_server_listener){
		.address = listener->address,
		.port = listener->port,
		.network = listener->network,
		.tls = listener->tls,
		.open = listener->accepting != NULL,
		.passed = listener->passed,
	};
	return true;
}

void http_server_on_change(struct http_server *server, void (*changed)(void *data),
			   void *data)
{
	server->changed = changed;
	server->changed_data = data;
}

const struct http_server_counts *http_server_counts(const struct http_server *server)
{
	return &server->connections.counts;
}

unsigned http_server_streams(const struct http_server *server)
{
	return server->connections.streams.count;
}

unsigned http_server_connections(const struct http_server *server)
{
	return server->connections.count;
}

struct tls *http_server_tls(struct http_server *server)
{
	return &server->connections.tls;
}

void http_server_cut_client(struct http_server *server, int64_t client_id)
{
	connections_cut_client(&server->connections, client_id);
}
