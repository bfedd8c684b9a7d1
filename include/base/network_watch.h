/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network watch: reports over rtnetlink that interfaces or addresses have changed.
 *
 * The kernel sends many messages for one unplugged cable, so `changed` runs after
 * NETWORK_WATCH_QUIET_MS without another. Source: rtnetlink(7).
 */
#pragma once

#include <systemd/sd-event.h>

enum { NETWORK_WATCH_QUIET_MS = 200 };

/* All zero if it is off; embedded in its owner. */
struct network_watch {
	sd_event_source *io;
	sd_event_source *timer;
	void (*changed)(void *data);
	void *data;
};

/* Returns 0, or -errno: then it stays off. */
int network_watch_init(struct network_watch *watch, sd_event *loop,
		       void (*changed)(void *data), void *data);
void network_watch_deinit(struct network_watch *watch);
