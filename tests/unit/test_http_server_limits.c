/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server at its limits.
 */
#include "unit_test.h"
#include "http_peer.h"

FIXTURE(lab_setup, lab_teardown)

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
