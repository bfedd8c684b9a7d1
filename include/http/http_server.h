/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP server: listen addresses, connections and routes, on the event loop.
 *
 * Gates come before the handlers (http/gate.h): a request that is not allowed is refused before its
 * body is read. Every connection has a deadline that slowly arriving bytes do not move.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/address.h"
#include "base/client.h"
#include "base/explanation.h"
#include "http/exchange.h"

struct config;
struct tls;

/*
 * Auth: finds the client that an Authorization header belongs to.
 *
 * Tokens are never stored. A client is found by the SHA-256 hash of its token, so the time of a
 * comparison says nothing about the token.
 */

enum { AUTH_HASH_BYTES = CLIENT_HASH_BYTES };

struct auth {
	bool open; /* no token needed: every request is from client 0, "open" */
	/* Fills in the client with this token hash. Returns false if there is none. */
	bool (*find)(void *data, const uint8_t hash[AUTH_HASH_BYTES],
		     struct client *client_out);
	/*
	 * Fills in the client of a local user (http_server_take_local()). Returns false if it may
	 * not use the gateway. The callback is NULL if there are no local users.
	 */
	bool (*find_local)(void *data, const char *name, struct client *client_out);
	void *data;
	/* Called for each 401 with the peer's IP address; may be NULL. */
	void (*failed)(void *data, const char *source);
	void *failed_data;
};

/* Returns whether the header's value (NULL if absent) holds a token, right or wrong. */
bool auth_has_token(const char *authorization);
/* Returns false if there is no token, or no client has it. */
bool auth_check(const struct auth *auth, const char *authorization,
		struct client *client_out);

/*
 * HTTP route: one path of the server, who may use it, and its handler.
 */

/* bits */
enum http_server_method {
	HTTP_GET = 1 << 0, /* and HEAD */
	HTTP_POST = 1 << 1,
	HTTP_DELETE = 1 << 2,
};

struct http_server_route {
	const char *path;  /* "/mcp"; "/mcp/" is the same */
	unsigned methods;  /* others get 405; the server answers OPTIONS itself */
	bool json_body;	   /* POST without application/json gets 415 */
	bool public;	   /* needs no token */
	bool reads_cookie; /* else it is wiped when the request has passed the gates */
	unsigned scopes;   /* enum client_scope; a client without one of these gets 403 */
	unsigned useless_scopes; /* a client with no others gets 403 */
	/* Returns whether programs on this machine need no token; NULL if they need one. */
	bool (*trusts_loopback)(const struct config *config);
	const struct exchange_handler *handler;
	void *data;
	/* Writes the body of a refusal in the route's own format; if it is NULL, the body is
	 * {"error": text}. */
	void (*refusal)(struct buffer *body, unsigned status, const char *text);
};

enum { HTTP_SERVER_STATUS_MAX = 599 };

struct http_server;

/*
 * Binds config->listen, or takes the sockets that systemd passed instead, and listens on loopback
 * addresses: peers that connect wait until http_server_serve(). Other addresses stay closed until
 * http_server_review(). `routes` ends with a NULL path; config, routes and auth outlive the server.
 * Returns 0, or -errno with the error's text ("127.0.0.1:9531 is in use by another program; ...").
 */
int http_server_new(sd_event *loop, const struct config *config,
		    const struct http_server_route *routes, const struct auth *auth,
		    struct http_server **server_out, struct explanation *error);
void http_server_free(
	struct http_server *server); /* abandons what is left; NULL is fine */

/*
 * Serves a connection that another server has accepted, of a user of this machine whom the kernel
 * named: requests on it without a token are from the client that auth.find_local() finds for
 * `name`. Takes ownership of `fd`.
 */
void http_server_take_local(struct http_server *server, int fd, const char *name);

/* Begins to answer. -errno */
int http_server_serve(struct http_server *server);

/*
 * Call this whenever the set of clients or the certificate may have changed. Addresses that the
 * network can reach are open only while `has_clients`: one is paired, or may ask to be. They open and close, with all
 * connections on them, in a later turn of the loop, and the log says so. An address that is open
 * without TLS and needs TLS since a certificate was loaded (http/tls.h) is closed and opened again
 * (tests/integration/test_tls_pairing.py).
 */
void http_server_review(struct http_server *server, bool has_clients);
/* Returns whether an address of config->listen can be reached from the network. */
bool http_server_has_network(const struct http_server *server);
/*
 * Reads certificate and key again; new connections use them. On failure the old ones stay in use,
 * and the log says why.
 */
void http_server_reload_certificate(struct http_server *server);

/* Returns the certificate in use; after loading another, call http_server_review(). */
struct tls *http_server_tls(struct http_server *server);

/* An address, in the order of config->listen or of the sockets that systemd passed. */
struct http_server_listener {
	struct address address;
	uint16_t port; /* the real one, even if port 0 was configured */
	bool network;  /* reachable from other machines */
	bool tls;
	bool open;
	bool passed; /* its socket came from systemd */
};

/* Returns false if there are fewer. */
bool http_server_listener(const struct http_server *server, unsigned index,
			  struct http_server_listener *listener_out);
/* `changed` will run in a turn of its own whenever the open addresses may have changed. */
void http_server_on_change(struct http_server *server, void (*changed)(void *data),
			   void *data);

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
