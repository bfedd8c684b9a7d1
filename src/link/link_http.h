/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link HTTP: requests to the gateway on a loopback address, one connection each.
 *
 * libcurl would cost more memory than the whole link has (doc/libraries.md). Only what the
 * gateway answers is understood: HTTP/1.1, a body of a known length or in chunks, and the last
 * event of an event stream.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

enum { LINK_HTTP_ANSWER_MAX = 1024 * 1024 }; /* bytes, with head and events */

enum link_http_outcome {
	LINK_HTTP_ANSWERED,
	LINK_HTTP_AWAY,	     /* nothing was sent */
	LINK_HTTP_SILENT,    /* it was sent, and the answer is missing or cut */
	LINK_HTTP_TOO_LARGE, /* more than LINK_HTTP_ANSWER_MAX */
};

struct link_http_answer {
	enum link_http_outcome outcome;
	unsigned status;  /* 0 if there is none */
	const char *body; /* of an event stream: its last event */
	size_t length;
};

struct link_http;

/*
 * Sends a complete HTTP request, which is copied; it must ask for "Connection: close". `done` runs
 * once, later, unless the request is freed first; it frees the request. Returns NULL if memory runs
 * out.
 */
struct link_http *link_http_new(sd_event *loop, const struct sockaddr_storage *address,
				const char *request, size_t length, uint64_t timeout_ms,
				void (*done)(void *data,
					     const struct link_http_answer *answer),
				void *data);
void link_http_free(struct link_http *http);
