/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control server: runs the owner's commands from the control socket, one per connection.
 *
 * Bounds: CONTROL_CONNECTIONS_MAX connections at a time, the others wait in the kernel's queue;
 * a request of CONTROL_REQUEST_MAX bytes; CONTROL_TIMEOUT_MS for the whole request to arrive,
 * and for the peer to read more of the answer.  When others have waited CONTROL_QUEUE_MS in the
 * queue, a request gets only CONTROL_SHORT_TIMEOUT_MS: idle connections, however many the
 * kernel queues, delay the owner by less than a second.  A command may run as long as it needs
 * (tests/integration/test_control.py).
 */
#ifndef GATEWAY_CONTROL_SERVER_H
#define GATEWAY_CONTROL_SERVER_H

#include <systemd/sd-event.h>

#include "gateway/control.h"

enum {
	CONTROL_CONNECTIONS_MAX = 8,
	CONTROL_TIMEOUT_MS = 10 * 1000,
	CONTROL_QUEUE_MS = 600,
	CONTROL_SHORT_TIMEOUT_MS = 10,
};

struct control_server;

/* `control` outlives it. 0, or -errno with the error's text. */
int control_server_new(sd_event *loop, const struct control *control,
		       struct control_server **server_out, struct explanation *error);
/* Abandons calls that are not answered. NULL is fine. */
void control_server_free(struct control_server *server);

#endif
