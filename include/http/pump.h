/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pump: turns one libmicrohttpd daemon on the event loop.
 *
 * The daemon has no thread: it works inside MHD_run(), which is called when its epoll
 * descriptor is readable and after every pump_kick().
 */
#ifndef HTTP_PUMP_H
#define HTTP_PUMP_H

#include <microhttpd.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

struct pump {
	struct MHD_Daemon *daemon;
	sd_event_source *readable;
	sd_event_source *again_later;
	sd_event_source *retry; /* the same, after a moment */
	int64_t begun_ms;	/* the present run, or the last */
	bool running;
	bool starved; /* told by pump_starve() in this run */
	bool again;
	unsigned still; /* runs in a row that moved nothing */
	bool moved;	/* set by every callback of the daemon: it does something */
};

/* The daemon does nothing until pump_start(). -errno */
int pump_init(struct pump *pump, sd_event *loop, struct MHD_Daemon *daemon);
int pump_start(struct pump *pump); /* -errno */
/*
 * The daemon lacks what only others can free, and would try again for ever: it rests a
 * moment after this run.
 */
void pump_starve(struct pump *pump);
/* The daemon has read what it did not look at yet. Resumed connections do not count. */
bool pump_is_busy(const struct pump *pump);
void pump_deinit(struct pump *pump);
/*
 * Something changed that the daemon does not notice by itself: a connection was resumed or
 * closed. It runs once more, in this turn of the loop or at once in the next; never inside
 * this call.
 */
void pump_kick(struct pump *pump);

#endif
