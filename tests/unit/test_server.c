/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http_peer.h"

static void test_echo_and_keep_alive(void **state)
{
	const struct reply *reply;
	struct peer *peer;
	int turn;

	(void)state;
	lab_start();
	peer = peer_connect();
	for (turn = 0; turn < 3; turn++) {
		peer_post(peer, "/echo", "{\"hello\":1}");
		reply = peer_reply(peer);
		assert_int_equal(reply->status, 200);
		assert_string_equal(reply->body, "{\"hello\":1}");
		assert_true(reply_has(reply, "\r\nContent-Type: application/json\r\n"));
		assert_true(reply_has(reply, "\r\nConnection: keep-alive\r\n"));
		assert_int_equal(http_server_connections(lab.server), 1);
		assert_int_equal(lab.records[turn].pieces, 1);
		assert_int_equal(lab.records[turn].ended, 1);
		assert_int_equal(lab.records[turn].abandoned, 0);
	}
	peer_send(peer, "POST /accepted HTTP/1.1\r\nHost: localhost\r\n\r\n");
	reply = peer_reply(peer);
	assert_int_equal(reply->status, 202);
	assert_true(reply_has(reply, "\r\nContent-Length: 0\r\n"));
	assert_false(reply_has(reply, "Content-Type"));
	peer_send(peer, "GET /echo?a=%00&b HTTP/1.0\r\n\r\n");
	assert_int_equal(peer_reply(peer)->status, 200);
	LAB_WAIT(peer_is_closed(peer));
	LAB_WAIT(http_server_connections(lab.server) == 0);
	peer_close(peer);
}

static void test_answer_comes_later(void **state)
{
	struct peer *slow, *quick;
	const struct reply *reply;

	(void)state;
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

static void test_pipelined_requests_keep_their_order(void **state)
{
	struct peer *peer;
	int turn;

	(void)state;
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

static void test_peer_gone_while_waiting(void **state)
{
	struct peer *peer;
	int turn;

	(void)state;
	lab_start();
	peer = peer_connect();
	peer_post(peer, "/later", "x");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	peer_close(peer);
	for (turn = 0; turn < 3 && !lab.records[0].ended; turn++)
		sd_event_run(lab.loop, 1000 * 1000);
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

/* One that waits with another request behind it, one that streams, one half there. */
static void test_what_a_client_has_under_way_is_cut(void **state)
{
	struct peer *waits, *streams, *half;

	(void)state;
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
	http_server_cut_client(lab.server, 0); /* all of open mode */
	http_server_cut_client(lab.server, 0);
	peer_send(half, "cde");
	assert_cut(waits, 0);
	assert_cut(streams, 1);
	assert_cut(half, 2);
	LAB_WAIT(http_server_connections(lab.server) == 0);
	assert_int_equal(lab.record_count, 3);
	assert_int_equal(lab.records[2].completed, 0);
}

static void test_what_a_client_was_answered_is_not_cut(void **state)
{
	struct peer *idle, *peer;

	(void)state;
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

/* The next request is already there when the peer resets. */
static void test_peer_resets_with_a_request_in_the_pipe(void **state)
{
	const struct linger reset = { 1, 0 };
	struct peer *peer;

	(void)state;
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

/* On a kept connection that waited before, the watch is already there. */
static void test_peer_gone_the_second_time(void **state)
{
	struct peer *peer;

	(void)state;
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

/* Reads and forgets until `condition` holds. */
#define SWALLOW_UNTIL(peer, total, condition)                    \
	do {                                                     \
		uint64_t until_ms_ = lab_now_ms() + LAB_WAIT_MS; \
		while (!(condition)) {                           \
			peer_read(peer);                         \
			total += (peer)->length;                 \
			(peer)->length = 0;                      \
			assert_true(lab_turn(until_ms_));        \
		}                                                \
	} while (0)

/* The watch hears of the end while an earlier answer is still going out. */
static void test_peer_gone_before_it_waits(void **state)
{
	struct peer *peer;
	size_t total = 0;

	(void)state;
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
	SWALLOW_UNTIL(peer, total, lab.record_count == 3 && lab.records[2].ended);
	SWALLOW_UNTIL(peer, total, peer->closed);
	assert_true(total > LAB_HUGE_BYTES);
	assert_int_equal(lab.records[1].abandoned, 0);
	assert_int_equal(lab.records[2].completed, 1);
	assert_int_equal(lab.records[2].abandoned, 1);
	LAB_WAIT(http_server_connections(lab.server) == 0);
	peer_close(peer);
}

/* An exchange may be answered from within another one's callback. */
static void test_one_answers_another(void **state)
{
	struct peer *first, *second;

	(void)state;
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

static void test_peer_gone_while_sending(void **state)
{
	struct peer *peer;

	(void)state;
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

static void test_many_wait_at_once(void **state)
{
	enum { COUNT = 200 };
	static struct peer *peers[COUNT];
	int at;

	(void)state;
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

/* libmicrohttpd's own loop hangs when just 128 or 256 connections are ready at once. */
static void test_a_multiple_of_128_ready_at_once(void **state)
{
	enum { COUNT = 256 };
	static struct peer *peers[COUNT];
	int at;

	(void)state;
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

static void test_limit_recovers(void **state)
{
	struct peer *first, *second, *third;
	uint64_t start_ms;

	(void)state;
	lab.config.max_connections = 2;
	lab_start();
	first = peer_connect();
	second = peer_connect();
	LAB_WAIT(http_server_connections(lab.server) == 2);
	third = peer_connect(); /* in the backlog */
	peer_post(third, "/echo", "third");
	peer_post(second, "/echo", "second");
	assert_string_equal(peer_reply(second)->body, "second");
	assert_int_equal(http_server_connections(lab.server), 2);
	assert_int_equal(lab.record_count, 1);
	peer_close(first);
	start_ms = lab_now_ms();
	assert_string_equal(peer_reply(third)->body, "third");
	assert_true(lab_now_ms() - start_ms < 10000); /* no time-out had to end */
	peer_close(second);
	peer_close(third);
}

static void test_per_address_limit(void **state)
{
	struct peer *first, *second;

	(void)state;
	lab.config.max_connections_per_address = 1;
	lab_start();
	first = peer_connect();
	peer_get(first, "/echo");
	assert_int_equal(peer_reply(first)->status, 200);
	second = peer_connect();
	assert_int_equal(peer_reply(second)->status, 503);
	LAB_WAIT(peer_is_closed(second));
	peer_get(first, "/echo");
	assert_int_equal(peer_reply(first)->status, 200);
	peer_close(first);
	peer_close(second);
}

/* Answers that nobody reads share one budget; small ones are not counted. */
static void test_answers_within_the_budget(void **state)
{
	struct peer *slow, *other;

	(void)state;
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

/* Nothing wakes the loop while connections are idle or wait. */
static void test_idle_is_idle(void **state)
{
	struct peer *idle, *waiting;
	int turn;

	(void)state;
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
	assert_in_range(lab.turns - before, 20, 40); /* nobody else waits */
	peer_close(peer);
	peer_close(other);
}

static void test_endless_chunk_line_does_not_spin(void **state)
{
	(void)state;
	lab_start();
	endless_chunk_line("5;", 'x');
	endless_chunk_line("", '0');
}

static void on_stopped(void *data)
{
	++*(int *)data;
}

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

static void test_stop_answers_what_waits(void **state)
{
	struct peer *waiting, *idle, *receiving;
	const struct reply *reply;
	uint16_t port;

	(void)state;
	lab_start();
	port = http_server_port(lab.server, 0);
	waiting = peer_connect();
	idle = peer_connect();
	receiving = peer_connect();
	peer_post(waiting, "/later", "x");
	peer_get(idle, "/echo");
	assert_int_equal(peer_reply(idle)->status, 200);
	peer_send(receiving, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"
			     "Content-Length: 4\r\n\r\nab");
	LAB_WAIT(lab.record_count == 3 && lab.records[0].completed);
	http_server_stop(lab.server, 5000, on_stopped, &lab.stopped);
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

enum { BUSY_PEERS = 8 };

static int completed(void)
{
	int count = 0;

	for (int at = 0; at < lab.record_count; at++)
		count += lab.records[at].completed;
	return count;
}

/* Wherever they stand in the turn, which has time for one of the others. */
static void test_who_asks_little_is_not_behind_who_asks_much(void **state)
{
	struct peer *much[BUSY_PEERS], *little[2];
	uint16_t port;

	(void)state;
	lab_start();
	port = http_server_port(lab.server, 0);
	little[0] = peer_connect_from(port, 2);
	for (int at = 0; at < BUSY_PEERS; at++)
		much[at] = peer_connect();
	little[1] = peer_connect_from(port, 3);
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

/* Who leaves meanwhile, and the end of the server, find them in any state. */
static void test_put_off_and_gone(void **state)
{
	struct peer *much[BUSY_PEERS];

	(void)state;
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
	http_server_stop(lab.server, 2000, on_stopped, &lab.stopped);
	LAB_WAIT(lab.stopped);
	for (int at = 5; at < BUSY_PEERS; at++)
		assert_int_equal(peer_reply(much[at])->status, at % 2 ? 200 : 503);
	for (int at = 0; at < BUSY_PEERS; at++)
		if (at != 3 && at != 4)
			peer_close(much[at]);
}

static void test_stop_tells_who_begins_to_wait(void **state)
{
	struct peer *peer;

	(void)state;
	lab_start();
	peer = peer_connect();
	peer_send(peer, "POST /later HTTP/1.1\r\nHost: localhost\r\n"
			"Content-Length: 4\r\n\r\nab");
	LAB_WAIT(lab.record_count == 1);
	http_server_stop(lab.server, 5000, on_stopped, &lab.stopped);
	assert_int_equal(lab.records[0].stopping, 0);
	peer_send(peer, "cd");
	assert_int_equal(peer_reply(peer)->status, 503);
	assert_int_equal(lab.records[0].stopping, 1);
	LAB_WAIT(lab.stopped);
	peer_close(peer);
}

static void test_stop_without_connections(void **state)
{
	(void)state;
	lab_start();
	http_server_stop(lab.server, 60000, on_stopped, &lab.stopped);
	assert_int_equal(lab.stopped, 0);
	LAB_WAIT(lab.stopped == 1);
	lab_turn(0);
	assert_int_equal(lab.stopped, 1);
}

/* An answer on its way when the stop comes is read to its end, then that was it. */
static void test_stop_lets_an_answer_finish(void **state)
{
	struct peer *peer;
	size_t total = 0;

	(void)state;
	lab_start();
	peer = peer_connect();
	peer_get(peer, "/huge");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	lab_turn(0);
	http_server_stop(lab.server, 60000, on_stopped, &lab.stopped);
	SWALLOW_UNTIL(peer, total, peer->closed);
	assert_true(total > LAB_HUGE_BYTES);
	assert_false(peer_was_reset(peer));
	LAB_WAIT(lab.stopped);
	peer_close(peer);
}

static void free_server(void *data)
{
	http_server_free(lab.server);
	lab.server = NULL;
	on_stopped(data);
}

static void test_stop_gives_up(void **state)
{
	struct peer *waiting, *receiving;

	(void)state;
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

static void test_who_comes_before_it_serves_waits(void **state)
{
	struct peer *peer;

	(void)state;
	lab_listen();
	peer = peer_connect();
	peer_get(peer, "/echo");
	lab_turn(50);
	assert_int_equal(lab.record_count, 0);
	assert_int_equal(http_server_serve(lab.server), 0);
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

static void test_stop_before_it_serves(void **state)
{
	struct peer *peer;

	(void)state;
	lab_listen();
	peer = peer_connect();
	http_server_stop(lab.server, 60000, on_stopped, &lab.stopped);
	LAB_WAIT(lab.stopped == 1);
	LAB_WAIT(peer_is_closed(peer));
	peer_close(peer);
}

static void test_port_taken(void **state)
{
	struct http_server *second = NULL;
	struct config_error error = { "" };
	char address[64];

	(void)state;
	lab_start();
	snprintf(address, sizeof(address), "127.0.0.1:%u",
		 http_server_port(lab.server, 0));
	strcpy(lab.config.listen.items[0], address);
	assert_int_equal(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
					 &second, &error),
			 -EADDRINUSE);
	assert_null(second);
	assert_non_null(strstr(error.text, "is taken by another program"));
	assert_non_null(strstr(error.text, address));
	strcpy(lab.config.listen.items[0], "192.0.2.1:9531");
	assert_int_equal(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
					 &second, &error),
			 -EADDRNOTAVAIL);
	strcpy(lab.config.listen.items[0], "localhost");
	assert_int_equal(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
					 &second, &error),
			 -EINVAL);
}

/* Served at `text` as at the first address; `address` lacks the port. */
static void check_second_address(const char *text, struct sockaddr *address,
				 socklen_t length)
{
	struct peer *peer;
	in_port_t port;

	lab.config.listen.count = 2;
	strcpy(lab.config.listen.items[1], text);
	lab_start();
	peer = peer_connect();
	peer_get(peer, "/echo");
	assert_int_equal(peer_reply(peer)->status, 200);
	close(peer->fd);
	peer->fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	port = htons(http_server_port(lab.server, 1));
	if (address->sa_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_port = port;
	else
		((struct sockaddr_in *)address)->sin_port = port;
	assert_int_equal(connect(peer->fd, address, length), 0);
	peer_get(peer, "/echo");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

static void test_two_addresses(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	(void)state;
	inet_pton(AF_INET, "127.0.0.2", &address.sin_addr);
	check_second_address("127.0.0.2:0", (struct sockaddr *)&address, sizeof(address));
}

static bool has_ipv6(const struct sockaddr_in6 *loopback)
{
	int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has = probe >= 0 &&
		   bind(probe, (const struct sockaddr *)loopback, sizeof(*loopback)) == 0;

	if (probe >= 0)
		close(probe);
	return has;
}

/* A machine without it must say so, and not serve half of what it was told to. */
static void test_ipv6(void **state)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct config_error error = { "" };

	(void)state;
	if (has_ipv6(&address)) {
		check_second_address("[::1]:0", (struct sockaddr *)&address,
				     sizeof(address));
		return;
	}
	lab.config.listen.count = 2;
	strcpy(lab.config.listen.items[1], "[::1]:0");
	assert_true(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
				    &lab.server, &error) < 0);
	assert_null(lab.server);
	assert_non_null(strstr(error.text, "[::1]:0: "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, lab_setup, lab_teardown)

/* An address that the network can reach, though we come by loopback. */
static void lab_listen_to_the_network(void)
{
	strcpy(lab.config.listen.items[0], "0.0.0.0:0");
	lab_listen();
	assert_true(http_server_has_network(lab.server));
}

static bool refused_by_the_kernel(void)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(http_server_port(lab.server, 0)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool refused =
		connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 &&
		errno == ECONNREFUSED;

	close(fd);
	return refused;
}

static void test_network_is_closed_without_clients(void **state)
{
	struct peer *peer;

	(void)state;
	lab_listen_to_the_network();
	assert_int_equal(http_server_serve(lab.server), 0);
	http_server_review(lab.server, false);
	lab_turn(0);
	assert_false(http_server_listens(lab.server, 0));
	assert_true(refused_by_the_kernel());
	http_server_review(lab.server, true);
	LAB_WAIT(http_server_listens(lab.server, 0));
	peer = peer_connect();
	peer_get(peer, "/echo");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

static void test_network_closes_with_all_that_is_on_it(void **state)
{
	struct peer *waits, *streams, *idle, *sends;

	(void)state;
	lab_listen_to_the_network();
	assert_int_equal(http_server_serve(lab.server), 0);
	http_server_review(lab.server, true);
	LAB_WAIT(http_server_listens(lab.server, 0));
	waits = peer_connect();
	peer_get(waits, "/later");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	streams = peer_connect();
	peer_get(streams, "/stream");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].stream);
	idle = peer_connect();
	sends = peer_connect();
	peer_send(sends, "POST /echo HTTP/1.1\r\nHost: local");
	LAB_WAIT(http_server_connections(lab.server) == 4);
	http_server_review(lab.server, false);
	LAB_WAIT(peer_is_closed(waits) && peer_is_closed(streams) &&
		 peer_is_closed(idle) && peer_is_closed(sends));
	assert_int_equal(lab.records[0].abandoned, 1);
	assert_int_equal(lab.records[1].abandoned, 1);
	assert_int_equal(http_server_connections(lab.server), 0);
	assert_true(refused_by_the_kernel());
	http_server_review(lab.server, true); /* and once more */
	LAB_WAIT(http_server_listens(lab.server, 0));
	peer_close(waits);
	waits = peer_connect_to(http_server_port(lab.server, 0));
	peer_get(waits, "/echo");
	assert_int_equal(peer_reply(waits)->status, 200);
	peer_close(waits);
	peer_close(streams);
	peer_close(idle);
	peer_close(sends);
}

static void test_network_stops_while_closed(void **state)
{
	(void)state;
	lab_listen_to_the_network();
	assert_int_equal(http_server_serve(lab.server), 0);
	http_server_stop(lab.server, 1000, on_stopped, &lab.stopped);
	http_server_review(lab.server, true); /* too late */
	LAB_WAIT(lab.stopped == 1);
	assert_false(http_server_listens(lab.server, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_echo_and_keep_alive),
		TEST(test_answer_comes_later),
		TEST(test_pipelined_requests_keep_their_order),
		TEST(test_peer_gone_while_waiting),
		TEST(test_what_a_client_has_under_way_is_cut),
		TEST(test_what_a_client_was_answered_is_not_cut),
		TEST(test_peer_resets_with_a_request_in_the_pipe),
		TEST(test_peer_gone_the_second_time),
		TEST(test_peer_gone_before_it_waits),
		TEST(test_one_answers_another),
		TEST(test_peer_gone_while_sending),
		TEST(test_many_wait_at_once),
		TEST(test_a_multiple_of_128_ready_at_once),
		TEST(test_limit_recovers),
		TEST(test_per_address_limit),
		TEST(test_answers_within_the_budget),
		TEST(test_who_asks_little_is_not_behind_who_asks_much),
		TEST(test_put_off_and_gone),
		TEST(test_idle_is_idle),
		TEST(test_endless_chunk_line_does_not_spin),
		TEST(test_stop_answers_what_waits),
		TEST(test_stop_tells_who_begins_to_wait),
		TEST(test_stop_without_connections),
		TEST(test_stop_lets_an_answer_finish),
		TEST(test_stop_gives_up),
		TEST(test_who_comes_before_it_serves_waits),
		TEST(test_stop_before_it_serves),
		TEST(test_port_taken),
		TEST(test_two_addresses),
		TEST(test_network_is_closed_without_clients),
		TEST(test_network_closes_with_all_that_is_on_it),
		TEST(test_network_stops_while_closed),
		TEST(test_ipv6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
