/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connection: one TCP connection and the request that is on it.
 *
 * libmicrohttpd calls in here; from here the gates and the exchange are called. Only a
 * listener uses this.
 */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include <microhttpd.h>

#include "http/connections.h"
#include "http/pump.h"

/* `cls` of the callbacks: where a connection belongs */
struct connection_home {
	struct connections *connections;
	struct pump *pump;
};

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
