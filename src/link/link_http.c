/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   CONNECTING -> WRITING -> READING -> (end of the connection) -> done
 *
 * The request asks the gateway to close the connection after its answer, so the answer is read to
 * its end first and taken apart then: head, chunks, events.  An answer whose length or last chunk
 * is missing was cut.  Whatever happens before the first byte of the request is written means
 * that the gateway is away; afterwards it may have carried the request out.
 */
#include "link/link_http.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"

enum { LINK_HTTP_PIECE_BYTES = 16 * 1024 };

struct link_http {
	int fd;
	sd_event_source *io, *timer;
	struct buffer request, answer;
	size_t written;
	void (*done)(void *data, const struct link_http_answer *answer);
	void *data;
};

void link_http_free(struct link_http *http)
{
	if (!http)
		return;
	sd_event_source_disable_unref(http->io);
	sd_event_source_disable_unref(http->timer);
	if (http->fd >= 0)
		close(http->fd);
	buffer_wipe(&http->request); /* the token */
	buffer_deinit(&http->answer);
	free(http);
}

/* The answer, taken apart */

/* Returns the value of a header of the head, up to its line's end; NULL if there is none. */
static const char *link_http_header(const char *head, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
		line += 2;
		if (strncasecmp(line, name, length) == 0 && line[length] == ':')
			return line + length + 1 + strspn(line + length + 1, " \t");
	}
	return NULL;
}

/* Decodes in place. Returns -1 if it is cut, or not in chunks. `body` ends with NUL. */
static ssize_t link_http_join_chunks(char *body, size_t length)
{
	char *from = body, *to = body, *end = body + length;

	for (;;) {
		char *line_end = memmem(from, (size_t)(end - from), "\r\n", 2), *rest;
		unsigned long size;

		if (!line_end)
			return -1;
		errno = 0;
		size = strtoul(from, &rest, 16);
		if (rest == from || errno || rest > line_end)
			return -1;
		from = line_end + 2;
		if (!size)
			return to - body;
		if (size > (size_t)(end - from) || (size_t)(end - from) - size < 2)
			return -1;
		memmove(to, from, size);
		to += size;
		from += size + 2;
	}
}

/* Leaves, in place, what the lines "data:" of the last event say. */
static size_t link_http_last_event(char *body, size_t length)
{
	char *end = body + length, *to = body;
	bool in_event = false;

	for (char *line = body; line < end;) {
		char *line_end = memchr(line, '\n', (size_t)(end - line));
		char *next = line_end ? line_end + 1 : end;
		size_t size = (size_t)((line_end ? line_end : end) - line);

		if (size && line[size - 1] == '\r')
			size--;
		if (!size) {
			in_event = false;
		} else if (size > 5 && memcmp(line, "data:", 5) == 0) {
			size_t skip = line[5] == ' ' ? 6 : 5;

			if (!in_event)
				to = body;
			in_event = true;
			memmove(to, line + skip, size - skip);
			to += size - skip;
		}
		line = next;
	}
	return (size_t)(to - body);
}

/* `answer` ends with NUL, which is not counted. Returns false if it is cut, or not HTTP. */
static bool link_http_take_apart(char *text, size_t length, struct link_http_answer *out)
{
	char *head_end = strstr(text, "\r\n\r\n"), *body;
	const char *coding, *known, *type;
	ssize_t size;

	if (strncmp(text, "HTTP/1.1 ", 9) != 0 || !head_end)
		return false;
	*head_end = '\0';
	body = head_end + 4;
	size = (ssize_t)(length - (size_t)(body - text));
	coding = link_http_header(text, "transfer-encoding");
	known = link_http_header(text, "content-length");
	type = link_http_header(text, "content-type");
	if (coding && strncasecmp(coding, "chunked", 7) == 0)
		size = link_http_join_chunks(body, (size_t)size);
	else if (!known || strtoul(known, NULL, 10) != (size_t)size)
		return false;
	if (size < 0)
		return false;
	out->status = (unsigned)strtoul(text + 9, NULL, 10);
	out->body = body;
	out->length = (size_t)size;
	if (type && strncasecmp(type, "text/event-stream", 17) == 0)
		out->length = link_http_last_event(body, out->length);
	return true;
}

static void link_http_finish(struct link_http *http, enum link_http_outcome outcome)
{
	struct link_http_answer answer = { .outcome = outcome };

	buffer_append(&http->answer, "", 1);
	if (outcome == LINK_HTTP_ANSWERED &&
	    (http->answer.failed ||
	     !link_http_take_apart(http->answer.data, http->answer.length - 1, &answer)))
		answer.outcome = LINK_HTTP_SILENT;
	http->done(http->data, &answer);
}

/* The connection */

static void link_http_fail(struct link_http *http)
{
	link_http_finish(http, http->written ? LINK_HTTP_SILENT : LINK_HTTP_AWAY);
}

static void link_http_write(struct link_http *http)
{
	ssize_t written = send(http->fd, http->request.data + http->written,
			       http->request.length - http->written, MSG_NOSIGNAL);

	if (written > 0)
		http->written += (size_t)written;
	if (written < 0 && errno != EAGAIN && errno != EINTR)
		link_http_fail(http);
	else if (http->written == http->request.length)
		sd_event_source_set_io_events(http->io, EPOLLIN);
}

static void link_http_read(struct link_http *http)
{
	char piece[LINK_HTTP_PIECE_BYTES];
	ssize_t got = recv(http->fd, piece, sizeof(piece), 0);

	if (got > 0)
		buffer_append(&http->answer, piece, (size_t)got);
	if (http->answer.length > LINK_HTTP_ANSWER_MAX)
		link_http_finish(http, LINK_HTTP_TOO_LARGE);
	else if (got == 0)
		link_http_finish(http, LINK_HTTP_ANSWERED);
	else if (http->answer.failed || (got < 0 && errno != EAGAIN && errno != EINTR))
		link_http_fail(http);
}

static int link_http_on_io(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct link_http *http = data;

	if (events & EPOLLOUT && http->written < http->request.length)
		link_http_write(http);
	else
		link_http_read(http);
	return 0;
}

static int link_http_on_timer(sd_event_source *source, uint64_t time_us, void *data)
{
	link_http_fail(data);
	return 0;
}

/*
 * Also handles a connect() that failed at once, so that `done` is never called before the start
 * returned.
 */
static int link_http_on_refused(sd_event_source *source, void *data)
{
	link_http_fail(data);
	return 0;
}

static bool link_http_start(struct link_http *http, sd_event *loop,
			    const struct sockaddr_storage *address, uint64_t timeout_ms)
{
	socklen_t size = address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
							: sizeof(struct sockaddr_in);

	http->fd =
		socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (http->fd < 0)
		return false;
	if (connect(http->fd, (const struct sockaddr *)address, size) < 0 &&
	    errno != EINPROGRESS)
		return sd_event_add_defer(loop, &http->io, link_http_on_refused, http) >=
		       0;
	return sd_event_add_io(loop, &http->io, http->fd, EPOLLOUT, link_http_on_io,
			       http) >= 0 &&
	       sd_event_add_time_relative(loop, &http->timer, CLOCK_MONOTONIC,
					  timeout_ms * 1000, 0, link_http_on_timer,
					  http) >= 0;
}

struct link_http *link_http_new(sd_event *loop, const struct sockaddr_storage *address,
				const char *request, size_t length, uint64_t timeout_ms,
				void (*done)(void *data,
					     const struct link_http_answer *answer),
				void *data)
{
	struct link_http *http = calloc(1, sizeof(*http));

	if (!http)
		return NULL;
	http->fd = -1;
	http->request.secret = true;
	http->done = done;
	http->data = data;
	buffer_append(&http->request, request, length);
	if (http->request.failed || !link_http_start(http, loop, address, timeout_ms)) {
		link_http_free(http);
		return NULL;
	}
	return http;
}
