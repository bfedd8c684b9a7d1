/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections: all of a server, and what they share: libmicrohttpd, deadlines, streams.
 */
#ifndef HTTP_CONNECTIONS_H
#define HTTP_CONNECTIONS_H

#include <stdbool.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "config/config.h"
#include "base/memory_budget.h"
#include "http/auth.h"
#include "http/deadline.h"
#include "http/engine.h"
#include "http/lockout.h"
#include "http/network_interface.h"
#include "http/server.h"
#include "http/share.h"
#include "http/socket_poll.h"
#include "http/stream_carrier.h"

struct listener;

enum { CONNECTIONS_MEMORY_BYTES = 8 * 1024 * 1024 };

struct connections {
	sd_event *loop;
	const struct config *config;
	const struct http_route *routes;
	const struct auth *auth;
	struct memory_budget *budget; /* of requests, answers and streams, all together */
	struct deadlines deadlines;
	struct engine engine;
	struct socket_poll poll;
	struct streams streams;
	struct lockout lockout;
	struct network_interfaces interfaces;
	struct http_counts counts;
	TAILQ_HEAD(joining_list, connection) joining; /* libmicrohttpd is to take them */
	unsigned refused; /* connections that are there only to read why: admission.h */
	unsigned lingering;
	unsigned delayed; /* connections whose refusal is held back now */
	TAILQ_HEAD(connection_list, connection) list;
	struct share_list shares;
	TAILQ_HEAD(settle_list, connection) settle; /* to be looked at once more */
	sd_event_source *settle_turn;
	bool settling;
	TAILQ_HEAD(later_list, connection) later; /* whose requests wait for their turn */
	sd_event_source *later_turn;
	unsigned count;
	unsigned served; /* of these; the others are on their way out */
	unsigned crowd;	 /* the most there were since memory was given back */
	bool stopping;
	void (*emptied)(void *data); /* the last one went; never NULL */
	void *data;
};

/* `loop`, config, routes, auth, emptied and data are set before. -errno */
int connections_init(struct connections *connections);
int connections_later_init(struct connections *all); /* for connections_init() */
void connections_deinit(struct connections *connections);
/* An answer with this status goes out. */
void connections_count_answer(struct connections *connections, unsigned status);
/* For connection.c: one more; it is on its way out, once more is fine; one less. */
void connections_join(struct connections *connections, struct connection *connection);
void connections_retire(struct connections *connections, struct connection *connection);
void connections_leave(struct connections *connections, struct connection *connection);
/* A right token came with it. */
void connections_prove(struct connection *connection, int64_t client_id);
/* It is looked at once more soon, not within this call; what is closed by then is freed. */
void connections_settle_later(struct connections *connections,
			      struct connection *connection);
/* Does now all that is to be done. */
void connections_flush(struct connections *connections);
void connection_free(struct connection *connection); /* in connection.c, for this */
/* From now on every connection closes after its answer, and idle ones at once. */
void connections_stop(struct connections *connections);
/* Ends what this client has under way; see http_server_cut_client(). */
void connections_cut_client(struct connections *connections, int64_t client_id);
/* Closes all that came to `listener`, NULL: to any; what waits is abandoned. */
void connections_close(struct connections *connections, const struct listener *listener);

#endif
