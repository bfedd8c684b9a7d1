/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream, the side of who brings it to the peer: a connection, or a test without sockets.
 *
 * All streams share one timer for their keep-alive comments; without a stream it is off.
 */
#ifndef HTTP_STREAM_CARRIER_H
#define HTTP_STREAM_CARRIER_H

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/memory_budget.h"
#include "http/stream.h"

struct streams {
	sd_event *loop;
	sd_event_source *keep_alive; /* enabled while there is a stream */
	uint64_t period_us;
	unsigned count;
	unsigned most;
	struct memory_budget *budget; /* what waits comes from it; NULL: no bounds */
	LIST_HEAD(stream_list, stream) list;
};

struct stream_carrier {
	/* There is something to take; told once, until stream_take() has given nothing. */
	void (*filled)(void *data);
	/* Nothing is taken quickly enough: to be closed. */
	void (*overrun)(void *data);
};

/* At most `most` at a time. -errno */
int streams_init(struct streams *streams, sd_event *loop, unsigned most);
void streams_deinit(struct streams *streams); /* asserts that none is left */
void streams_set_period(struct streams *streams, uint64_t period_ms); /* tests */

/* With its first comment waiting, and `filled` not told of it. NULL: too many, no memory. */
struct stream *stream_new(struct streams *streams, const struct stream_carrier *carrier,
			  void *data);
void stream_free(struct stream *stream); /* NULL is fine */

/* Moves up to `room` bytes; 0: nothing waits. */
size_t stream_take(struct stream *stream, char *to, size_t room);
/* It was ended; nothing will be pushed any more. */
bool stream_is_ended(const struct stream *stream);

#endif
