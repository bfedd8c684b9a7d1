/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link: connects a phone's gateway to the hub of a fleet, through a broker.
 *
 * It opens sealed requests of the hub, passes each to the gateway on this machine as the client
 * whose token it has, and seals the answer.  It keeps nothing and repeats nothing: what the
 * broker, the gateway or the connection loses is lost, and the hub asks again.  Requests run side
 * by side, up to LINK_CALLS_MAX.
 */
#pragma once

#include <systemd/sd-event.h>

#include "fleet/link_config.h"

enum {
	LINK_CALLS_MAX = 16,
	LINK_CALL_TIMEOUT_MS = 150 * 1000, /* tools wait for 120 s at most */
	LINK_RETRY_MAX_S = 120,
};

struct link;

/*
 * `path` is that of the configuration; `state_path`, which may be NULL, is where the state is
 * shown. Both outlive it. Returns NULL with the error's text if memory runs out, or the
 * configuration names no address.
 */
struct link *link_new(sd_event *loop, const struct link_config *config, const char *path,
		      const char *state_path, char error[LINK_CONFIG_ERROR_BYTES]);
/* The broker publishes the phone's absence. NULL is fine. */
void link_free(struct link *link);
