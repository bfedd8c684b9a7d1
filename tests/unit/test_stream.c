/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams, alone and behind a server. */
#include "unit_test.h"
#include "http_peer.h"

#include "http/exchange_carrier.h"

enum {
	MANY = 200,
	EVENTS = 1000,
	KEEP_ALIVE_MS = 20,
	LIMIT = 4,
};

static const char comment[] = ": \n\n";

/* Alone */

struct alone {
	struct streams streams;
	int filled, overrun;
};

static void count_filled(void *data)
{
	struct alone *alone = data;

	alone->filled++;
}

static void count_overrun(void *data)
{
	struct alone *alone = data;

	alone->overrun++;
}

static const struct streams_carrier carrier = { count_filled, count_overrun };

static struct stream *alone_open(struct alone *alone)
{
	struct stream *stream;

	*alone = (struct alone){ .filled = 0 };
	assert_true(streams_init(&alone->streams, lab.loop, LIMIT) >= 0);
	stream = stream_new(&alone->streams, &carrier, alone);
	assert_non_null(stream);
	return stream;
}

static void alone_close(struct alone *alone, struct stream *stream)
{
	stream_free(stream);
	streams_deinit(&alone->streams);
}

static const char *read_all(struct stream *stream)
{
	static char text[STREAM_BYTES_MAX * 2];
	size_t length = 0, part;

	while ((part = stream_read(stream, text + length, 7)))
		length += part;
	text[length] = '\0';
	return text;
}

static bool push(struct stream *stream, const char *key, const char *data)
{
	struct stream_event event = { NULL, key, data, strlen(data) };

	return stream_push(stream, &event);
}

FIXTURE(lab_setup, lab_teardown)

TEST(test_events_are_framed)
{
	struct stream_event event = { "a.1", NULL, "{\"x\":1}", 7 };
	struct alone alone;
	struct stream *stream = alone_open(&alone);

	assert_string_equal(read_all(stream), comment);
	assert_true(push(stream, NULL, "{}"));
	assert_true(stream_push(stream, &event));
	assert_true(stream_prime(stream, "a.2", 1500));
	assert_string_equal(read_all(stream),
			    "event: message\ndata: {}\n\n"
			    "id: a.1\nevent: message\ndata: {\"x\":1}\n\n"
			    "id: a.2\nretry: 1500\ndata: \n\n");
	alone_close(&alone, stream);
}

TEST(test_filled_runs_once_until_everything_is_read)
{
	struct alone alone;
	struct stream *stream = alone_open(&alone);

	assert_true(push(stream, NULL, "{}"));
	assert_int_equal(alone.filled, 0); /* the first comment is not reported */
	read_all(stream);
	assert_true(push(stream, NULL, "{}"));
	assert_true(push(stream, NULL, "{}"));
	assert_int_equal(alone.filled, 1);
	alone_close(&alone, stream);
}

TEST(test_a_newer_event_replaces_a_waiting_one_with_its_key)
{
	struct alone alone;
	struct stream *stream = alone_open(&alone);
	char first[sizeof(comment) + 3];

	assert_true(push(stream, "k", "1"));
	assert_true(push(stream, "k", "2"));
	assert_true(push(stream, "kk", "3"));
	assert_true(push(stream, "k", "4"));
	assert_string_equal(read_all(stream), ": \n\nevent: message\ndata: 3\n\n"
					      "event: message\ndata: 4\n\n");
	/* An event that is partly read is completed, and the new one follows it. */
	assert_true(push(stream, "k", "4"));
	assert_int_equal(stream_read(stream, first, 3), 3);
	assert_true(push(stream, "k", "5"));
	assert_non_null(strstr(read_all(stream), "data: 5"));
	alone_close(&alone, stream);
}

TEST(test_too_many_events_break_the_stream)
{
	struct alone alone;
	struct stream *stream = alone_open(&alone);
	int at;

	for (at = 1; at < STREAM_EVENTS_MAX; at++)
		assert_true(push(stream, NULL, "{}"));
	assert_int_equal(alone.overrun, 0);
	assert_false(push(stream, NULL, "{}"));
	assert_false(push(stream, NULL, "{}"));
	assert_int_equal(alone.overrun, 1);
	assert_string_equal(read_all(stream), "");
	alone_close(&alone, stream);
}

TEST(test_too_many_bytes_break_the_stream)
{
	static char large[STREAM_BYTES_MAX / 2];
	struct alone alone;
	struct stream *stream = alone_open(&alone);

	memset(large, 'x', sizeof(large) - 1);
	assert_true(push(stream, NULL, large));
	assert_false(push(stream, NULL, large));
	assert_int_equal(alone.overrun, 1);
	alone_close(&alone, stream);
}

TEST(test_a_queue_has_room_for_an_event_that_does_not_break_it)
{
	static char large[STREAM_BYTES_MAX - 64];
	struct alone alone;
	struct stream *stream = alone_open(&alone);

	memset(large, 'x', sizeof(large) - 1);
	assert_true(push(stream, NULL, "{}"));
	assert_true(stream_has_room(stream, strlen("{}")));
	assert_false(stream_has_room(stream, strlen(large)));
	read_all(stream);
	assert_true(stream_has_room(stream, strlen(large)));
	assert_true(push(stream, NULL, large));
	assert_false(stream_has_room(stream, strlen("{}")));
	assert_int_equal(alone.overrun, 0);
	alone_close(&alone, stream);
}

TEST(test_the_last_event_is_not_bounded)
{
	static char large[STREAM_BYTES_MAX * 3 / 2];
	struct stream_event last = { .data = large, .length = sizeof(large) };
	struct alone alone;
	struct stream *stream = alone_open(&alone);

	memset(large, 'x', sizeof(large));
	assert_false(stream_is_ended(stream));
	stream_end(stream, &last);
	assert_true(stream_is_ended(stream));
	assert_false(push(stream, NULL, "{}"));
	stream_end(stream, &last);
	assert_int_equal(strlen(read_all(stream)),
			 strlen(": \n\nevent: message\ndata: \n\n") + sizeof(large));
	assert_int_equal(alone.overrun, 0);
	alone_close(&alone, stream);
}

TEST(test_the_number_of_streams_is_bounded)
{
	struct alone alone;
	struct stream *streams[LIMIT];
	int at;

	streams[0] = alone_open(&alone);
	for (at = 1; at < LIMIT; at++)
		streams[at] = stream_new(&alone.streams, &carrier, &alone);
	assert_non_null(streams[LIMIT - 1]);
	assert_null(stream_new(&alone.streams, &carrier, &alone));
	for (at = 1; at < LIMIT; at++)
		stream_free(streams[at]);
	alone_close(&alone, streams[0]);
}

static int timer_enabled(const struct streams *streams)
{
	int enabled = -1;

	assert_true(sd_event_source_get_enabled(streams->keep_alive, &enabled) >= 0);
	return enabled;
}

TEST(test_all_streams_share_one_keep_alive_timer)
{
	struct alone alone;
	struct stream *one = alone_open(&alone), *other;
	int round;

	other = stream_new(&alone.streams, &carrier, &alone);
	streams_set_period(&alone.streams, KEEP_ALIVE_MS);
	for (round = 0; round < 3; round++) {
		read_all(one);
		read_all(other);
		alone.filled = 0;
		LAB_WAIT(alone.filled == 2);
		assert_string_equal(read_all(one), comment);
		assert_string_equal(read_all(other), comment);
	}
	/* A stream with something to read needs no comment. */
	assert_true(push(one, NULL, "{}"));
	LAB_WAIT(*read_all(other));
	assert_null(strstr(read_all(one), comment));
	stream_free(other);
	assert_int_equal(timer_enabled(&alone.streams), SD_EVENT_ONESHOT);
	stream_free(one);
	assert_int_equal(timer_enabled(&alone.streams), SD_EVENT_OFF);
	streams_deinit(&alone.streams);
}

/* Behind a server */

static bool has(struct peer *peer, const char *text)
{
	peer_read(peer);
	return strstr(peer->in, text) != NULL;
}

static struct peer *open_stream(struct record **record_out)
{
	struct peer *peer = peer_connect();
	int at = lab.record_count;

	peer_get(peer, "/stream");
	LAB_WAIT(has(peer, comment));
	*record_out = &lab.records[at];
	assert_non_null((*record_out)->stream);
	return peer;
}

TEST(test_pages_of_allowed_origins_may_read_a_stream)
{
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_send(peer, "GET /stream HTTP/1.1\r\nHost: localhost\r\n"
			"Origin: http://localhost:6274\r\n\r\n");
	LAB_WAIT(has(peer, comment));
	assert_non_null(strstr(peer->in,
			       "Access-Control-Allow-Origin: http://localhost:6274\r\n"));
	peer_close(peer);
	LAB_WAIT(lab.records[0].ended);
}

TEST(test_events_arrive_in_order)
{
	struct record *record;
	struct peer *peer;
	char text[32];
	int at;

	lab_start();
	peer = open_stream(&record);
	for (at = 0; at < EVENTS; at++) {
		peer->length = 0;
		snprintf(text, sizeof(text), "<%d>", at);
		assert_true(push(record->stream, NULL, text));
		LAB_WAIT(has(peer, text));
	}
	stream_end(record->stream, NULL);
	LAB_WAIT(has(peer, "0\r\n\r\n"));
	LAB_WAIT(record->ended);
	assert_int_equal(record->abandoned, 0);
	peer->length = 0;
	peer_get(peer, "/echo"); /* the connection stays open */
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

TEST(test_a_waiting_exchange_becomes_a_stream)
{
	struct stream_event last = { .data = "last", .length = 4 };
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_post(peer, "/later", "x");
	LAB_WAIT(lab.record_count && lab.records[0].completed);
	lab.records[0].stream = exchange_stream(lab.records[0].exchange);
	assert_non_null(lab.records[0].stream);
	assert_true(push(lab.records[0].stream, NULL, "early"));
	LAB_WAIT(has(peer, "data: early\n\n"));
	stream_end(lab.records[0].stream, &last);
	LAB_WAIT(has(peer, "data: last\n\n\r\n0\r\n\r\n"));
	LAB_WAIT(lab.records[0].ended);
	assert_int_equal(lab.records[0].abandoned, 0);
	peer_close(peer);
}

TEST(test_http_1_0_gets_bytes_until_the_end)
{
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_send(peer, "GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n");
	LAB_WAIT(has(peer, comment));
	assert_true(push(lab.records[0].stream, NULL, "plain"));
	LAB_WAIT(has(peer, "\ndata: plain\n\n"));
	stream_end(lab.records[0].stream, NULL);
	LAB_WAIT(peer_is_closed(peer));
	peer_close(peer);
}

TEST(test_head_gets_the_headers_of_a_stream_only)
{
	struct reply reply;
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_send(peer, "HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
	LAB_WAIT(peer_take(peer, &reply, true));
	assert_int_equal(reply.status, 200);
	LAB_WAIT(lab.records[0].ended);
	peer_get(peer, "/echo");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

/* Sends events without a key until the stream breaks. */
static void flood(struct record *record)
{
	static char large[STREAM_BYTES_MAX / 8];
	uint64_t end_ms = lab_now_ms() + LAB_WAIT_MS;

	memset(large, 'x', sizeof(large) - 1);
	while (record->stream && push(record->stream, NULL, large))
		assert_true(lab_turn(end_ms));
}

TEST(test_a_peer_that_does_not_read_is_cut_off_alone)
{
	struct record *slow_record, *quick_record;
	struct peer *slow, *quick;

	lab_start();
	slow = open_stream(&slow_record);
	quick = open_stream(&quick_record);
	flood(slow_record);
	LAB_WAIT(slow_record->ended);
	assert_int_equal(slow_record->abandoned, 1);
	assert_true(push(quick_record->stream, NULL, "well"));
	LAB_WAIT(has(quick, "data: well\n\n"));
	peer_close(slow);
	peer_close(quick);
	LAB_WAIT(quick_record->ended);
}

TEST(test_an_unread_piece_ends_the_stream_at_its_deadline)
{
	static char large[STREAM_BYTES_MAX / 8];
	struct record *record;
	struct peer *peer;
	uint64_t end_ms = lab_now_ms() + LAB_WAIT_MS;

	lab.config.request_timeout_seconds = 1;
	lab_start();
	peer = open_stream(&record);
	memset(large, 'x', sizeof(large) - 1);
	/* With one key the queue never holds more than two events, so it cannot overrun. */
	while (record->stream && push(record->stream, "key", large))
		assert_true(lab_turn(end_ms));
	LAB_WAIT(record->ended);
	assert_int_equal(record->abandoned, 1);
	peer_close(peer);
}

TEST(test_an_idle_stream_outlives_all_deadlines)
{
	struct record *record;
	struct peer *peer;
	uint64_t end_ms;

	lab.config.request_timeout_seconds = 1;
	lab.config.idle_timeout_seconds = 1;
	lab_start();
	peer = open_stream(&record);
	end_ms = lab_now_ms() + 1500;
	while (lab_turn(end_ms))
		;
	assert_true(push(record->stream, NULL, "still"));
	LAB_WAIT(has(peer, "data: still\n\n"));
	peer_close(peer);
	LAB_WAIT(record->ended);
}

TEST(test_a_stop_ends_streams_after_their_last_event)
{
	struct record *record;
	struct peer *peer;

	lab_start();
	peer = open_stream(&record);
	assert_true(push(record->stream, NULL, "before"));
	http_server_stop(lab.server, LAB_WAIT_MS, (void (*)(void *))count_filled,
			 &(struct alone){ .filled = 0 });
	LAB_WAIT(peer_is_closed(peer));
	assert_non_null(strstr(peer->in, "data: before\n\n"));
	assert_non_null(strstr(peer->in, "\r\n0\r\n\r\n"));
	assert_int_equal(record->stopping, 1);
	assert_int_equal(record->abandoned, 0);
	peer_close(peer);
}

TEST(test_freeing_the_server_abandons_streams)
{
	struct record *record;
	struct peer *peer;

	lab_start();
	peer = open_stream(&record);
	http_server_free(lab.server);
	lab.server = NULL;
	assert_int_equal(record->abandoned, 1);
	assert_int_equal(record->ended, 1);
	peer_close(peer);
}
