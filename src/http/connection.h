/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connection: one TCP connection and the request on it.
 *
 * libmicrohttpd owns the socket and tells us about it in callbacks. connection.c owns the life of
 * a connection: state, deadline, closing. connection_request.c owns the current request: head,
 * gates, exchange, answer, stream.
 *
 * A connection is freed only inside a run of libmicrohttpd, or when that never took it. So every
 * other function here may close a connection, and its callers may still read its state.
 */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/address.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/explanation.h"
#include "base/log.h"
#include "config/config_list.h"
#include "http/exchange_carrier.h"
#include "http/http_server.h"
#include "http/network_interface.h"
#include "http/gate.h"
#include "http/tls.h"

struct connections;
struct connection;
struct config;
struct listener;

/*
 * Listener: one address on which the server accepts connections.
 *
 * Its socket is our own, bound to an address of server.listen, or one that the service manager
 * passed to us (socket activation, LISTEN_FDS). Passed sockets replace server.listen. They stay
 * open until the end, so whoever connects while the listener is closed, or while no gateway runs,
 * waits (tests/integration/test_socket_activation.py).
 *
 * Source: sd_listen_fds(3), systemd.socket(5).
 */

/* It must not move while it is open. */
struct listener {
	struct connections *connections;
	sd_event_source *accepting; /* NULL if closed: then new connections are refused */
	sd_event_source *retry;	    /* after running out of descriptors or memory */
	struct log_pace pace;
	struct address address;
	int fd; /* -1 if the address is not bound */
	uint16_t port;
	bool passed;  /* the socket came from the service manager */
	bool network; /* reachable from other machines */
	bool tls;
};

struct listener_sockets {
	unsigned count; /* 0 if none was passed, or they were taken before */
	struct listener_socket {
		int fd;
		struct address address;
	} items[CONFIG_LIST_MAX];
};

/*
 * Takes the sockets that the service manager passed, once for the process. All must be usable for
 * HTTP over TCP, or none is taken. `open_mode` is config.open, in which none may be reachable from
 * the network. Returns 0, or -errno with the error's text.
 */
int listener_take_sockets(struct listener_sockets *sockets, bool open_mode,
			  struct explanation *error);

/*
 * Takes ownership of a socket that was passed. If `passed` is NULL, binds the address `text` without
 * listening, so that a missing or taken address is reported early. Returns 0, or -errno with the
 * error's text.
 */
int listener_init(struct listener *listener, struct connections *connections,
		  const char *text, const struct listener_socket *passed,
		  struct explanation *error);
/* With the certificate that is loaded now. */
bool listener_wants_tls(const struct listener *listener);
/* Listens; peers wait until listener_serve(). Returns 0, or -errno with the error's text. */
int listener_open(struct listener *listener, struct explanation *error);
/* Accepts connections. -errno */
int listener_serve(struct listener *listener);
/* Accepts no more connections; existing ones stay. It can be opened again: passed sockets stay. */
void listener_close(struct listener *listener);

/*
 * Deadlines: time limits for many connections with one timer.
 *
 * Each kind has one period, so its deadlines expire in the order in which they were set: one list
 * per kind. The timer is moved only to an earlier time; if it fires too early it is set again. So
 * a busy server sets it a few times a minute, not for every request.
 */

enum deadline_kind {
	/* for a complete request to arrive, for its answer to be read, for the next piece of a
	 * stream to be read */
	DEADLINE_REQUEST,
	DEADLINE_IDLE, /* for the next request on an idle connection */
	DEADLINE_LINGER, /* for a peer to read the last answer, or for the rest of its input */
	DEADLINE_KINDS,
};

/* embedded in its owner */
struct deadline {
	TAILQ_ENTRY(deadline) link;
	uint64_t due_us; /* CLOCK_MONOTONIC; 0 if not set */
	enum deadline_kind kind;
	void (*expired)(struct deadline *deadline); /* it is already cleared */
};

struct deadlines {
	sd_event *loop;
	sd_event_source *timer;
	uint64_t timer_us; /* when the timer fires; UINT64_MAX for never */
	struct {
		uint64_t period_us;
		TAILQ_HEAD(deadline_list, deadline) list;
	} kinds[DEADLINE_KINDS];
};

/* -errno */
int deadlines_init(struct deadlines *deadlines, sd_event *loop,
		   const uint64_t period_ms[DEADLINE_KINDS]);
void deadlines_deinit(struct deadlines *deadlines); /* asserts that none is set */

/* Starts the period of `kind` now; replaces an earlier deadline. */
void deadline_set(struct deadlines *deadlines, struct deadline *deadline,
		  enum deadline_kind kind);
void deadline_clear(struct deadlines *deadlines, struct deadline *deadline);

/*
 * Lockout: slows down addresses that send wrong tokens.
 *
 * Each wrong token within a minute is answered later than the one before. After the fifth, wrong
 * tokens from that source get 429 for one minute, then for two, and so on. A right token is always
 * accepted and clears the count, so nobody can lock a client out by failing from its address.
 *
 * This does not stop guessing, which is hopeless anyway: a token has 256 bits. It keeps failing
 * clients cheap and visible to the owner (doc/security.md, tests/unit/test_lockout.c,
 * tests/integration/test_network.py::test_wrong_tokens_are_delayed_and_then_refused).
 *
 * A source is an IPv4 address or an IPv6 /64. Loopback is exempt, because every program on this
 * machine has that address.
 */

enum {
	LOCKOUT_SOURCES_MAX = 64, /* a new one replaces the one that failed longest ago */
	LOCKOUT_TOKENS = 5,
	LOCKOUT_WINDOW_MS = 60 * 1000,
	LOCKOUT_FIRST_MS = 60 * 1000,
	LOCKOUT_MAX_MS = 15 * 60 * 1000,
	LOCKOUT_DELAY_MS = 100, /* of the first; the fifth waits 1.6 s */
};

struct lockout_source {
	struct address_source address;
	int64_t failed_at_ms[LOCKOUT_TOKENS]; /* a ring of the latest failures */
	unsigned failure_count;		      /* written to it so far */
	int64_t last_failed_ms;		      /* 0 in an unused entry */
	int64_t until_ms;		      /* 429 until then */
	int64_t length_ms; /* of the last lockout; 0 if there is none */
};

/* all zero at first; embedded in its owner */
struct lockout {
	struct lockout_source sources[LOCKOUT_SOURCES_MAX];
	struct log_pace pace;
	bool has_failures; /* any since the start */
};

struct lockout_verdict {
	unsigned delay_ms;	      /* before the 401 */
	unsigned retry_after_seconds; /* if not 0, the answer is 429 */
};

/* `peer` sent a wrong token. Logs "auth failure from ADDRESS". */
struct lockout_verdict lockout_add_failure(struct lockout *lockout,
					   const struct address *peer);
/* Call it when `peer` sent a right token. */
void lockout_clear(struct lockout *lockout, const struct address *peer);

/*
 * How many connections one address has. Each connection holds the usage of its address; it goes
 * when the last of them is freed.
 */
struct connection_usage {
	struct address_source source;
	unsigned connections;
	unsigned served;    /* of these; the others are closing */
	unsigned untrusted; /* of the served ones; no right token yet */
	LIST_ENTRY(connection_usage) link;
};

LIST_HEAD(connection_usage_list, connection_usage);

/* Returns the usage of this address, counting one more connection; NULL if memory runs out. */
struct connection_usage *connection_usage_hold(struct connection_usage_list *list,
					       const struct address_source *source);
void connection_usage_release(struct connection_usage *usage);

/*
 * Admission: decides whether there is room for a new connection, and which other makes room.
 *
 * Connections without a right token must not keep token holders out. So a new connection is
 * admitted whenever an untrusted one can make room, under the limit for all (max_connections) and
 * the limit for its address (max_connections_per_address). The address with the most untrusted
 * connections loses its oldest one first.
 *
 * If there is none, the client with the most connections makes room, so that no client takes the
 * place of one that has fewer: first the connection that has been idle longest, then one whose
 * request is still arriving, last the oldest waiting call or stream, which is answered with what
 * is known. Without tokens nobody knows whose a connection is: then waiting calls and streams
 * stay, and the new connection gets an answer that says why
 * (tests/integration/test_crowds.py, tests/integration/test_limits.py,
 * tests/integration/test_busy_client.py).
 */

/*
 * Decides whether one more connection of this address is served; others may be closed for it.
 * Returns NULL, or why it is not.
 */
const char *admission_refusal(struct connections *all,
			      const struct connection_usage *usage);
/* Closes the untrusted connection that would make room. Returns false if there is none. */
bool admission_close_untrusted(const struct connections *all);

/*
 * Linger: keeps a socket open after its last answer, until the peer has read it and hangs up.
 *
 * Closing a socket with unread input resets the connection, and the peer loses the answer (RFC 9112
 * section 9.6). So further input is read and dropped for a while.
 */

enum {
	LINGERS_MAX = 16, /* others are closed at once */
	LINGER_BYTES_MAX = 1024 * 1024,
};

LIST_HEAD(linger_list, linger_socket);

/* Takes ownership of `fd`, to which nothing more will be written. */
void linger_start(struct connections *all, int fd);
void lingers_close(struct connections *all);

/*
 * Engine: one daemon of libmicrohttpd on the event loop, for connections with or without TLS.
 *
 * The daemon works only inside MHD_run(). It owns the sockets that connection_start() gives it,
 * parses requests, decrypts, and keeps connections alive.
 */

struct engine {
	struct MHD_Daemon *daemon; /* NULL if not started */
	bool tls;
	bool running;
	bool kicked;
	unsigned quiet_runs;  /* the latest runs without a callback, see engine_heard() */
	int64_t run_began_ms; /* the current run or the last; monotonic clock */
	sd_event_source *input; /* the descriptor of the daemon's epoll set */
	sd_event_source *soon;	/* runs in this turn of the loop */
	sd_event_source *later; /* runs in a later turn */
};

/* Takes ownership of `daemon`, which is NULL if it could not be started. Returns 0 or -errno. */
int engine_init(struct engine *engine, sd_event *loop, bool tls,
		struct MHD_Daemon *daemon);
/* Closes the connections that are left; none may be suspended. */
void engine_deinit(struct engine *engine);

/* A connection was resumed, or its socket was shut down. Runs soon, never inside this call. */
void engine_kick(struct engine *engine);
/* Call this in every callback of libmicrohttpd. */
void engine_heard(struct engine *engine);
/* Does what is possible now. Does nothing inside a run. */
void engine_run(struct engine *engine);

/* Connections: all connections of the server and what they share. */

enum {
	CONNECTIONS_MEMORY_BYTES = 8 * 1024 * 1024,
	CONNECTIONS_TURN_MS = 50, /* then complete requests wait for the next turn */
};

struct connections {
	sd_event *loop;
	const struct config *config;
	const struct http_server_route *routes;
	const struct auth *auth;
	struct tls tls;
	struct arena_budget *budget; /* of all requests, answers and streams together */
	struct deadlines deadlines;
	struct engine plain, encrypted;
	struct linger_list lingers;
	unsigned linger_count;
	struct streams streams;
	struct lockout lockout;
	struct network_interfaces interfaces;
	struct http_server_counts counts;
	/* an epoll descriptor that reports which peers hang up; -1 if there is none */
	int hang_ups;
	sd_event_source *hang_up;
	TAILQ_HEAD(connections_list, connection) list;
	struct connection_usage_list usages;
	unsigned count;
	unsigned served_count;	/* of these; the others are closing */
	unsigned delayed_count; /* in CONNECTION_DELAYED */
	unsigned peak_count;	/* since memory was last returned to the system */
	/* complete requests that wait for a later turn of the loop */
	TAILQ_HEAD(connections_postponed_list, connection) postponed;
	sd_event_source *postponed_turn;
	bool stopping;
	void (*emptied)(void *data); /* the last connection is gone; never NULL */
	void *data;
};

/* The caller sets loop, config, routes, auth, emptied and data before. Returns 0 or -errno. */
int connections_init(struct connections *all);
void connections_deinit(struct connections *all);
/*
 * Takes ownership of a socket that was just accepted. `local_name` is that of a local user, who
 * needs no token; or NULL.
 */
void connections_accept(struct connections *all, int fd, const struct address *peer,
			const struct listener *listener, const char *local_name);
/* Runs libmicrohttpd now, also for peers that have hung up. */
void connections_flush(struct connections *all);
/* Closes idle connections now and every other one after its answer. */
void connections_stop(struct connections *all);
/* Ends what this client has under way, see http_server_cut_client(). */
void connections_cut_client(struct connections *all, int64_t client_id);
/* Closes all connections of `listener`, or of any if it is NULL; handlers hear `abandoned`. */
void connections_close(struct connections *all, const struct listener *listener);

#define CONNECTION_NO_MEMORY                                                           \
	"the gateway's memory for requests is used up: try again in a moment, or ask " \
	"for less"

enum connection_state {
	CONNECTION_IDLE,      /* no request line has arrived; the first three receive */
	CONNECTION_HEAD,      /* the header lines are arriving */
	CONNECTION_BODY,      /* the body is arriving */
	CONNECTION_WAITING,   /* the exchange will answer later; suspended */
	CONNECTION_DELAYED,   /* a refusal is held back; suspended */
	CONNECTION_ANSWERING, /* libmicrohttpd has the answer */
	CONNECTION_STREAMING, /* libmicrohttpd reads the answer piece by piece */
	CONNECTION_CLOSED,    /* shut down; libmicrohttpd will let go of it */
};

struct connection {
	struct connections *connections;
	struct engine *engine;
	const struct listener *listener;
	struct MHD_Connection *mhd; /* NULL if libmicrohttpd has not taken it yet */
	int fd;			    /* libmicrohttpd's */
	struct address peer;
	enum connection_state state;
	bool served;	   /* counted as served: not closed */
	bool suspended;	   /* MHD_suspend_connection() was called */
	bool hung_up;	   /* the peer sends no more; unread bytes may be left */
	bool yields;	   /* it ends after its answer, to make room */
	bool trusted;	   /* it sent a right token, of `client_id` */
	int64_t client_id; /* 0 in open mode */
	/* while admission.c searches: the first one of this client has the count of all */
	const struct connection *first_of_client;
	unsigned client_count;
	char *local_name;		/* of a local user; or NULL */
	struct connection_usage *usage; /* of the peer's address */
	struct deadline deadline;
	TAILQ_ENTRY(connection) list_link, postponed_link;

	/* current request */
	struct request_head head; /* all zero if there is no request */
	bool postponed;		  /* it is complete and waits for its turn */
	/* for the CORS headers of the answer; NULL if there is none */
	const char *allowed_origin;
	const struct http_server_route *route;
	struct exchange *exchange;
	size_t received_bytes;	       /* of the body */
	struct MHD_Response *response; /* ready, not yet queued */
	unsigned status;
	unsigned delay_ms;	/* hold the response back for so long */
	sd_event_source *delay; /* only in CONNECTION_DELAYED */
	size_t charged_bytes;	/* taken from the memory budget for the answer */
	struct stream *stream;	/* the answer; NULL if there is no stream */
	struct {
		const char *name, *value;
	} headers[EXCHANGE_HEADERS_MAX]; /* of the answer, from the handler */
};

/* connection.c */

/*
 * Gives a new connection to libmicrohttpd, with ownership of `fd`, `usage` and `local_name` (may be
 * NULL). Returns false if memory runs out, and all three stay the caller's.
 */
bool connection_start(struct connections *all, int fd, const struct address *peer,
		      const struct listener *listener, struct connection_usage *usage,
		      char *local_name);
/* libmicrohttpd takes a connection: returns the latest one with its descriptor. */
struct connection *connection_take(struct connections *all, struct MHD_Connection *mhd);
/* libmicrohttpd closes the socket next; the request has ended. */
void connection_free(struct connection *connection);
/* Shuts the socket down and drops what is under way; may be called again. */
void connection_close(struct connection *connection);
/* The peer is gone: closes and tells the handler. */
void connection_abandon(struct connection *connection);
/* For connections.c: the peer sends no more. What it sent before is still answered. */
void connection_hang_up(struct connection *connection);
/*
 * Gives its place to another connection: what waits is answered with what is known, and the
 * connection ends after that.
 */
void connection_yield(struct connection *connection);
/* The answer takes as long as the handler likes: it waits, or streams. */
bool connection_is_open_ended(const struct connection *connection);
void connection_suspend(struct connection *connection);
void connection_resume(struct connection *connection); /* if it is suspended */
/* Call it when a right token came; the next function, when that token is no longer valid. */
void connection_trust(struct connection *connection, int64_t client_id);
void connection_distrust(struct connection *connection);

/* connection_request.c */

/*
 * Callbacks of libmicrohttpd; `all` is struct connections. connection_request_begin() returns the
 * *request of those that follow.
 */
void connection_request_notified(void *all, struct MHD_Connection *mhd,
				 void **socket_context,
				 enum MHD_ConnectionNotificationCode code);
void *connection_request_begin(void *all, const char *target, struct MHD_Connection *mhd);
enum MHD_Result connection_request_handle(void *all, struct MHD_Connection *mhd,
					  const char *path, const char *method,
					  const char *version, const char *data,
					  size_t *length, void **request);
void connection_request_completed(void *all, struct MHD_Connection *mhd, void **request,
				  enum MHD_RequestTerminationCode code);
/* Arms the timer after which connections.c completes the postponed requests. */
void connection_request_schedule_postponed(struct connections *all);
void connection_request_unpostpone(struct connection *connection);
/* Queues the response that is held back, now. */
void connection_request_end_delay(struct connection *connection);

/*
 * Response: builds answers and refusals for libmicrohttpd.
 *
 * Running out of memory is sticky, as in a buffer: check `message` at the end.
 */

enum { RESPONSE_REFUSAL_BYTES_MAX = 1024 };

struct response {
	struct MHD_Response *message; /* the caller's; NULL if memory runs out */
};

/* Takes `body`, which is empty if NULL; `content_type` is NULL if there is none. */
struct response response_make(const char *content_type, struct buffer *body);
/* Returns a stream of events; `reader` says when it ends. HTTP/1.0 has no chunks. */
struct response response_make_stream(MHD_ContentReaderCallback reader, void *data,
				     bool in_chunks);
/* Makes the answer to what the gates refused, or to a preflight (204). */
struct response response_make_refusal(const struct gate_verdict *verdict);
void response_header(struct response *response, const char *name, const char *value);
/* Lets pages of this Origin read the answer. */
void response_allow_origin(struct response *response, const char *origin);
/* `text` is one of our own sentences, so nothing in it needs escaping. */
void response_write_refusal_body(struct buffer *body,
				 const struct http_server_route *route, unsigned status,
				 const char *text);
/*
 * A complete answer of status 503 as bytes, for a connection that libmicrohttpd never gets. Returns
 * the length; 0 if memory runs out.
 */
size_t response_write_no_room(char message[RESPONSE_REFUSAL_BYTES_MAX], const char *text);
