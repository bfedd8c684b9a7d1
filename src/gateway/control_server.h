/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control server: answers the owner's commands on the control socket, one per connection.
 *
 * Bounded: CONTROL_CONNECTIONS_MAX at a time, the others wait to be accepted; a request of
 * CONTROL_REQUEST_MAX bytes; CONTROL_PATIENCE_MS for it to arrive whole, and for the asker to
 * take more of an answer. Once others have waited CONTROL_QUEUE_MS to be accepted, a request
 * has CONTROL_HURRY_MS to arrive: so as many connections as the kernel queues delay the owner by
 * less than a second. How long a command may take is the command's own affair
 * (tests/integration/test_control.py).
 */
#ifndef GATEWAY_CONTROL_SERVER_H
#define GATEWAY_CONTROL_SERVER_H

#include <systemd/sd-event.h>

#include "gateway/control.h"

enum {
	CONTROL_CONNECTIONS_MAX = 8,
	CONTROL_PATIENCE_MS = 10 * 1000,
	CONTROL_QUEUE_MS = 600,
	CONTROL_HURRY_MS = 10,
};

struct control_server;

/* `control` outlives it. 0, or -errno with the error's text. */
int control_server_new(sd_event *loop, const struct control *control,
		       struct control_server **server_out, struct explanation *error);
/* Abandons what is not answered; NULL is fine. */
void control_server_free(struct control_server *server);

#endif
