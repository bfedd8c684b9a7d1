/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream: server-sent events as the answer to one exchange, see exchange_stream().
 *
 * Events wait in a queue until the peer takes them. The queue is bounded in number and
 * bytes: whoever does not read is cut off, and costs nobody else anything
 * (tests/integration/test_streams.py). A comment goes out at once, for some clients wait
 * for a first byte, and one every STREAM_KEEP_ALIVE_MS, for proxies give up on silence.
 *
 * Source: HTML, "Server-sent events"; MCP, basic/transports.
 */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

enum {
	STREAM_EVENTS_MAX = 256,
	STREAM_BYTES_MAX = 64 * 1024,
	STREAM_KEEP_ALIVE_MS = 15 * 1000,
};

struct stream;

struct stream_event {
	const char *id; /* for Last-Event-ID; NULL: none */
	/* An older one with the same key that still waits gives way to it; NULL: none. */
	const char *key;
	const char *data; /* without CR and LF, as JSON is written */
	size_t length;
};

/*
 * False: the peer does not keep up, or memory is out, and it is cut off; the exchange's
 * `abandoned` follows. Nothing more is taken after that, nor after stream_end().
 */
bool stream_push(struct stream *stream, const struct stream_event *event);

/*
 * An id for Last-Event-ID without an event, and after how long to come again when the
 * stream breaks. Not for clients that take the empty data for a message.
 */
bool stream_prime(struct stream *stream, const char *id, unsigned retry_ms);

/* Ends when what waits has been taken; `last` (NULL: none) is not bounded by the queue. */
void stream_end(struct stream *stream, const struct stream_event *last);

#endif
