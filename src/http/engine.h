/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine: the one libmicrohttpd daemon, on the event loop.
 *
 * It has no listening socket and no TLS. Each connection gives it one end of a socket pair and
 * writes requests there that http/request_head.h has checked. The daemon has no thread: it works
 * inside MHD_run(), which is called after every engine_kick().
 */
#ifndef HTTP_ENGINE_H
#define HTTP_ENGINE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

struct engine {
	struct MHD_Daemon *daemon; /* NULL: not started */
	sd_event_source *soon;	   /* run in this turn of the loop */
	sd_event_source *again;	   /* run in the next */
	int64_t begun_ms;	   /* the present run, or the last */
	bool running;
	bool kicked;
	void (*ran)(void *data);
	void *data;
};

/* `ran` is called after each run. At most `limit` connections. -errno */
int engine_init(struct engine *engine, sd_event *loop, unsigned limit,
		void (*ran)(void *data), void *data);
/* Ends what is left; none of it may be suspended. */
void engine_deinit(struct engine *engine);
/*
 * There is something to do for the daemon: a connection came, was resumed or closed, or its socket
 * has bytes or room again. It runs once more, never inside this call.
 */
void engine_kick(struct engine *engine);
/* Does now what engine_kick() asked for; nothing inside a run. */
void engine_flush(struct engine *engine);

#endif
