/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream: server-sent events as the answer to an exchange, see exchange_stream().
 *
 * Events wait in a queue until the peer reads them. The queue is bounded in number and bytes: a
 * peer that does not read is disconnected and costs nobody else anything
 * (tests/integration/test_streams.py). A comment goes out at once, because some clients wait for a
 * first byte, and then every STREAM_KEEP_ALIVE_MS, because proxies close silent connections.
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
	/* Replaces an older event with the same key that still waits; NULL: none. */
	const char *key;
	const char *data; /* one line, such as JSON */
	size_t length;
};

/*
 * False: the stream has ended, or the peer does not keep up, or there is no memory. In the last two
 * cases the peer is disconnected and the exchange's `abandoned` follows.
 */
bool stream_push(struct stream *stream, const struct stream_event *event);

/*
 * Sends an ID for Last-Event-ID without an event, and the time after which to reconnect when the
 * stream breaks. Not for clients that take the empty data for a message. Returns as stream_push().
 */
bool stream_prime(struct stream *stream, const char *id, unsigned retry_ms);

/* Ends once everything has been read; `last` (NULL: none) is not bounded by the queue. */
void stream_end(struct stream *stream, const struct stream_event *last);

#endif
