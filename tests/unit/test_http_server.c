/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server answers: now or later, in order, and many at once.
 */
#include "unit_test.h"
#include "http_peer.h"
#include "own_network.h"

FIXTURE(lab_setup, lab_teardown)

TEST(test_a_handler_may_answer_later)
{
	struct peer *slow, *quick;
	const struct reply *reply;

	lab_start();
	slow = peer_connect();
	quick = peer_connect();
	peer_post(slow, "/later", "question");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	peer_post(quick, "/echo", "meanwhile");
	assert_string_equal(peer_reply(quick)->body, "meanwhile");
	peer_read(slow);
	assert_int_equal(slow->length, 0);
	lab_answer(lab.records[0].exchange, 200, "answer");
	reply = peer_reply(slow);
	assert_string_equal(reply->body, "answer");
	LAB_WAIT(lab.records[0].ended);
	peer_post(slow, "/later", "again");
	LAB_WAIT(lab.record_count == 3 && lab.records[2].completed);
	lab_answer(lab.records[2].exchange, 200, "second");
	assert_string_equal(peer_reply(slow)->body, "second");
	assert_int_equal(lab.records[2].abandoned, 0);
	peer_close(slow);
	peer_close(quick);
}

TEST(test_pipelined_requests_keep_their_order)
{
	struct peer *peer;
	int turn;

	lab_start();
	peer = peer_connect();
	peer_post(peer, "/later", "one");
	peer_post(peer, "/echo", "two");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	peer_post(peer, "/echo", "three");
	for (turn = 0; turn < 20; turn++)
		lab_turn(0);
	assert_int_equal(lab.record_count, 1);
	assert_int_equal(lab.records[0].abandoned, 0);
	lab_answer(lab.records[0].exchange, 200, "first");
	assert_string_equal(peer_reply(peer)->body, "first");
	assert_string_equal(peer_reply(peer)->body, "two");
	assert_string_equal(peer_reply(peer)->body, "three");
	peer_close(peer);
}

/* Inside its own callback. */
TEST(test_a_handler_may_answer_another_exchange)
{
	struct peer *first, *second;

	lab_start();
	first = peer_connect();
	second = peer_connect();
	peer_get(first, "/later");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	peer_get(second, "/release");
	assert_string_equal(peer_reply(second)->body, "released");
	assert_string_equal(peer_reply(first)->body, "by another");
	peer_close(first);
	peer_close(second);
}

TEST(test_many_requests_may_wait_at_once)
{
	enum { COUNT = 200 };
	static struct peer *peers[COUNT];
	int at;

	lab_start();
	for (at = 0; at < COUNT; at++) {
		peers[at] = peer_connect();
		peer_post(peers[at], "/later", "x");
		lab_turn(0);
	}
	LAB_WAIT(lab.record_count == COUNT && lab.records[COUNT - 1].completed);
	assert_int_equal(http_server_connections(lab.server), COUNT);
	for (at = 0; at < COUNT / 2; at++)
		lab_answer(lab.records[at].exchange, 200, "y");
	for (at = COUNT / 2; at < COUNT; at++)
		close(peers[at]->fd);
	for (at = 0; at < COUNT / 2; at++)
		assert_string_equal(peer_reply(peers[at])->body, "y");
	LAB_WAIT(http_server_connections(lab.server) == COUNT / 2);
	for (at = 0; at < COUNT; at++) {
		assert_int_equal(lab.records[at].ended, 1);
		assert_int_equal(lab.records[at].abandoned, at >= COUNT / 2);
		if (at < COUNT / 2)
			close(peers[at]->fd);
		free(peers[at]);
	}
}

TEST(test_idle_and_waiting_connections_do_not_wake_the_loop)
{
	struct peer *idle, *waiting;
	int turn;

	lab_start();
	idle = peer_connect();
	waiting = peer_connect();
	peer_get(idle, "/echo");
	assert_int_equal(peer_reply(idle)->status, 200);
	peer_get(waiting, "/later");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].completed);
	for (turn = 0; turn < 5; turn++)
		lab_turn(0);
	assert_int_equal(sd_event_run(lab.loop, 400 * 1000), 0);
	peer_close(idle);
	peer_close(waiting);
}

enum { BUSY_PEERS = 8, SERVER = 0x0a000001 };

static int completed(void)
{
	int count = 0;

	for (int at = 0; at < lab.record_count; at++)
		count += lab.records[at].completed;
	return count;
}

/* Their position in the turn does not matter; it has time for only one of the busy requests. */
TEST(test_a_modest_client_is_not_behind_a_greedy_one)
{
	struct peer *much[BUSY_PEERS], *little[2];
	uint16_t port;

	strcpy(lab.config.listen.items[0], "10.0.0.1:0");
	lab_start();
	http_server_review(lab.server, true);
	LAB_WAIT(lab_listener(0).open);
	port = lab_listener(0).port;
	little[0] = peer_connect_from(port, SERVER, SERVER + 1);
	for (int at = 0; at < BUSY_PEERS; at++)
		much[at] = peer_connect_from(port, SERVER, SERVER);
	little[1] = peer_connect_from(port, SERVER, SERVER + 2);
	peer_get(little[0], "/echo");
	for (int at = 0; at < BUSY_PEERS; at++)
		peer_get(much[at], "/busy");
	peer_get(little[1], "/echo");
	for (int at = 0; at < 2; at++)
		assert_int_equal(peer_reply(little[at])->status, 200);
	assert_true(completed() < BUSY_PEERS);
	for (int at = 0; at < BUSY_PEERS; at++)
		assert_int_equal(peer_reply(much[at])->status, 200);
	assert_int_equal(completed(), BUSY_PEERS + 2);
	for (int at = 0; at < BUSY_PEERS; at++)
		peer_close(much[at]);
	peer_close(little[0]);
	peer_close(little[1]);
}

TEST(test_postponed_requests_survive_leaving_peers_and_a_stop)
{
	struct peer *much[BUSY_PEERS];

	lab_start();
	for (int at = 0; at < BUSY_PEERS; at++) {
		much[at] = peer_connect();
		peer_get(much[at], at % 2 ? "/busy" : "/later");
	}
	LAB_WAIT(completed() > 0);
	shutdown(much[1]->fd, SHUT_WR);
	shutdown(much[2]->fd, SHUT_WR);
	peer_close(much[3]);
	peer_close(much[4]);
	assert_int_equal(peer_reply(much[1])->status, 200);
	http_server_stop(lab.server, 2000, lab_on_stopped, &lab.stopped);
	LAB_WAIT(lab.stopped);
	for (int at = 5; at < BUSY_PEERS; at++)
		assert_int_equal(peer_reply(much[at])->status, at % 2 ? 200 : 503);
	for (int at = 0; at < BUSY_PEERS; at++)
		if (at != 3 && at != 4)
			peer_close(much[at]);
}

void before_tests(int argc, char **argv)
{
	if (!own_network_enter())
		fputs("cannot create a network namespace\n", stderr);
}
