/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server on a port of its own, handlers that record what they hear, and clients that
 * never block: LAB_WAIT() turns the loop until something is so, or fails.
 */
#ifndef HTTP_LAB_H
#define HTTP_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/token.h"
#include "http/server.h"

enum {
	LAB_RECORDS_MAX = 1024,
	LAB_WAIT_MS = 8000,
};

struct record {			   /* of one exchange; stays when that is gone */
	struct exchange *exchange; /* NULL: ended */
	struct stream *stream;	   /* NULL: none, or ended */
	char method[8];
	int pieces, completed, abandoned, stopping, ended;
	struct buffer body;
};

struct lab {
	sd_event *loop;
	struct config config;
	struct auth auth;
	struct http_server *server;
	struct record records[LAB_RECORDS_MAX];
	int record_count;
	bool answers_when_stopping;
	int stopped;
	unsigned turns; /* of the loop */
};

static struct lab lab;

static uint64_t lab_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void lab_answer(struct exchange *exchange, unsigned status, const char *text)
{
	struct buffer body = BUFFER_INIT;

	buffer_append_text(&body, text);
	exchange_answer(exchange, status, "application/json", &body);
	assert_null(body.data);
}

/*
 * Handlers: /echo answers at the end, /later when the test says, /early in begin, /stream
 * with a stream
 */

static void lab_begin(void *data, struct exchange *exchange)
{
	struct record *record = &lab.records[lab.record_count++];

	(void)data;
	assert_true(lab.record_count < LAB_RECORDS_MAX);
	*record = (struct record){ .exchange = exchange };
	snprintf(record->method, sizeof(record->method), "%s", exchange_method(exchange));
	exchange_set_context(exchange, record);
}

static void lab_begin_early(void *data, struct exchange *exchange)
{
	lab_begin(data, exchange);
	lab_answer(exchange, 200, "early");
}

static void lab_body(void *data, struct exchange *exchange, const char *piece,
		     size_t length)
{
	struct record *record = exchange_context(exchange);

	(void)data;
	record->pieces++;
	buffer_append(&record->body, piece, length);
}

static void lab_body_midway(void *data, struct exchange *exchange, const char *piece,
			    size_t length)
{
	lab_body(data, exchange, piece, length);
	lab_answer(exchange, 400, "midway");
}

static void lab_complete_later(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	(void)data;
	record->completed++;
}

static void lab_complete(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	lab_complete_later(data, exchange);
	exchange_answer(exchange, 200, "application/json", &record->body);
}

/* more than the sockets hold, and as much as a request may */
enum { LAB_HUGE_BYTES = 7 * 1024 * 1024 };

static void lab_complete_huge(void *data, struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;
	char block[65536];
	int at;

	lab_complete_later(data, exchange);
	memset(block, 'x', sizeof(block));
	for (at = 0; at < LAB_HUGE_BYTES / 65536; at++)
		buffer_append(&body, block, sizeof(block));
	exchange_answer(exchange, 200, "text/plain", &body);
}

static void lab_complete_stream(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	lab_complete_later(data, exchange);
	exchange_add_header(exchange, "Lab-Header", "kept");
	record->stream = exchange_stream(exchange);
	if (!record->stream)
		lab_answer(exchange, 503, "too many");
}

/* Longer than a turn of the loop may take. */
static void lab_complete_busy(void *data, struct exchange *exchange)
{
	uint64_t end = lab_now_ms() + 60;

	lab_complete_later(data, exchange);
	while (lab_now_ms() < end)
		;
	lab_answer(exchange, 200, "busy");
}

static void lab_complete_accepted(void *data, struct exchange *exchange)
{
	lab_complete_later(data, exchange);
	exchange_answer(exchange, 202, NULL, NULL);
}

static void lab_complete_release(void *data, struct exchange *exchange)
{
	lab_complete_later(data, exchange);
	lab_answer(lab.records[0].exchange, 200, "by another");
	lab_answer(exchange, 200, "released");
}

static void lab_abandoned(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	(void)data;
	record->abandoned++;
	assert_int_equal(record->ended, 0);
}

static void lab_stopping(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	(void)data;
	record->stopping++;
	if (lab.answers_when_stopping && !record->stream)
		lab_answer(exchange, 503, "stopping");
}

static void lab_ended(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	(void)data;
	record->ended++;
	record->exchange = NULL;
	record->stream = NULL;
}

#define LAB_HANDLER(begin_, body_, complete_)                                            \
	{                                                                                \
		.begin = begin_, .body = body_, .complete = complete_,                   \
		.abandoned = lab_abandoned, .stopping = lab_stopping, .ended = lab_ended \
	}

static const struct exchange_handler lab_echo =
	LAB_HANDLER(lab_begin, lab_body, lab_complete);
static const struct exchange_handler lab_later =
	LAB_HANDLER(lab_begin, lab_body, lab_complete_later);
static const struct exchange_handler lab_early =
	LAB_HANDLER(lab_begin_early, lab_body, lab_complete_later);
static const struct exchange_handler lab_midway =
	LAB_HANDLER(lab_begin, lab_body_midway, lab_complete_later);
static const struct exchange_handler lab_huge =
	LAB_HANDLER(lab_begin, lab_body, lab_complete_huge);
static const struct exchange_handler lab_release =
	LAB_HANDLER(lab_begin, lab_body, lab_complete_release);
static const struct exchange_handler lab_stream =
	LAB_HANDLER(lab_begin, lab_body, lab_complete_stream);
static const struct exchange_handler lab_busy =
	LAB_HANDLER(lab_begin, lab_body, lab_complete_busy);
static const struct exchange_handler lab_accepted =
	LAB_HANDLER(lab_begin, lab_body, lab_complete_accepted);

static void lab_refusal(struct buffer *body, unsigned status, const char *text)
{
	char line[300];

	snprintf(line, sizeof(line), "{\"refused\":%u,\"why\":\"%s\"}", status, text);
	buffer_append_text(body, line);
}

#define LAB_ROUTE(path_, handler_)                                                    \
	{                                                                             \
		.path = path_, .methods = HTTP_GET | HTTP_POST, .handler = &handler_, \
	}

static const struct http_route lab_routes[] = {
	LAB_ROUTE("/echo", lab_echo),
	LAB_ROUTE("/later", lab_later),
	LAB_ROUTE("/early", lab_early),
	LAB_ROUTE("/midway", lab_midway),
	LAB_ROUTE("/huge", lab_huge),
	LAB_ROUTE("/release", lab_release),
	LAB_ROUTE("/accepted", lab_accepted),
	LAB_ROUTE("/busy", lab_busy),
	LAB_ROUTE("/stream", lab_stream),
	{ .path = "/mcp",
	  .methods = HTTP_POST,
	  .json_body = true,
	  .handler = &lab_echo,
	  .refusal = lab_refusal },
	{ .path = NULL },
};

static bool lab_find(void *data, const uint8_t hash[AUTH_HASH_BYTES],
		     struct client *client_out)
{
	uint8_t expected[AUTH_HASH_BYTES];

	(void)data;
	token_hash("sesame", strlen("sesame"), expected);
	client_out->id = 7;
	strcpy(client_out->name, "laptop");
	return memcmp(hash, expected, AUTH_HASH_BYTES) == 0;
}

static void lab_listen(void)
{
	struct config_error error = { "" };
	int result = http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
				     &lab.server, &error);

	if (result)
		fail_msg("%s", error.text);
}

static void lab_start(void)
{
	lab_listen();
	assert_int_equal(http_server_serve(lab.server), 0);
}

static int lab_setup(void **state)
{
	(void)state;
	memset(&lab, 0, sizeof(lab));
	assert_true(sd_event_new(&lab.loop) >= 0);
	config_defaults(&lab.config);
	lab.config.listen.count = 1;
	strcpy(lab.config.listen.items[0], "127.0.0.1:0");
	lab.config.max_connections = 512;
	lab.config.max_connections_per_address = 512;
	lab.config.request_timeout_seconds = 20;
	lab.config.idle_timeout_seconds = 20;
	lab.auth.open = true;
	lab.auth.find = lab_find;
	lab.answers_when_stopping = true;
	return 0;
}

static int lab_teardown(void **state)
{
	int at;

	(void)state;
	http_server_free(lab.server);
	lab.server = NULL;
	for (at = 0; at < lab.record_count; at++) {
		assert_int_equal(lab.records[at].ended, 1);
		buffer_deinit(&lab.records[at].body);
	}
	lab.loop = sd_event_unref(lab.loop);
	return 0;
}

/* Clients */

struct peer {
	int fd;
	char in[200 * 1024];
	size_t length;
	bool closed; /* end of file or reset */
};

/* What has come so far. */
static void peer_read(struct peer *peer)
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

static bool lab_turn(uint64_t end_ms)
{
	assert_true(sd_event_run(lab.loop, 10 * 1000) >= 0);
	lab.turns++;
	return lab_now_ms() < end_ms;
}

/* Turns the loop until `condition` is true. */
#define LAB_WAIT(condition)                                                    \
	do {                                                                   \
		uint64_t end_ms_ = lab_now_ms() + LAB_WAIT_MS;                 \
		while (!(condition))                                           \
			if (!lab_turn(end_ms_))                                \
				fail_msg("never became true: %s", #condition); \
	} while (0)

/* `source` is the last byte of 127.0.0.x. */
static struct peer *peer_connect_from(uint16_t port, uint8_t source)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct sockaddr_in own = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffu) | source),
	};
	const int on = 1;

	assert_non_null(peer);
	peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(peer->fd >= 0);
	setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	assert_int_equal(bind(peer->fd, (const struct sockaddr *)&own, sizeof(own)), 0);
	/* the backlog takes it: no turn of the loop is needed */
	assert_int_equal(
		connect(peer->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return peer;
}

static struct peer *peer_connect_to(uint16_t port)
{
	return peer_connect_from(port, 1);
}

static inline struct peer *peer_connect(void)
{
	return peer_connect_to(http_server_port(lab.server, 0));
}

static void peer_send_bytes(struct peer *peer, const char *data, size_t length)
{
	uint64_t end_ms = lab_now_ms() + LAB_WAIT_MS;

	while (length) {
		ssize_t sent = send(peer->fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno == EAGAIN) {
			assert_true(lab_turn(end_ms));
			continue;
		}
		if (sent < 0)
			return; /* the server closed: the test looks at what came */
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

static void peer_close(struct peer *peer)
{
	close(peer->fd);
	free(peer);
}

struct reply {
	unsigned status;
	char head[2048];
	char body[70 * 1024];
};

/* Takes the first whole answer from what came. */
static bool peer_take(struct peer *peer, struct reply *reply, bool no_body)
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

#endif
