/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http_client/http_client.h"

#include "unit_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"

#include "loop_wait.h"
#include "patience.h"

enum { BENCH_PEERS_MAX = 8 };

#define BENCH_WAIT_MS (patience_ms(8000))

/* A server that the test plays by hand, and what the client reported. */
struct bench {
	sd_event *loop;
	struct http_client *client;
	struct http_client_request *request;
	int listener;
	char url[64];
	char socket_path[64]; /* "": it listens on TCP */
	/* what the callbacks saw */
	unsigned head_status;
	char content_type[64];
	struct buffer body;
	int pieces, done;
	struct http_client_result result;
	char error[256];
	bool cancels_in_piece, pauses_in_piece, refuses_piece;
	int asked_addresses;
};

static struct bench bench;

#define BENCH_WAIT(condition) LOOP_WAIT(bench.loop, 5000, BENCH_WAIT_MS, condition)

/* Callbacks */

static void bench_on_head(void *data, unsigned status)
{
	const char *type = http_client_header(bench.request, "content-type");

	bench.head_status = status;
	snprintf(bench.content_type, sizeof(bench.content_type), "%s", type ? type : "");
}

static bool bench_on_piece(void *data, const char *piece, size_t length)
{
	bench.pieces++;
	buffer_append(&bench.body, piece, length);
	if (bench.cancels_in_piece)
		http_client_cancel(bench.request);
	if (bench.pauses_in_piece)
		http_client_pause(bench.request, true);
	return !bench.refuses_piece;
}

static void bench_on_done(void *data, const struct http_client_result *result)
{
	bench.done++;
	bench.result = *result;
	snprintf(bench.error, sizeof(bench.error), "%s", result->error);
}

static bool bench_refuse_address(void *data, const struct sockaddr *address)
{
	bench.asked_addresses++;
	assert_int_equal(address->sa_family, AF_INET);
	return false;
}

/* The server's side */

static void bench_listen(void)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);

	bench.listener = loop_wait_listen(0, BENCH_PEERS_MAX);
	getsockname(bench.listener, (struct sockaddr *)&address, &length);
	snprintf(bench.url, sizeof(bench.url), "http://127.0.0.1:%u/path",
		 ntohs(address.sin_port));
}

static void bench_listen_at_path(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	close(bench.listener);
	snprintf(bench.socket_path, sizeof(bench.socket_path), "/tmp/http-client-%ld",
		 (long)getpid());
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", bench.socket_path);
	unlink(bench.socket_path);
	bench.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(
		bind(bench.listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(bench.listener, BENCH_PEERS_MAX), 0);
}

static bool bench_try_accept(int *peer_out)
{
	*peer_out = accept4(bench.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	return *peer_out >= 0;
}

static int bench_accept(void)
{
	int peer;

	BENCH_WAIT(bench_try_accept(&peer));
	return peer;
}

static bool bench_has_request(int peer, struct buffer *request, const char *end)
{
	char bytes[4096];
	ssize_t length = recv(peer, bytes, sizeof(bytes), 0);

	if (length > 0)
		buffer_append(request, bytes, (size_t)length);
	return request->length >= strlen(end) &&
	       memcmp(request->data + request->length - strlen(end), end, strlen(end)) ==
		       0;
}

/* Waits until the request has come, up to `end`; the caller frees its text. */
static char *bench_read_request(int peer, const char *end)
{
	struct buffer request = BUFFER_INIT;
	size_t length;

	BENCH_WAIT(bench_has_request(peer, &request, end));
	buffer_append(&request, "", 1);
	return buffer_take(&request, &length);
}

static void bench_write(int peer, const char *text)
{
	assert_int_equal(send(peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Returns true if all is written, or the client has left. */
static bool bench_has_written(int peer, const struct buffer *answer, size_t *sent)
{
	ssize_t length =
		send(peer, answer->data + *sent, answer->length - *sent, MSG_NOSIGNAL);

	if (length < 0)
		return errno != EAGAIN;
	*sent += (size_t)length;
	return *sent == answer->length;
}

static bool bench_is_left(int peer)
{
	char byte;
	ssize_t length = recv(peer, &byte, 1, 0);

	return length == 0 || (length < 0 && errno != EAGAIN);
}

/* The client's side */

static struct http_client_order bench_order(void)
{
	return (struct http_client_order){
		.method = "POST",
		.url = bench.url,
		.body = "{\"a\":1}",
		.body_length = strlen("{\"a\":1}"),
		.head = bench_on_head,
		.piece = bench_on_piece,
		.done = bench_on_done,
	};
}

static void bench_start(const struct http_client_order *order)
{
	assert_int_equal(http_client_start(bench.client, order, &bench.request), 0);
	assert_int_equal(bench.done, 0);
}

static int bench_set_up(void **state)
{
	bench = (struct bench){ 0 };
	assert_int_equal(sd_event_new(&bench.loop), 0);
	bench.client = http_client_new(bench.loop);
	assert_non_null(bench.client);
	bench_listen();
	return 0;
}

static int bench_tear_down(void **state)
{
	http_client_free(bench.client);
	buffer_deinit(&bench.body);
	close(bench.listener);
	if (*bench.socket_path)
		unlink(bench.socket_path);
	sd_event_unref(bench.loop);
	return 0;
}

static bool bench_body_is(const char *text)
{
	return bench.body.length == strlen(text) &&
	       memcmp(bench.body.data, text, strlen(text)) == 0;
}

/* Tests */

FIXTURE(bench_set_up, bench_tear_down)

TEST(test_a_post_is_sent_as_ordered_and_its_answer_arrives)
{
	const char *const headers[] = { "Content-Type: application/json", "X-One: 1",
					NULL };
	struct http_client_order order = bench_order();
	char *request;
	int peer;

	order.headers = headers;
	bench_start(&order);
	peer = bench_accept();
	request = bench_read_request(peer, "{\"a\":1}");
	assert_memory_equal(request, "POST /path HTTP/1.1\r\n", 21);
	assert_non_null(strstr(request, "\r\nX-One: 1\r\n"));
	assert_non_null(strstr(request, "\r\nContent-Type: application/json\r\n"));
	assert_null(strcasestr(request, "expect:"));
	free(request);
	bench_write(peer, "HTTP/1.1 201 Created\r\nContent-Type: text/x\r\n"
			  "Content-Length: 2\r\n\r\nok");
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_ANSWERED);
	assert_int_equal(bench.result.status, 201);
	assert_int_equal(bench.head_status, 201);
	assert_string_equal(bench.content_type, "text/x");
	assert_string_equal(bench.error, "");
	assert_true(bench_body_is("ok"));
	close(peer);
}

TEST(test_pieces_of_a_stream_arrive_before_its_end)
{
	struct http_client_order order = bench_order();
	int peer;

	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	bench_write(peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
			  "3\r\none\r\n");
	BENCH_WAIT(bench_body_is("one"));
	assert_int_equal(bench.done, 0);
	bench_write(peer, "3\r\ntwo\r\n0\r\n\r\n");
	BENCH_WAIT(bench.done);
	assert_true(bench_body_is("onetwo"));
	close(peer);
}

TEST(test_nothing_is_sent_where_nobody_listens)
{
	struct http_client_order order = bench_order();

	shutdown(bench.listener, SHUT_RDWR);
	bench_start(&order);
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_UNREACHABLE);
	assert_false(bench.result.may_be_sent);
	assert_string_not_equal(bench.error, "");
}

TEST(test_a_refused_address_is_never_connected_to)
{
	struct http_client_order order = bench_order();
	int peer;

	order.allow_address = bench_refuse_address;
	bench_start(&order);
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_ADDRESS_REFUSED);
	assert_false(bench.result.may_be_sent);
	assert_int_equal(bench.asked_addresses, 1);
	assert_false(bench_try_accept(&peer));
}

TEST(test_a_request_without_an_answer_is_not_sent_again)
{
	struct http_client_order order = bench_order();
	int peer;

	for (int round = 1; round <= 2; round++) {
		bench_start(&order);
		peer = bench_accept();
		free(bench_read_request(peer, "{\"a\":1}"));
		/* the first may keep its connection, which the second must not use */
		if (round == 1)
			bench_write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
		else
			close(peer);
		BENCH_WAIT(bench.done);
		bench.done = 0;
	}
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_BROKEN);
	assert_true(bench.result.may_be_sent);
	assert_int_equal(bench.result.status, 0);
	assert_false(bench_try_accept(&peer));
}

TEST(test_a_cut_answer_is_broken)
{
	struct http_client_order order = bench_order();
	int peer;

	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	bench_write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
	close(peer);
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_BROKEN);
	assert_int_equal(bench.result.status, 200);
}

TEST(test_a_silent_server_is_left_after_the_timeout)
{
	struct http_client_order order = bench_order();
	int peer;

	order.timeout_ms = 100;
	bench_start(&order);
	peer = bench_accept();
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_TIMED_OUT);
	assert_true(bench.result.may_be_sent);
	close(peer);
}

TEST(test_a_longer_answer_than_wanted_is_not_read)
{
	struct http_client_order order = bench_order();
	int peer;

	order.answer_max = 4;
	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	bench_write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345");
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_TOO_LARGE);
	assert_int_equal(bench.pieces, 0);
	close(peer);
}

TEST(test_trailers_without_end_are_not_kept)
{
	static const char head[] =
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
	static const char trailer[] = "X: y\r\n";
	struct http_client_order order = bench_order();
	struct buffer answer = BUFFER_INIT;
	size_t sent = 0;
	int peer;

	buffer_append(&answer, head, strlen(head));
	for (unsigned at = 0; at < 20 * 1000; at++)
		buffer_append(&answer, trailer, strlen(trailer));
	buffer_append(&answer, "\r\n", 2);
	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	BENCH_WAIT(bench_has_written(peer, &answer, &sent));
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_BROKEN);
	assert_int_equal(bench.result.status, 200);
	close(peer);
	buffer_deinit(&answer);
}

TEST(test_a_redirect_is_an_answer_and_not_followed)
{
	struct http_client_order order = bench_order();
	char answer[256];
	int peer;

	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	snprintf(answer, sizeof(answer),
		 "HTTP/1.1 307 Elsewhere\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
		 bench.url);
	bench_write(peer, answer);
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.status, 307);
	close(peer);
	assert_false(bench_try_accept(&peer));
}

TEST(test_a_cancelled_request_closes_and_reports_nothing)
{
	struct http_client_order order = bench_order();
	int peer;

	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	http_client_cancel(bench.request);
	BENCH_WAIT(bench_is_left(peer));
	assert_int_equal(bench.done, 0);
	close(peer);
}

TEST(test_a_request_can_be_cancelled_before_it_begins)
{
	struct http_client_order order = bench_order();
	int peer;

	bench_start(&order);
	http_client_cancel(bench.request);
	assert_int_equal(sd_event_run(bench.loop, 0), 1);
	assert_int_equal(bench.done, 0);
	assert_false(bench_try_accept(&peer));
}

TEST(test_a_request_can_be_cancelled_by_its_own_piece)
{
	struct http_client_order order = bench_order();
	int peer;

	bench.cancels_in_piece = true;
	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	bench_write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
	BENCH_WAIT(bench_is_left(peer));
	assert_int_equal(bench.pieces, 1);
	assert_int_equal(bench.done, 0);
	close(peer);
}

TEST(test_a_piece_can_end_the_request)
{
	struct http_client_order order = bench_order();
	int peer;

	bench.refuses_piece = true;
	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	bench_write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.outcome, HTTP_CLIENT_BROKEN);
	close(peer);
}

TEST(test_a_paused_request_reads_no_more_until_it_goes_on)
{
	struct http_client_order order = bench_order();
	char *much = malloc(64 * 1024 + 1);
	size_t sent = 0;
	ssize_t length = 0;
	int peer;

	assert_non_null(much);
	memset(much, 'x', 64 * 1024);
	bench.pauses_in_piece = true;
	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	bench_write(peer, "HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\nx");
	BENCH_WAIT(bench.pieces);
	/* until the sockets hold no more */
	for (int idle = 0; idle < 3;) {
		length = send(peer, much, 64 * 1024, MSG_NOSIGNAL);
		sent += length > 0 ? (size_t)length : 0;
		idle = length > 0 ? 0 : idle + 1;
		sd_event_run(bench.loop, 20000);
	}
	assert_int_equal(bench.pieces, 1);
	assert_true(sent < 67108864 - 64 * 1024);
	bench.pauses_in_piece = false;
	http_client_pause(bench.request, false);
	BENCH_WAIT(bench.body.length == sent + 1);
	close(peer);
	free(much);
}

TEST(test_a_unix_socket_is_connected_to_by_its_path)
{
	struct http_client_order order = bench_order();
	char *request;
	int peer;

	bench_listen_at_path();
	order.url = "http://localhost/mcp";
	order.socket_path = bench.socket_path;
	bench_start(&order);
	peer = bench_accept();
	request = bench_read_request(peer, "{\"a\":1}");
	assert_memory_equal(request, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n", 37);
	free(request);
	bench_write(peer, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
	BENCH_WAIT(bench.done);
	assert_int_equal(bench.result.status, 202);
	close(peer);
}

TEST(test_freeing_the_client_ends_what_is_under_way)
{
	struct http_client_order order = bench_order();
	int peer;

	bench_start(&order);
	peer = bench_accept();
	free(bench_read_request(peer, "{\"a\":1}"));
	http_client_free(bench.client);
	bench.client = NULL;
	BENCH_WAIT(bench_is_left(peer));
	assert_int_equal(bench.done, 0);
	close(peer);
}
