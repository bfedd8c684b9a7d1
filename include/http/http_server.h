/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP server: listen addresses, connections and routes, on the event loop.
 *
 * Gates come before the handlers (http/gate.h): a request that is not allowed is refused before its
 * body is read. Every connection has a deadline that slowly arriving bytes do not move.
 */
#ifndef HTTP_HTTP_SERVER_H
#define HTTP_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/address.h"
#include "base/explanation.h"
#include "http/auth.h"
#include "http/http_route.h"

struct config;

enum { HTTP_SERVER_STATUS_MAX = 599 };

struct http_server;

/*
 * Binds config->listen, or takes the sockets that systemd passed instead, and listens on loopback
 * addresses: peers that connect wait until http_server_serve(). Other addresses stay closed until
 * http_server_review(). `routes` ends with a NULL path; config, routes and auth outlive the server.
 * -errno with the error's text ("127.0.0.1:9531 is in use by another program; ...").
 */
int http_server_new(sd_event *loop, const struct config *config,
		    const struct http_route *routes, const struct auth *auth,
		    struct http_server **server_out, struct explanation *error);
void http_server_free(
	struct http_server *server); /* abandons what is left; NULL is fine */

/* Begins to answer. -errno */
int http_server_serve(struct http_server *server);

/*
 * Call this whenever the set of clients or the certificate may have changed. Addresses that the
 * network can reach are open only while there is a client. They open and close, with all
 * connections on them, in a later turn of the loop, and the log says so. An address that is open
 * without TLS and needs TLS since a certificate was loaded (http/tls.h) is closed and opened again
 * (tests/integration/test_tls_pairing.py).
 */
void http_server_review(struct http_server *server, bool has_clients);
/* An address of config->listen can be reached from the network. */
bool http_server_has_network(const struct http_server *server);
/*
 * Reads certificate and key again; new connections use them. On failure the old ones stay in use,
 * and the log says why.
 */
void http_server_reload_certificate(struct http_server *server);

struct http_server_listener {
	struct address address;
	uint16_t port;
	bool network; /* reachable from other machines */
	bool tls;
};

/* Reports each address that is open now. */
void http_server_each_open(const struct http_server *server,
			   void (*report)(void *data,
					  const struct http_server_listener *listener),
			   void *data);
/* `changed` will run in a turn of its own whenever the open addresses may have changed. */
void http_server_on_change(struct http_server *server, void (*changed)(void *data),
			   void *data);

/* Addresses, in the order of config->listen or of the sockets that systemd passed. */
unsigned http_server_listeners(const struct http_server *server);
/* Its socket came from systemd. */
bool http_server_is_passed(const struct http_server *server, unsigned index);
void http_server_address(const struct http_server *server, unsigned index,
			 char text[ADDRESS_TEXT_BYTES]);
/* The real port, even if port 0 was configured. */
uint16_t http_server_port(const struct http_server *server, unsigned index);
bool http_server_listens(const struct http_server *server, unsigned index);

/* Since the start. */
struct http_server_counts {
	uint64_t connections;
	/* by status; a stream counts as an answer */
	uint64_t answers[HTTP_SERVER_STATUS_MAX + 1];
};

const struct http_server_counts *http_server_counts(const struct http_server *server);
unsigned http_server_streams(const struct http_server *server);	    /* open now */
unsigned http_server_connections(const struct http_server *server); /* open now */

/*
 * Abandons this client's requests that wait or are arriving, ends its streams and closes those
 * connections. Answers that were given before still go out.
 */
void http_server_cut_client(struct http_server *server, int64_t client_id);

/*
 * Accepts no more connections, runs `stopping` of every waiting exchange, and calls `stopped` in a
 * later turn: when the last connection is gone, or after `timeout_ms` at the latest.
 */
void http_server_stop(struct http_server *server, unsigned timeout_ms,
		      void (*stopped)(void *data), void *data);

#endif
