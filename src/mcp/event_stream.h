/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event stream: events/stream, a request whose answer is a stream of events.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/observer.h"

enum {
	EVENT_STREAMS_MAX = 32,
	EVENT_STREAMS_PER_CLIENT = 8, /* without tokens only the other limit counts */
	EVENT_STREAM_HEARTBEAT_MS = 25 * 1000, /* at most 30 s */
};

struct event_stream;

LIST_HEAD(event_stream_list, event_stream);

/* All streams of an endpoint. They share two timers, which are off without streams. */
struct event_streams {
	struct event_stream_list list;
	unsigned count;
	struct observers *feed;	  /* see struct endpoint_options */
	struct observer observer; /* while there are streams */
	sd_event_source *heartbeat;
	sd_event_source *more; /* for streams that have not read all entries */
	uint64_t period_ms;    /* EVENT_STREAM_HEARTBEAT_MS; tests shorten it */
};

/*
 * `loop` and `feed` may be NULL: then there are no heartbeats, or no new entries. Returns 0 or
 * -errno.
 */
int event_streams_init(struct event_streams *streams, sd_event *loop,
		       struct observers *feed);
/* Ends the streams that this client, or (0) each, may no longer have. */
void event_streams_review(struct event_streams *streams, int64_t client_id);
void event_streams_deinit(struct event_streams *streams);
