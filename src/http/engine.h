/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine: one daemon of libmicrohttpd on the event loop, for connections with or without TLS.
 *
 * The daemon has no listening socket and no thread: it works only inside MHD_run(). It owns the
 * sockets that engine_add() gives it, parses requests, decrypts, and keeps connections alive. All
 * limits and deadlines are ours.
 */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/address.h"

/* Callbacks of libmicrohttpd; all get the `data` of engine_init() as their first argument. */
struct engine_callbacks {
	MHD_NotifyConnectionCallback notified;
	/* A request line has arrived; its result is *request of the next two. */
	void *(*requested)(void *data, const char *target, struct MHD_Connection *mhd);
	MHD_AccessHandlerCallback handle;
	MHD_RequestCompletedCallback completed;
};

struct engine {
	struct MHD_Daemon *daemon; /* NULL if not started */
	bool tls;
	bool running;
	bool kicked;
	unsigned quiet_runs;  /* the latest runs without a callback, see engine_heard() */
	int64_t run_began_ms; /* the current run or the last; monotonic clock */
	sd_event_source *input; /* the descriptor of the daemon's epoll set */
	sd_event_source *soon;	/* runs in this turn of the loop */
	sd_event_source *later; /* runs in a later turn */
};

/* With `tls` it uses the certificate of http/tls.h. Returns 0 or -errno. */
int engine_init(struct engine *engine, sd_event *loop, bool tls,
		unsigned connection_limit, const struct engine_callbacks *callbacks,
		void *data);
/* Closes the connections that are left; none may be suspended. */
void engine_deinit(struct engine *engine);

/*
 * Takes ownership of `fd`. `notified` says in this call or in the next run that the connection has
 * begun; it does not when memory is short, and then the socket is closed. -ENOMEM
 */
int engine_add(struct engine *engine, int fd, const struct address *peer);
/* A connection was resumed, or its socket was shut down. Runs soon, never inside this call. */
void engine_kick(struct engine *engine);
/* Call this in every callback of libmicrohttpd. */
void engine_heard(struct engine *engine);
/* Does what is possible now. Does nothing inside a run. */
void engine_run(struct engine *engine);
