/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connection: one TCP connection and the request that is on it.
 *
 * It reads and checks what the peer sends, hands each request to libmicrohttpd through a socket
 * pair, and passes on what libmicrohttpd answers. The gates and the exchange are called from here.
 */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include <microhttpd.h>

#include "base/address.h"
#include "http/connections.h"

struct listener;

/* Takes the socket of a peer that was accepted. */
void connection_accept(struct connections *all, int fd, const struct address *peer,
		       const struct listener *listener);

/* For socket_poll.h: something changed on its sockets. */
void connection_ready(void *connection);

/* For MHD_start_daemon(); `all` is struct connections. */
void connection_notify(void *all, struct MHD_Connection *mhd, void **socket_context,
		       enum MHD_ConnectionNotificationCode code);
void *connection_begin(void *all, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result connection_handle(void *all, struct MHD_Connection *mhd, const char *path,
				  const char *method, const char *version,
				  const char *data, size_t *length, void **request);
void connection_completed(void *all, struct MHD_Connection *mhd, void **request,
			  enum MHD_RequestTerminationCode code);

#endif
