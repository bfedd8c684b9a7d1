/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Peers that leave, and clients that are cut off.
 */
#include "unit_test.h"
#include "http_peer.h"
#include "patience.h"

FIXTURE(lab_setup, lab_teardown)

TEST(test_a_waiting_request_is_abandoned_when_its_peer_leaves)
{
	struct peer *peer;
	int turn;

	lab_start();
	peer = peer_connect();
	peer_post(peer, "/later", "x");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	peer_close(peer);
	for (turn = 0; turn < 3 && !lab.records[0].ended; turn++)
		sd_event_run(lab.loop, patience_us(1000 * 1000));
	assert_int_equal(lab.records[0].abandoned, 1);
	assert_int_equal(lab.records[0].ended, 1);
	LAB_WAIT(http_server_connections(lab.server) == 0);
}

static void assert_cut(struct peer *peer, int record)
{
	assert_int_equal(lab.records[record].abandoned, 1);
	LAB_WAIT(lab.records[record].ended && peer_is_closed(peer));
	peer_close(peer);
}

/* One request waits with another behind it, one streams, one is still arriving. */
TEST(test_cutting_a_client_abandons_its_requests)
{
	struct peer *waits, *streams, *half;

	lab_start();
	waits = peer_connect();
	peer_post(waits, "/later", "one");
	peer_post(waits, "/echo", "two");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	streams = peer_connect();
	peer_get(streams, "/stream");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].stream);
	half = peer_connect();
	peer_send(half, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
			"Content-Length: 5\r\n\r\nab");
	LAB_WAIT(lab.record_count == 3);
	http_server_cut_client(lab.server, 7);
	assert_int_equal(lab.records[0].abandoned + lab.records[1].abandoned, 0);
	http_server_cut_client(lab.server, 0); /* every client of open mode */
	http_server_cut_client(lab.server, 0);
	peer_send(half, "cde");
	assert_cut(waits, 0);
	assert_cut(streams, 1);
	assert_cut(half, 2);
	LAB_WAIT(http_server_connections(lab.server) == 0);
	assert_int_equal(lab.record_count, 3);
	assert_int_equal(lab.records[2].completed, 0);
}

TEST(test_cutting_a_client_keeps_answers_that_were_given)
{
	struct peer *idle, *peer;

	lab_start();
	idle = peer_connect();
	peer = peer_connect();
	peer_post(idle, "/echo", "before");
	assert_string_equal(peer_reply(idle)->body, "before");
	peer_get(peer, "/huge");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].completed);
	http_server_cut_client(lab.server, 0);
	peer_post(idle, "/echo", "after");
	assert_string_equal(peer_reply(idle)->body, "after");
	assert_int_equal(lab.records[1].abandoned, 0);
	peer_close(idle);
	peer_close(peer);
}

/* The next request has arrived when the peer resets. */
TEST(test_a_reset_abandons_pipelined_requests)
{
	const struct linger reset = { 1, 0 };
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_post(peer, "/later", "x");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	peer_post(peer, "/echo", "y");
	setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	peer_close(peer);
	LAB_WAIT(http_server_connections(lab.server) == 0);
	assert_int_equal(lab.record_count, 1);
	assert_int_equal(lab.records[0].abandoned, 1);

	peer = peer_connect();
	peer_post(peer, "/later", "x");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].completed);
	peer_post(peer, "/echo", "y");
	peer_close(peer);
	LAB_WAIT(http_server_connections(lab.server) == 0);
	assert_int_equal(lab.record_count, 2);
	assert_int_equal(lab.records[1].abandoned, 1);
}

/* The connection has waited before. */
TEST(test_a_peer_that_leaves_during_its_second_wait_is_noticed)
{
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_post(peer, "/later", "x");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	lab_answer(lab.records[0].exchange, 200, "y");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_post(peer, "/later", "x");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].completed);
	peer_close(peer);
	LAB_WAIT(lab.records[1].ended);
	assert_int_equal(lab.records[1].abandoned, 1);
	assert_int_equal(lab.records[0].abandoned, 0);
}

/* The peer closes while an earlier answer is still going out. */
TEST(test_a_peer_that_left_before_the_wait_is_noticed)
{
	struct peer *peer;
	size_t total = 0;

	lab_start();
	peer = peer_connect();
	peer_get(peer, "/later");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	lab_answer(lab.records[0].exchange, 200, "x");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_get(peer, "/huge");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].completed);
	peer_get(peer, "/later");
	shutdown(peer->fd, SHUT_WR);
	PEER_SWALLOW_UNTIL(peer, total, lab.record_count == 3 && lab.records[2].ended);
	PEER_SWALLOW_UNTIL(peer, total, peer->closed);
	assert_true(total > LAB_HUGE_BYTES);
	assert_int_equal(lab.records[1].abandoned, 0);
	assert_int_equal(lab.records[2].completed, 1);
	assert_int_equal(lab.records[2].abandoned, 1);
	LAB_WAIT(http_server_connections(lab.server) == 0);
	peer_close(peer);
}

TEST(test_a_peer_that_leaves_while_sending_is_noticed)
{
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_send(peer, "POST /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n");
	peer_close(peer);
	peer = peer_connect();
	peer_send(peer, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
			"Content-Length: 10\r\n\r\nabc");
	LAB_WAIT(lab.record_count == 1);
	peer_close(peer);
	LAB_WAIT(lab.records[0].ended);
	assert_int_equal(lab.records[0].abandoned, 1);
	assert_int_equal(lab.records[0].completed, 0);
}
