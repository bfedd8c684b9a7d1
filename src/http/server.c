/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stopping: the listening sockets close, idle connections go, exchanges that wait are told.
 * What is being received or answered has until the timeout; then the owner hears `stopped`
 * whatever is left, and http_server_free() cuts it off.
 */
#include "http/server.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "http/connections.h"
#include "http/listener.h"
#include "http/tls.h"

struct http_server {
	sd_event *loop;
	struct connections connections;
	struct listener listeners[CONFIG_LIST_MAX];
	unsigned listener_count;
	bool has_clients;
	bool serving;
	sd_event_source *review;
	sd_event_source *stop_timer; /* NULL: not stopping */
	sd_event_source *stop_later;
	void (*stopped)(void *data);
	void *stopped_data;
	void (*changed)(void *data); /* NULL: nobody listens */
	void *changed_data;
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

static int listeners_adopt(struct http_server *server,
			   const struct handed_sockets *sockets,
			   struct explanation *error)
{
	int result = 0;

	for (unsigned at = 0; at < sockets->count && !result; at++) {
		struct listener *listener = &server->listeners[at];

		listener_adopt(listener, &server->connections, &sockets->items[at]);
		server->listener_count++;
		if (!listener->network)
			result = listener_open(listener, error);
	}
	return result;
}

static int listeners_open(struct http_server *server, const struct config_list *listen,
			  struct explanation *error)
{
	struct listener *listener;
	size_t at;
	int result = 0;

	for (at = 0; at < listen->count && !result; at++) {
		listener = &server->listeners[at];
		result = listener_init(listener, &server->connections, listen->items[at],
				       error);
		if (result)
			break;
		server->listener_count++;
		if (!listener->network)
			result = listener_open(listener, error);
	}
	return result;
}

static int certificate_load(struct http_server *server, struct explanation *error)
{
	int result = tls_load(server->connections.config, error);

	return result == TLS_E_NONE ? 0 : result;
}

/* A certificate that was made together with the first client is there by now. */
static void reopen(struct http_server *server, struct listener *listener)
{
	struct explanation problem = { "" };
	char text[ADDRESS_TEXT_BYTES];
	int result = tls_is_loaded() ? 0 : certificate_load(server, &problem);

	if (!result)
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
				       : "without TLS: who hears the network reads "
					 "tokens and messages");
}

static void close_again(struct http_server *server, struct listener *listener,
			const char *why)
{
	char text[ADDRESS_TEXT_BYTES];

	address_format(&listener->address, text);
	log_info("http: %s is closed, %s", text, why);
	listener_close(listener); /* first: who is cut off finds nobody there */
	connections_close(&server->connections, listener);
}

static void review(struct http_server *server, struct listener *listener)
{
	bool due = !listener->network || server->has_clients;

	if (listener_is_open(listener) && !due)
		close_again(server, listener, "for nobody has a token any more");
	else if (listener_is_open(listener) &&
		 listener->tls != listener_wants_tls(listener))
		close_again(server, listener, "to be opened again with TLS");
	if (due && !listener_is_open(listener))
		reopen(server, listener);
}

static int on_review(sd_event_source *source, void *data)
{
	struct http_server *server = data;

	(void)source;
	for (unsigned at = 0; at < server->listener_count && !server->stop_timer; at++)
		review(server, &server->listeners[at]);
	if (server->changed && !server->stop_timer)
		server->changed(server->changed_data);
	return 0;
}

void http_server_review(struct http_server *server, bool has_clients)
{
	server->has_clients = has_clients;
	if (sd_event_source_set_enabled(server->review, SD_EVENT_ONESHOT) < 0)
		log_error("http: cannot look at the addresses again");
}

bool http_server_has_network(const struct http_server *server)
{
	for (unsigned at = 0; at < server->listener_count; at++)
		if (server->listeners[at].network)
			return true;
	return false;
}

void http_server_reload_certificate(struct http_server *server)
{
	struct explanation problem = { "" };
	bool had = tls_is_loaded();
	int result = tls_load(server->connections.config, &problem);

	if (result < 0)
		log_error("http: the certificate stays as it was: %s", problem.text);
	else if (result == TLS_E_NONE && had)
		log_warning("http: the certificate is gone; the one that was read stays "
			    "in use");
	else if (!result)
		log_info("http: read the certificate%s", had ? " again" : "");
	/* What failed may work now, and what spoke no TLS may have to. */
	http_server_review(server, server->has_clients);
}

static int server_init(struct http_server *server, struct explanation *error)
{
	const struct config *config = server->connections.config;
	struct handed_sockets sockets;
	int result = connections_init(&server->connections);

	if (!result)
		result = sd_event_add_defer(server->loop, &server->review, on_review,
					    server);
	if (result >= 0)
		result = sd_event_source_set_enabled(server->review, SD_EVENT_OFF);
	if (result < 0)
		return explanation_set(error, result, "http: error %d", -result);

	result = certificate_load(server, error);
	if (!result)
		result = handed_sockets_take(&sockets, config->open, error);
	if (result)
		return result;
	return sockets.count ? listeners_adopt(server, &sockets, error)
			     : listeners_open(server, &config->listen, error);
}

int http_server_new(sd_event *loop, const struct config *config,
		    const struct http_route *routes, const struct auth *auth,
		    struct http_server **server_out, struct explanation *error)
{
	struct http_server *server = calloc(1, sizeof(*server));
	int result;

	if (!server)
		return explanation_set(error, -ENOMEM, "out of memory");

	server->loop = sd_event_ref(loop);
	server->connections = (struct connections){
		.loop = loop,
		.config = config,
		.routes = routes,
		.auth = auth,
		.emptied = on_emptied,
		.data = server,
	};
	result = server_init(server, error);
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

	server->serving = true;
	for (unsigned at = 0; at < server->listener_count && !error; at++)
		if (listener_is_open(&server->listeners[at]))
			error = listener_serve(&server->listeners[at]);
	return error;
}

void http_server_each_open(const struct http_server *server,
			   void (*tell)(void *data, const struct listener *listener),
			   void *data)
{
	for (unsigned at = 0; at < server->listener_count; at++)
		if (listener_is_open(&server->listeners[at]))
			tell(data, &server->listeners[at]);
}

void http_server_on_change(struct http_server *server, void (*changed)(void *data),
			   void *data)
{
	server->changed = changed;
	server->changed_data = data;
}

unsigned http_server_listeners(const struct http_server *server)
{
	return server->listener_count;
}

bool http_server_is_handed(const struct http_server *server, unsigned index)
{
	assert(index < server->listener_count);
	return server->listeners[index].handed;
}

void http_server_address(const struct http_server *server, unsigned index,
			 char text[ADDRESS_TEXT_BYTES])
{
	assert(index < server->listener_count);
	address_format(&server->listeners[index].address, text);
}

uint16_t http_server_port(const struct http_server *server, unsigned index)
{
	assert(index < server->listener_count);
	return server->listeners[index].port;
}

bool http_server_listens(const struct http_server *server, unsigned index)
{
	assert(index < server->listener_count);
	return listener_is_open(&server->listeners[index]);
}

const struct http_counts *http_server_counts(const struct http_server *server)
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
		if (listener_is_open(&server->listeners[at]))
			listener_close(&server->listeners[at]);
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
	server->review = sd_event_source_disable_unref(server->review);
	for (at = 0; at < server->listener_count; at++) {
		listener_close(&server->listeners[at]);
		listener_deinit(&server->listeners[at]);
	}
	connections_deinit(&server->connections);
	tls_unload();
	sd_event_unref(server->loop);
	free(server);
}
