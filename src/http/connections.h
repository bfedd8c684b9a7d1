/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections: all connections of the server and what they share.
 */
#ifndef HTTP_CONNECTIONS_H
#define HTTP_CONNECTIONS_H

#include <stdbool.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/memory_budget.h"
#include "http/admission.h"
#include "http/auth.h"
#include "http/deadline.h"
#include "http/engine.h"
#include "http/http_server.h"
#include "http/lockout.h"
#include "http/network_interface.h"
#include "http/socket_poll.h"
#include "http/streams.h"

struct config;
struct listener;

enum {
	CONNECTIONS_MEMORY_BYTES = 8 * 1024 * 1024,
	CONNECTIONS_TURN_MS = 50, /* then complete requests wait for the next turn */
};

struct connections {
	sd_event *loop;
	const struct config *config;
	const struct http_route *routes;
	const struct auth *auth;
	struct memory_budget *budget; /* of all requests, answers and streams together */
	struct deadlines deadlines;
	struct engine engine;
	struct socket_poll poll;
	struct streams streams;
	struct lockout lockout;
	struct network_interfaces interfaces;
	struct http_server_counts counts;
	TAILQ_HEAD(connections_list, connection) list;
	struct admission_usage_list usages;
	unsigned count;
	unsigned served_count;	  /* of these; the others are closing */
	unsigned refused_count;	  /* see admission.h */
	unsigned lingering_count; /* in CONNECTION_LINGERING */
	unsigned delayed_count;	  /* in CONNECTION_DELAYED */
	unsigned peak_count;	  /* since memory was last returned to the system */
	/* connections to progress or to free after the current callback */
	TAILQ_HEAD(connections_settle_list, connection) settle;
	sd_event_source *settle_turn;
	bool settling;
	/* complete requests that wait for a later turn of the loop */
	TAILQ_HEAD(connections_postponed_list, connection) postponed;
	sd_event_source *postponed_turn;
	bool stopping;
	void (*emptied)(void *data); /* the last connection is gone; never NULL */
	void *data;
};

/* The caller sets loop, config, routes, auth, emptied and data before. -errno */
int connections_init(struct connections *all);
void connections_deinit(struct connections *all);
/* Takes ownership of a socket that was just accepted. */
void connections_accept(struct connections *all, int fd, const struct address *peer,
			const struct listener *listener);
/* Settles connections and runs libmicrohttpd now, where that is due. */
void connections_flush(struct connections *all);
/* Closes idle connections now and every other one after its answer. */
void connections_stop(struct connections *all);
/* Ends what this client has under way, see http_server_cut_client(). */
void connections_cut_client(struct connections *all, int64_t client_id);
/* Closes all connections of `listener`, NULL: of any; handlers hear `abandoned`. */
void connections_close(struct connections *all, const struct listener *listener);

#endif
