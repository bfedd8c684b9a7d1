/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clients of the server in http_lab.h, which never block.
 */
#pragma once

#include "http_lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

struct peer {
	int fd;
	char in[200 * 1024];
	size_t length;
	bool closed; /* end of file or reset */
};

/* Reads everything that has arrived. */
static inline void peer_read(struct peer *peer)
{
	ssize_t length;

	while (!peer->closed && peer->length < sizeof(peer->in) - 1) {
		length = recv(peer->fd, peer->in + peer->length,
			      sizeof(peer->in) - 1 - peer->length, MSG_DONTWAIT);
		if (length < 0 && errno == EAGAIN)
			break;
		if (length <= 0)
			peer->closed = true;
		else
			peer->length += (size_t)length;
	}
	peer->in[peer->length] = '\0';
}

/* Both addresses are in host byte order. */
static inline struct peer *peer_connect_from(uint16_t port, uint32_t to, uint32_t source)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(to),
	};
	const struct sockaddr_in own = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(source),
	};
	const int on = 1;

	assert_non_null(peer);
	peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(peer->fd >= 0);
	setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	assert_int_equal(bind(peer->fd, (const struct sockaddr *)&own, sizeof(own)), 0);
	/* the kernel completes it: no turn of the loop is needed */
	assert_int_equal(
		connect(peer->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return peer;
}

static inline struct peer *peer_connect_to(uint16_t port)
{
	return peer_connect_from(port, INADDR_LOOPBACK, INADDR_LOOPBACK);
}

static inline struct peer *peer_connect(void)
{
	return peer_connect_to(lab_listener(0).port);
}

static inline void peer_send_bytes(struct peer *peer, const char *data, size_t length)
{
	uint64_t end_ms = lab_now_ms() + LAB_WAIT_MS;

	while (length) {
		ssize_t sent = send(peer->fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno == EAGAIN) {
			assert_true(lab_turn(end_ms));
			continue;
		}
		if (sent < 0)
			return; /* the server closed: the test checks what arrived */
		data += sent;
		length -= (size_t)sent;
	}
}

static inline void peer_send(struct peer *peer, const char *text)
{
	peer_send_bytes(peer, text, strlen(text));
}

static inline void peer_post(struct peer *peer, const char *path, const char *body)
{
	char head[512];

	snprintf(head, sizeof(head),
		 "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n"
		 "Content-Type: application/json\r\n\r\n",
		 path, strlen(body));
	peer_send(peer, head);
	peer_send(peer, body);
}

static inline void peer_get(struct peer *peer, const char *path)
{
	char head[256];

	snprintf(head, sizeof(head), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	peer_send(peer, head);
}

static inline void peer_close(struct peer *peer)
{
	close(peer->fd);
	free(peer);
}

/* Reads and discards until `condition` is true. */
#define PEER_SWALLOW_UNTIL(peer, total, condition)               \
	do {                                                     \
		uint64_t until_ms_ = lab_now_ms() + LAB_WAIT_MS; \
		while (!(condition)) {                           \
			peer_read(peer);                         \
			total += (peer)->length;                 \
			(peer)->length = 0;                      \
			assert_true(lab_turn(until_ms_));        \
		}                                                \
	} while (0)

struct reply {
	unsigned status;
	char head[2048];
	char body[70 * 1024];
};

/* Takes the first complete answer. */
static inline bool peer_take(struct peer *peer, struct reply *reply, bool no_body)
{
	const char *end, *field;
	size_t head, length = 0;

	peer_read(peer);
	end = strstr(peer->in, "\r\n\r\n");
	if (!end)
		return false;
	head = (size_t)(end - peer->in) + 4;
	assert_true(head < sizeof(reply->head));
	memcpy(reply->head, peer->in, head);
	reply->head[head] = '\0';
	field = strcasestr(reply->head, "\r\nContent-Length:");
	if (field && !no_body)
		length = strtoul(field + strlen("\r\nContent-Length:"), NULL, 10);
	if (peer->length < head + length)
		return false;
	assert_true(length < sizeof(reply->body));
	memcpy(reply->body, peer->in + head, length);
	reply->body[length] = '\0';
	reply->status = (unsigned)strtoul(reply->head + strlen("HTTP/1.1 "), NULL, 10);
	peer->length -= head + length;
	memmove(peer->in, peer->in + head + length, peer->length + 1);
	return true;
}

/* The next answer of each peer; the static copy lives until the next call. */
static inline const struct reply *peer_reply(struct peer *peer)
{
	static struct reply reply;

	LAB_WAIT(peer_take(peer, &reply, false));
	return &reply;
}

static inline bool peer_is_closed(struct peer *peer)
{
	peer_read(peer);
	return peer->closed;
}

static inline bool peer_was_reset(struct peer *peer)
{
	int error = 0;
	socklen_t length = sizeof(error);

	assert_int_equal(getsockopt(peer->fd, SOL_SOCKET, SO_ERROR, &error, &length), 0);
	return error != 0;
}

static inline bool reply_has(const struct reply *reply, const char *line)
{
	return strcasestr(reply->head, line) != NULL;
}
