/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connection: one TCP connection and the request that is on it.
 *
 * libmicrohttpd calls in here; from here the gates and the exchange are called. Only a
 * listener and the server use this.
 */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include <microhttpd.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/config.h"
#include "http/auth.h"
#include "http/deadline.h"
#include "http/drain.h"
#include "http/pump.h"
#include "http/server.h"
#include "http/stream_carrier.h"

/* all of a server, with what they share */
struct connections {
	sd_event *loop;
	const struct config *config;
	const struct http_route *routes;
	const struct auth *auth;
	struct deadlines deadlines;
	struct drains drains;
	struct streams streams;
	TAILQ_HEAD(connection_list, connection) list;
	unsigned count;
	bool stopping;
	void (*emptied)(void *data); /* the last one went; never NULL */
	void *data;
};

/* `cls` of the callbacks: where a connection belongs */
struct connection_home {
	struct connections *connections;
	struct pump *pump;
};

/* `loop`, config, routes, auth, emptied and data are set before. -errno */
int connections_init(struct connections *connections);
void connections_deinit(struct connections *connections); /* asserts that none is left */
/* From now on every connection closes after its answer, and idle ones at once. */
void connections_stop(struct connections *connections);
/* Abandons every exchange that waits, so that the daemons may be stopped. */
void connections_abandon(struct connections *connections);

/* For MHD_start_daemon() */
void connection_notify(void *home, struct MHD_Connection *mhd, void **socket_context,
		       enum MHD_ConnectionNotificationCode code);
void *connection_request_line(void *home, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result connection_handle(void *home, struct MHD_Connection *mhd,
				  const char *path, const char *method,
				  const char *version, const char *data, size_t *length,
				  void **request);
void connection_completed(void *home, struct MHD_Connection *mhd, void **request,
			  enum MHD_RequestTerminationCode code);

#endif
