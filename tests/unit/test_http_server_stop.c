/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stopping the server.
 */
#include "unit_test.h"
#include "http_peer.h"

static bool port_takes(uint16_t port)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool taken = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;

	close(fd);
	return taken;
}

FIXTURE(lab_setup, lab_teardown)

TEST(test_a_stop_lets_waiting_requests_answer)
{
	struct peer *waiting, *idle, *receiving;
	const struct reply *reply;
	uint16_t port;

	lab_start();
	port = lab_listener(0).port;
	waiting = peer_connect();
	idle = peer_connect();
	receiving = peer_connect();
	peer_post(waiting, "/later", "x");
	peer_get(idle, "/echo");
	assert_int_equal(peer_reply(idle)->status, 200);
	peer_send(receiving, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
			     "Content-Length: 4\r\n\r\nab");
	LAB_WAIT(lab.record_count == 3 && lab.records[0].completed);
	http_server_stop(lab.server, 5000, lab_on_stopped, &lab.stopped);
	assert_int_equal(lab.records[0].stopping, 1);
	assert_int_equal(lab.stopped, 0);
	reply = peer_reply(waiting);
	assert_int_equal(reply->status, 503);
	assert_string_equal(reply->body, "stopping");
	assert_true(reply_has(reply, "\r\nConnection: close\r\n"));
	LAB_WAIT(peer_is_closed(idle));
	assert_false(port_takes(port));
	assert_int_equal(lab.stopped, 0);
	peer_send(receiving, "cd");
	reply = peer_reply(receiving);
	assert_string_equal(reply->body, "abcd");
	assert_true(reply_has(reply, "\r\nConnection: close\r\n"));
	LAB_WAIT(lab.stopped);
	assert_int_equal(http_server_connections(lab.server), 0);
	peer_close(waiting);
	peer_close(idle);
	peer_close(receiving);
}

TEST(test_a_request_that_begins_to_wait_during_a_stop_runs_stopping)
{
	struct peer *peer;

	lab_start();
	peer = peer_connect();
	peer_send(peer, "POST /later HTTP/1.1\r\nHost: localhost\r\n"
			"Content-Length: 4\r\n\r\nab");
	LAB_WAIT(lab.record_count == 1);
	http_server_stop(lab.server, 5000, lab_on_stopped, &lab.stopped);
	assert_int_equal(lab.records[0].stopping, 0);
	peer_send(peer, "cd");
	assert_int_equal(peer_reply(peer)->status, 503);
	assert_int_equal(lab.records[0].stopping, 1);
	LAB_WAIT(lab.stopped);
	peer_close(peer);
}

TEST(test_a_stop_without_connections_finishes_at_once)
{
	lab_start();
	http_server_stop(lab.server, 60000, lab_on_stopped, &lab.stopped);
	assert_int_equal(lab.stopped, 0);
	LAB_WAIT(lab.stopped == 1);
	lab_turn(0);
	assert_int_equal(lab.stopped, 1);
}

/* The peer can read an answer to its end; then the connection closes. */
TEST(test_a_stop_lets_an_answer_finish)
{
	struct peer *peer;
	size_t total = 0;

	lab_start();
	peer = peer_connect();
	peer_get(peer, "/huge");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	lab_turn(0);
	http_server_stop(lab.server, 60000, lab_on_stopped, &lab.stopped);
	PEER_SWALLOW_UNTIL(peer, total, peer->closed);
	assert_true(total > LAB_HUGE_BYTES);
	assert_false(peer_was_reset(peer));
	LAB_WAIT(lab.stopped);
	peer_close(peer);
}

static void free_server(void *data)
{
	http_server_free(lab.server);
	lab.server = NULL;
	lab_on_stopped(data);
}

TEST(test_a_stop_gives_up_after_its_timeout)
{
	struct peer *waiting, *receiving;

	lab.answers_when_stopping = false;
	lab_start();
	waiting = peer_connect();
	receiving = peer_connect();
	peer_post(waiting, "/later", "x");
	peer_send(receiving, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
			     "Content-Length: 4\r\n\r\nab");
	LAB_WAIT(lab.record_count == 2 && lab.records[0].completed);
	http_server_stop(lab.server, 50, free_server, &lab.stopped);
	assert_int_equal(lab.records[0].stopping, 1);
	LAB_WAIT(lab.stopped);
	assert_int_equal(lab.records[0].abandoned, 1);
	assert_int_equal(lab.records[0].ended, 1);
	assert_int_equal(lab.records[1].abandoned, 1);
	LAB_WAIT(peer_is_closed(waiting));
	peer_close(waiting);
	peer_close(receiving);
}

TEST(test_a_server_can_stop_before_it_serves)
{
	struct peer *peer;

	lab_listen();
	peer = peer_connect();
	http_server_stop(lab.server, 60000, lab_on_stopped, &lab.stopped);
	LAB_WAIT(lab.stopped == 1);
	LAB_WAIT(peer_is_closed(peer));
	peer_close(peer);
}
