/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that are refused, malformed, slow or too long, as a peer sees them. For the gates
 * themselves see test_gate.c.
 */
#include "unit_test.h"
#include "http_peer.h"

#define HEAD(method, path) method " " path " HTTP/1.1\r\nHost: localhost\r\n"

static void repeat(struct peer *peer, char byte, size_t length)
{
	char block[4096];

	memset(block, byte, sizeof(block));
	for (; length > sizeof(block); length -= sizeof(block))
		peer_send_bytes(peer, block, sizeof(block));
	peer_send_bytes(peer, block, length);
}

FIXTURE(lab_setup, lab_teardown)

/* The peer gets the answer although it goes on sending: no reset discards it. */
TEST(test_a_refused_upload_is_drained)
{
	struct peer *peer;
	int turn;

	lab_start();
	for (turn = 0; turn < 20; turn++) {
		peer = peer_connect();
		peer_send(peer, HEAD("POST", "/echo") "Content-Length: 500000\r\n\r\n");
		repeat(peer, 'x', 500000);
		assert_int_equal(peer_reply(peer)->status, 413);
		LAB_WAIT(peer_is_closed(peer));
		LAB_WAIT(http_server_connections(lab.server) == 0);
		assert_false(peer_was_reset(peer));
		peer_close(peer);
	}
	assert_int_equal(lab.record_count, 0);
}

static void chunk(struct peer *peer, size_t length)
{
	char line[32];

	snprintf(line, sizeof(line), "%zx\r\n", length);
	peer_send(peer, line);
	repeat(peer, 'x', length);
	peer_send(peer, "\r\n");
}

TEST(test_chunked_bodies_are_read)
{
	struct peer *peer;
	const struct reply *reply;
	int at;

	lab_start();
	peer = peer_connect();
	peer_send(peer, HEAD("POST", "/echo") "Transfer-Encoding: chunked\r\n\r\n");
	for (at = 0; at < 60; at++)
		chunk(peer, 100);
	peer_send(peer, "0\r\n\r\n");
	reply = peer_reply(peer);
	assert_int_equal(reply->status, 200);
	assert_int_equal(strlen(reply->body), 6000);
	assert_int_equal(lab.records[0].pieces, 2);

	peer_close(peer); /* libmicrohttpd 0.9.75 serves no other request after chunks */
	peer = peer_connect();
	peer_send(peer, HEAD("POST", "/echo") "Transfer-Encoding: chunked\r\n\r\n");
	for (at = 0; at < 64; at++)
		chunk(peer, 1024);
	peer_send(peer, "0\r\n\r\n");
	assert_int_equal(strlen(peer_reply(peer)->body), EXCHANGE_BODY_MAX);

	peer_close(peer);
	peer = peer_connect();
	peer_send(peer, HEAD("POST", "/mcp") "Content-Type: application/json\r\n"
					     "Transfer-Encoding: chunked\r\n\r\n");
	for (at = 0; at < 100; at++)
		chunk(peer, 1024);
	peer_send(peer, "0\r\n\r\n");
	reply = peer_reply(peer);
	assert_int_equal(reply->status, 413);
	assert_non_null(strstr(reply->body, "{\"refused\":413"));
	LAB_WAIT(lab.records[2].ended == 1);
	assert_int_equal(lab.records[2].abandoned, 1);
	peer_close(peer);

	peer = peer_connect();
	peer_send(peer, HEAD("POST", "/echo") "Transfer-Encoding: chunked\r\n\r\n");
	LAB_WAIT(lab.record_count == 4);
	peer_send(peer, "zz\r\n");
	assert_int_equal(peer_reply(peer)->status, 400);
	LAB_WAIT(peer_is_closed(peer) && lab.records[3].ended == 1);
	assert_int_equal(lab.records[3].abandoned, 1);
	peer_close(peer);
}

TEST(test_a_request_may_arrive_byte_by_byte)
{
	struct peer *peer;
	int at;

	lab_start();
	peer = peer_connect();
	peer_send(peer, HEAD("POST", "/echo") "Content-Length: 61440\r\n\r\n");
	for (at = 0; at < 61440; at++) {
		peer_send(peer, "x");
		if (at % 4 == 0)
			sd_event_run(lab.loop, 0);
	}
	assert_int_equal(strlen(peer_reply(peer)->body), 61440);
	assert_in_range(lab.records[0].pieces, 1, 16);
	peer_close(peer);
}

TEST(test_a_handler_may_answer_before_the_body)
{
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_get(peer, "/early");
	assert_string_equal(peer_reply(peer)->body, "early");
	peer_send(peer, HEAD("POST", "/midway") "Content-Length: 6000\r\n\r\n");
	repeat(peer, 'x', 5000);
	LAB_WAIT(lab.record_count == 2 && lab.records[1].pieces == 1);
	repeat(peer, 'x', 1000);
	assert_string_equal(peer_reply(peer)->body, "midway");
	assert_int_equal(lab.records[1].pieces, 1);
	assert_int_equal(lab.records[1].completed, 0);
	peer_send(peer, HEAD("POST", "/early") "Content-Length: 6000\r\n\r\n");
	assert_string_equal(peer_reply(peer)->body, "early");
	LAB_WAIT(peer_is_closed(peer)); /* without waiting for the rest of the body */
	assert_int_equal(lab.records[2].abandoned, 0);
	peer_close(peer);
}

TEST(test_malformed_headers_are_refused)
{
#define RAW(text) { text, sizeof(text) - 1 }
	static const struct {
		const char *text;
		size_t length;
	} rows[] = {
		RAW(HEAD("GET", "/echo") "X-A: b\r\n c\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A: b\r\n\tc\r\nX-D: e\r\n\r\n"),
		RAW(HEAD("POST", "/echo") "Content-Len: 5\r\n gth\r\n\r\nhello"),
		RAW("GET /echo HTTP/1.1\r\nHost: localhost\r\n .evil.example\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A: b\0c\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A: b\0\0c\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A: b\0\0\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A\0: b\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A: b\nX-C: d\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A: b\r\n\n"),
		RAW("GET /echo HTTP/1.1\nHost: localhost\r\n\r\n"),
		RAW("GET /echo\0x HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET /echo?a\0b HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET /echo HTTP/1.1\r\n X: y\r\nHost: localhost\r\n\r\n"),
		RAW(HEAD("POST", "/echo") "Content-Length: 5\r\n 0\r\n\r\nhello"),
		RAW(HEAD("POST",
			 "/echo") "Transfer-Encoding: chunked\x01\r\n\r\n0\r\n\r\n"),
		RAW("GET  /echo HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET /echo  HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET\t/echo HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET /echo HTTP/1.1 \r\nHost: localhost\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A: b\rX-C: d\r\n\r\n"),
		RAW(HEAD("POST", "/echo") "Transfer-Encoding: chunked\r\n"
					  "Content-Length: 5\r\n\r\nhello"),
		RAW(HEAD("GET", "/echo") "X A: b\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "X-A : b\r\n\r\n"),
		RAW(HEAD("GET", "/echo") "no colon\r\n\r\n"),
		RAW("GET /echo HTTP/1.1\r\n\r\n"),
		RAW("GET /echo x HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET /echo?x HTTP/1.1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET /echo\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		RAW("GET /echo\r\n\r\n"),
	};
	size_t at;

	lab_start();
	for (at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		struct peer *peer = peer_connect();

		peer_send_bytes(peer, rows[at].text, rows[at].length);
		peer_get(peer, "/echo"); /* must not be served on this connection */
		/* with an answer or without, depending on the version of libmicrohttpd */
		LAB_WAIT(peer_is_closed(peer));
		if (lab.record_count || strstr(peer->in, "HTTP/1.1 200"))
			fail_msg("row %zu went on: %s", at, peer->in);
		peer_close(peer);
	}
}

/* The buffer moves and grows while long headers arrive slowly. */
TEST(test_long_headers_arrive_intact)
{
	char text[7000];
	struct peer *peer;
	size_t length, at;
	int lines, step;

	lab_start();
	peer = peer_connect();
	for (lines = 0; lines < 60; lines += 7) {
		length = (size_t)snprintf(text, sizeof(text),
					  "GET /echo?x=1&y=%%20&z HTTP/1.1\r\n"
					  "Host: localhost\r\nEmpty:\r\nTab:\t \tx\r\n");
		for (step = 0; step < lines; step++)
			length += (size_t)snprintf(
				text + length, sizeof(text) - length,
				"X-%d: %0*d  \r\nCookie: a=b; c=\"d\"\r\n", step,
				lines / 2 + 1, step);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "\r\n");
		for (at = 0; at < length; at++) {
			peer_send_bytes(peer, text + at, 1);
			if (at % (size_t)(lines + 1) == 0)
				sd_event_run(lab.loop, 0);
		}
		if (peer_reply(peer)->status != (lines * 2 + 3 > 64 ? 431 : 200))
			fail_msg("%d header lines", lines);
		if (lines * 2 + 3 > 64)
			break;
	}
	peer_close(peer);

	peer = peer_connect();
	peer_send(peer, HEAD("GET", "/echo") "X: ");
	repeat(peer, 'x', 5000);
	peer_send(peer, "\r\n\r\n");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_send(peer, HEAD("GET", "/echo") "X: ");
	repeat(peer, 'x', 9000);
	peer_send(peer, "\r\n\r\n");
	assert_int_equal(peer_reply(peer)->status, 431);
	peer_close(peer);
}

TEST(test_headers_are_found_by_name)
{
	struct exchange *exchange;
	struct peer *peer;
	bool conflict = false;

	lab_start();
	peer = peer_connect();
	peer_send(peer,
		  HEAD("GET", "/later") "A: 1 \r\nB: 2\r\na:\t1\r\nb: 3\r\nC:\r\n\r\n");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	exchange = lab.records[0].exchange;
	assert_string_equal(exchange_header(exchange, "A", &conflict), "1");
	assert_false(conflict);
	assert_string_equal(exchange_header(exchange, "B", &conflict), "2");
	assert_true(conflict);
	assert_string_equal(exchange_header(exchange, "c", NULL), "");
	assert_null(exchange_header(exchange, "D", NULL));
	lab_answer(exchange, 200, "x");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

/* Longer than any test waits: what is cut off before is not cut off by this deadline. */
enum { NEVER_S = 3600 };

/* The deadline of a request does not count for it any more. */
TEST(test_an_answered_connection_hits_the_idle_deadline)
{
	struct peer *peer;
	uint64_t start_ms;

	lab.config.request_timeout_seconds = 1;
	lab.config.idle_timeout_seconds = 2;
	lab_start();
	peer = peer_connect();
	peer_get(peer, "/later");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	start_ms = lab_now_ms();
	lab_answer(lab.records[0].exchange, 200, "at last");
	assert_string_equal(peer_reply(peer)->body, "at last");
	LAB_WAIT(peer_is_closed(peer));
	assert_true(lab_now_ms() - start_ms >= 1900);
	peer_close(peer);
}
