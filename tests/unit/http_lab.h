/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server on its own port, with handlers that record their calls. LAB_WAIT() runs the loop until a
 * condition is true, or fails.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crypto.h"
#include "base/explanation.h"
#include "config/config.h"
#include "http/http_server.h"

#include "patience.h"

enum { LAB_RECORDS_MAX = 1024 };

#define LAB_WAIT_MS ((uint64_t)patience_ms(8000))

struct record {			   /* of one exchange; outlives it */
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
	unsigned turns; /* of the loop in which something happened */
};

static struct lab lab;

static inline uint64_t lab_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline void lab_answer(struct exchange *exchange, unsigned status,
			      const char *text)
{
	struct buffer body = BUFFER_INIT;

	buffer_append_text(&body, text);
	exchange_answer(exchange, status, "application/json", &body);
	assert_null(body.data);
}

/*
 * Handlers: /echo answers at the end, /later when the test does, /early in begin, /stream with a
 * stream.
 */

static inline void lab_begin(void *data, struct exchange *exchange)
{
	struct record *record = &lab.records[lab.record_count++];

	assert_true(lab.record_count < LAB_RECORDS_MAX);
	*record = (struct record){ .exchange = exchange };
	snprintf(record->method, sizeof(record->method), "%s", exchange_method(exchange));
	exchange_set_context(exchange, record);
}

static inline void lab_begin_early(void *data, struct exchange *exchange)
{
	lab_begin(data, exchange);
	lab_answer(exchange, 200, "early");
}

static inline void lab_body(void *data, struct exchange *exchange, const char *piece,
			    size_t length)
{
	struct record *record = exchange_context(exchange);

	record->pieces++;
	buffer_append(&record->body, piece, length);
}

static inline void lab_body_midway(void *data, struct exchange *exchange,
				   const char *piece, size_t length)
{
	lab_body(data, exchange, piece, length);
	lab_answer(exchange, 400, "midway");
}

static inline void lab_complete_later(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	record->completed++;
}

static inline void lab_complete(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	lab_complete_later(data, exchange);
	exchange_answer(exchange, 200, "application/json", &record->body);
}

/* more than the sockets hold, and as much as an answer may have */
enum { LAB_HUGE_BYTES = 7 * 1024 * 1024 };

static inline void lab_complete_huge(void *data, struct exchange *exchange)
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

static inline void lab_complete_stream(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	lab_complete_later(data, exchange);
	exchange_add_header(exchange, "Lab-Header", "kept");
	record->stream = exchange_stream(exchange);
	if (!record->stream)
		lab_answer(exchange, 503, "too many");
}

/* Takes longer than a turn of the loop may. */
static inline void lab_complete_busy(void *data, struct exchange *exchange)
{
	uint64_t end = lab_now_ms() + 60;

	lab_complete_later(data, exchange);
	while (lab_now_ms() < end)
		;
	lab_answer(exchange, 200, "busy");
}

static inline void lab_complete_accepted(void *data, struct exchange *exchange)
{
	lab_complete_later(data, exchange);
	exchange_answer(exchange, 202, NULL, NULL);
}

static inline void lab_complete_release(void *data, struct exchange *exchange)
{
	lab_complete_later(data, exchange);
	lab_answer(lab.records[0].exchange, 200, "by another");
	lab_answer(exchange, 200, "released");
}

static inline void lab_abandoned(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	record->abandoned++;
	assert_int_equal(record->ended, 0);
}

static inline void lab_stopping(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	record->stopping++;
	if (lab.answers_when_stopping && !record->stream)
		lab_answer(exchange, 503, "stopping");
}

static inline void lab_ended(void *data, struct exchange *exchange)
{
	struct record *record = exchange_context(exchange);

	record->ended++;
	record->exchange = NULL;
	record->stream = NULL;
}

#define LAB_HANDLER(begin_, body_, complete_) \
	{ .begin = begin_,                    \
	  .body = body_,                      \
	  .complete = complete_,              \
	  .abandoned = lab_abandoned,         \
	  .stopping = lab_stopping,           \
	  .ended = lab_ended }

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

static inline void lab_refusal(struct buffer *body, unsigned status, const char *text)
{
	char line[300];

	snprintf(line, sizeof(line), "{\"refused\":%u,\"why\":\"%s\"}", status, text);
	buffer_append_text(body, line);
}

#define LAB_ROUTE(path_, handler_)               \
	{                                        \
		.path = path_,                   \
		.methods = HTTP_GET | HTTP_POST, \
		.handler = &handler_,            \
	}

static const struct http_server_route lab_routes[] = {
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

static inline bool lab_find(void *data, const uint8_t hash[AUTH_HASH_BYTES],
			    struct client *client_out)
{
	uint8_t expected[AUTH_HASH_BYTES];

	crypto_hash_token("sesame", strlen("sesame"), expected);
	client_out->id = 7;
	strcpy(client_out->name, "laptop");
	return memcmp(hash, expected, AUTH_HASH_BYTES) == 0;
}

static inline void lab_listen(void)
{
	struct explanation error = { "" };
	int result = http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
				     &lab.server, &error);

	if (result)
		fail_msg("%s", error.text);
}

static inline void lab_start(void)
{
	lab_listen();
	assert_int_equal(http_server_serve(lab.server), 0);
}

static inline int lab_setup(void **state)
{
	memset(&lab, 0, sizeof(lab));
	assert_true(sd_event_new(&lab.loop) >= 0);
	config_defaults(&lab.config);
	strcpy(lab.config.state_dir,
	       "/nonexistent"); /* not that of an installed gateway */
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

static inline int lab_teardown(void **state)
{
	int at;

	http_server_free(lab.server);
	lab.server = NULL;
	for (at = 0; at < lab.record_count; at++) {
		assert_int_equal(lab.records[at].ended, 1);
		buffer_deinit(&lab.records[at].body);
	}
	lab.loop = sd_event_unref(lab.loop);
	return 0;
}

static inline struct http_server_listener lab_listener(unsigned index)
{
	struct http_server_listener listener;

	assert_true(http_server_listener(lab.server, index, &listener));
	return listener;
}

/* Counts in an int; for http_server_stop(). */
static inline void lab_on_stopped(void *data)
{
	++*(int *)data;
}

static inline bool lab_turn(uint64_t end_ms)
{
	int events = sd_event_run(lab.loop, 10 * 1000);

	assert_true(events >= 0);
	lab.turns += events > 0;
	return lab_now_ms() < end_ms;
}

/* Runs the loop until `condition` is true. */
#define LAB_WAIT(condition)                                                    \
	do {                                                                   \
		uint64_t end_ms_ = lab_now_ms() + LAB_WAIT_MS;                 \
		while (!(condition))                                           \
			if (!lab_turn(end_ms_))                                \
				fail_msg("never became true: %s", #condition); \
	} while (0)
