/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine: libmicrohttpd on the event loop.
 *
 * The daemon has no listening socket, no TLS and no thread; it works only inside MHD_run(). Each
 * connection has a link to it, a socket pair that is made for the first request: we write requests
 * to our end that http/request_head.h has checked, and read formatted answers from it.
 */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <sys/uio.h>
#include <systemd/sd-event.h>

#include "base/address.h"
#include "http/transport.h"

enum engine_link_state {
	ENGINE_LINK_NEW,     /* there was no request yet */
	ENGINE_LINK_JOINING, /* added; libmicrohttpd takes it at once or in its next run */
	ENGINE_LINK_JOINED,
	ENGINE_LINK_PARTED, /* libmicrohttpd has closed its end, or never took it */
};

/* One connection's link to libmicrohttpd; embedded in its owner. */
struct engine_link {
	enum engine_link_state state;
	struct engine *engine;
	void *owner;
	struct MHD_Connection *mhd;  /* only in ENGINE_LINK_JOINED */
	bool suspended;		     /* MHD_suspend_connection() was called */
	struct socket_poll_end pair; /* our end */
	int daemon_fd;		     /* the other end, only in ENGINE_LINK_JOINING */
	struct transport_bytes unsent;
	TAILQ_ENTRY(engine_link) joining_link;
};

struct engine_callbacks {
	/* Of libmicrohttpd; *request is the link's owner. */
	MHD_AccessHandlerCallback handle;
	MHD_RequestCompletedCallback completed;
	/* The link of `owner` is now in ENGINE_LINK_PARTED. */
	void (*parted)(void *owner);
	/* After each run. */
	void (*ran)(void *data);
};

struct engine {
	struct MHD_Daemon *daemon; /* NULL: not started */
	struct socket_poll *poll;
	sd_event_source *soon;	/* runs in this turn of the loop */
	sd_event_source *again; /* runs in the next turn */
	int64_t run_began_ms;	/* the current run or the last; monotonic clock */
	bool running;
	bool kicked;
	const struct engine_callbacks *callbacks;
	void *data;
	TAILQ_HEAD(engine_joining_list, engine_link) joining;
};

/* `data` is for the callbacks; `poll` watches the socket pairs. -errno */
int engine_init(struct engine *engine, sd_event *loop, struct socket_poll *poll,
		unsigned connection_limit, const struct engine_callbacks *callbacks,
		void *data);
/* Ends the links that are left; none may be suspended. */
void engine_deinit(struct engine *engine);
/*
 * libmicrohttpd has something to do: a connection joined, was resumed or closed, or its socket has
 * bytes or room again. It runs soon, never inside this call.
 */
void engine_kick(struct engine *engine);
/* Runs now if it was kicked. Does nothing inside a run. */
void engine_flush(struct engine *engine);

void engine_link_init(struct engine_link *link, struct engine *engine, void *owner);
/* Adds the connection to libmicrohttpd, unless it was added before. False: it cannot. */
bool engine_link_join(struct engine_link *link, const struct address *peer);
/* Writes the first piece, then the second; keeps what does not fit. False: no memory. */
bool engine_link_write(struct engine_link *link, struct iovec pieces[static 2]);
/* Writes what was kept. False: some is still left. */
bool engine_link_flush(struct engine_link *link);
/* Bytes of an answer; 0: none for now, or the link is closed. */
size_t engine_link_read(struct engine_link *link, char *to, size_t room);
void engine_link_suspend(struct engine_link *link);
void engine_link_resume(struct engine_link *link); /* if it is suspended */
/* Closes our end; libmicrohttpd notices in its next run. May be called again. */
void engine_link_close(struct engine_link *link);
/* One of the two ends is closed. */
bool engine_link_is_broken(const struct engine_link *link);
