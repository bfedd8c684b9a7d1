/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network watch: tells when interfaces or their addresses have changed.
 *
 * The kernel says so over netlink; nothing is polled. A change is told when nothing more
 * came for NETWORK_WATCH_QUIET_MS, for one cable that is pulled makes many messages.
 */
#ifndef HTTP_NETWORK_WATCH_H
#define HTTP_NETWORK_WATCH_H

#include <systemd/sd-event.h>

enum { NETWORK_WATCH_QUIET_MS = 200 };

/* all zero: it does not watch; embedded in its owner */
struct network_watch {
	sd_event_source *io;
	sd_event_source *timer;
	void (*changed)(void *data);
	void *data;
};

/* -errno; then it does not watch. */
int network_watch_init(struct network_watch *watch, sd_event *loop,
		       void (*changed)(void *data), void *data);
void network_watch_deinit(struct network_watch *watch); /* fine when it does not watch */

#endif
