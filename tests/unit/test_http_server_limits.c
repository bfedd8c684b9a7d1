/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server at its limits.
 */
#include "unit_test.h"
#include "http_peer.h"

FIXTURE(lab_setup, lab_teardown)

/* libmicrohttpd's own loop hangs when exactly 128 or 256 connections are ready at once. */
TEST(test_a_multiple_of_128_ready_connections_is_served)
{
	enum { COUNT = 256 };
	static struct peer *peers[COUNT];
	int at;

	lab_start();
	for (at = 0; at < COUNT; at++) {
		peers[at] = peer_connect();
		lab_turn(0);
	}
	LAB_WAIT(http_server_connections(lab.server) == COUNT);
	for (at = 0; at < COUNT; at++)
		peer_post(peers[at], "/echo", "x");
	for (at = 0; at < COUNT; at++) {
		assert_string_equal(peer_reply(peers[at])->body, "x");
		peer_close(peers[at]);
	}
}

/* With auth->open a request to a route that is not public counts as a right token. */
TEST(test_an_idle_connection_makes_room_under_the_limit)
{
	struct peer *first, *second, *third;

	lab.config.max_connections = 2;
	lab_start();
	first = peer_connect();
	peer_get(first, "/echo");
	assert_int_equal(peer_reply(first)->status, 200);
	second = peer_connect();
	peer_get(second, "/later");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].completed);
	third = peer_connect();
	peer_get(third, "/later");
	LAB_WAIT(lab.record_count == 3 && lab.records[2].completed);
	LAB_WAIT(peer_is_closed(first));
	peer_close(first);
	first = peer_connect(); /* no connection is idle: it is refused */
	assert_int_equal(peer_reply(first)->status, 503);
	LAB_WAIT(peer_is_closed(first));
	lab_answer(lab.records[1].exchange, 200, "second");
	lab_answer(lab.records[2].exchange, 200, "third");
	assert_string_equal(peer_reply(second)->body, "second");
	assert_string_equal(peer_reply(third)->body, "third");
	peer_close(first);
	peer_close(second);
	peer_close(third);
}

TEST(test_connections_per_address_are_limited)
{
	struct peer *first, *second;

	lab.config.max_connections_per_address = 1;
	lab_start();
	first = peer_connect();
	peer_get(first, "/later");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	second = peer_connect();
	assert_int_equal(peer_reply(second)->status, 503);
	LAB_WAIT(peer_is_closed(second));
	lab_answer(lab.records[0].exchange, 200, "first");
	assert_int_equal(peer_reply(first)->status, 200);
	peer_close(first);
	peer_close(second);
}

/* Small answers are not counted. */
TEST(test_unread_answers_share_a_memory_budget)
{
	struct peer *slow, *other;

	lab_start();
	slow = peer_connect();
	peer_get(slow, "/huge");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	other = peer_connect();
	peer_get(other, "/huge");
	assert_int_equal(peer_reply(other)->status, 503);
	peer_get(other, "/echo");
	assert_int_equal(peer_reply(other)->status, 200);
	peer_close(slow);
	LAB_WAIT(http_server_connections(lab.server) == 1);
	peer_get(other, "/huge");
	LAB_WAIT(lab.record_count == 4 && lab.records[3].completed);
	peer_close(other);
}

static void endless_chunk_line(const char *begin, char byte)
{
	struct peer *peer = peer_connect(), *other = peer_connect();
	uint64_t end_ms;
	unsigned before;
	int turns = 0, at;

	peer_send(peer, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
			"Transfer-Encoding: chunked\r\n\r\n");
	peer_send(peer, begin);
	for (at = 0; at < 12000; at++) {
		peer_send_bytes(peer, &byte, 1);
		if (at % 100 == 0)
			sd_event_run(lab.loop, 0);
	}
	for (end_ms = lab_now_ms() + 400; lab_now_ms() < end_ms; turns++)
		sd_event_run(lab.loop, 400 * 1000);
	assert_in_range(turns, 0, 50);
	before = lab.turns;
	for (at = 0; at < 20; at++) {
		peer_get(other, "/echo");
		assert_int_equal(peer_reply(other)->status, 200);
	}
	assert_in_range(lab.turns - before, 20,
			40); /* other connections are served meanwhile */
	peer_close(peer);
	peer_close(other);
}

TEST(test_an_endless_chunk_line_does_not_spin)
{
	lab_start();
	endless_chunk_line("5;", 'x');
	endless_chunk_line("", '0');
}
