/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server: libmicrohttpd on the event loop.
 *
 * One daemon per listen address, driven through its epoll descriptor, no thread. Gates stand
 * before the handlers (http/gate.h): a request that must not be is refused before a byte of
 * its body is read. Every connection has a deadline that dripping bytes do not move.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/address.h"
#include "config/config.h"
#include "http/auth.h"
#include "http/exchange.h"

enum { HTTP_STATUS_MAX = 599 };

/* bits */
enum http_method {
	HTTP_GET = 1 << 0, /* and HEAD */
	HTTP_POST = 1 << 1,
	HTTP_DELETE = 1 << 2,
};

struct http_route {
	const char *path; /* "/mcp"; "/mcp/" is the same */
	unsigned methods; /* others get 405 with Allow; OPTIONS is the server's own */
	bool json_body;	  /* POST must be application/json: 415 */
	bool public;	  /* no token asked */
	unsigned scopes;  /* that a client needs, enum client_scope: 403 */
	unsigned useless; /* scopes that alone are of no use here: 403 */
	/* NULL, or tells whether programs of this machine are asked for no token. */
	bool (*trusts_loopback)(const struct config *config);
	const struct exchange_handler *handler;
	void *data;
	/* Body of a refusal by a gate: plain words for people and models. */
	void (*refusal)(struct buffer *body, unsigned status, const char *text);
};

struct http_server;
struct listener;

/*
 * Binds config->listen, unless sockets were handed over (http/handed_sockets.h), and listens on
 * its loopback addresses: whoever connects waits, for http_server_serve() or for the end. Other
 * addresses wait for http_server_review(). `routes` ends with a NULL path; config, routes and
 * auth outlive the server. -errno with the error's text ("127.0.0.1:9531: the port is taken;
 * ...").
 */
int http_server_new(sd_event *loop, const struct config *config,
		    const struct http_route *routes, const struct auth *auth,
		    struct http_server **server_out, struct explanation *error);

/* From now on the routes answer. -errno */
int http_server_serve(struct http_server *server);

/*
 * Whether anybody has a token that could be asked for. Addresses that the network can reach
 * are open only while somebody has: they open, or close with every connection on them, in a
 * later turn, and the log says so. What is open without TLS, and is to speak it since a
 * certificate was read (http/tls.h), is closed likewise, and opened again with TLS
 * (tests/integration/test_tls_pairing.py). To be called whenever either may have changed.
 */
void http_server_review(struct http_server *server, bool has_clients);
/* Some of config->listen can be reached from the network. */
bool http_server_has_network(const struct http_server *server);
/*
 * Reads certificate and key again; new connections get them. When that fails the old ones
 * stay, and the log tells.
 */
void http_server_reload_certificate(struct http_server *server);

/*
 * Tells of each address that is open now, whether the network can reach it, and whether it
 * speaks TLS (http/listener.h).
 */
void http_server_each_open(const struct http_server *server,
			   void (*tell)(void *data, const struct listener *listener),
			   void *data);
/* From now on `changed` is called when that may be different; in a turn of its own. */
void http_server_on_change(struct http_server *server, void (*changed)(void *data),
			   void *data);

/* Addresses, in the order of config->listen; or of the sockets that were handed over. */
unsigned http_server_listeners(const struct http_server *server);
bool http_server_is_handed(const struct http_server *server, unsigned index);
void http_server_address(const struct http_server *server, unsigned index,
			 char text[ADDRESS_TEXT_BYTES]);
/* The port of listen address `index` (useful after port 0). */
uint16_t http_server_port(const struct http_server *server, unsigned index);
/* It is open, whatever the reason why not. */
bool http_server_listens(const struct http_server *server, unsigned index);
/* Since the start. */
struct http_counts {
	uint64_t connections;
	uint64_t answers[HTTP_STATUS_MAX + 1]; /* by status; streams are answers, too */
};

const struct http_counts *http_server_counts(const struct http_server *server);
unsigned http_server_streams(const struct http_server *server); /* open now */
/* Connections open now. */
unsigned http_server_connections(const struct http_server *server);

/*
 * Requests of this client that wait or are coming in are abandoned, its streams end, and
 * the connections close. An answer that was given before still goes out.
 */
void http_server_cut_client(struct http_server *server, int64_t client_id);

/*
 * Takes no new connection, tells every waiting exchange `stopping`, and calls `stopped` in a
 * later turn: when the last connection has gone, or after `timeout_ms` at the latest.
 */
void http_server_stop(struct http_server *server, unsigned timeout_ms,
		      void (*stopped)(void *data), void *data);
void http_server_free(
	struct http_server *server); /* abandons what is left; NULL is fine */

#endif
