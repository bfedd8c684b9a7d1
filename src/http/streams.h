/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams: all streams of the server, and the side of a stream that delivers its bytes, a
 * connection or a test without sockets.
 *
 * All streams share one timer for their keep-alive comments. It is off while there is no stream.
 */
#ifndef HTTP_STREAMS_H
#define HTTP_STREAMS_H

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
	unsigned max_count;
	struct memory_budget *budget; /* for waiting events; NULL: unlimited */
	LIST_HEAD(streams_list, stream) list;
};

struct streams_carrier {
	/* There is something to read; called once until stream_read() has returned 0. */
	void (*filled)(void *data);
	/* The peer reads too slowly: disconnect it. */
	void (*overrun)(void *data);
};

/* -errno */
int streams_init(struct streams *streams, sd_event *loop, unsigned max_count);
void streams_deinit(struct streams *streams); /* asserts that none is left */
void streams_set_period(struct streams *streams, uint64_t period_ms); /* for tests */

/* The first comment waits already, without a call of `filled`. NULL: too many, or no memory. */
struct stream *stream_new(struct streams *streams, const struct streams_carrier *carrier,
			  void *data);
void stream_free(struct stream *stream); /* NULL is fine */

/* Moves up to `room` bytes; 0: nothing waits. */
size_t stream_read(struct stream *stream, char *to, size_t room);
/* stream_end() was called. */
bool stream_is_ended(const struct stream *stream);

#endif
