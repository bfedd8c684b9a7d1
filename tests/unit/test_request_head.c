/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request heads as bytes, complete and in pieces, and the bodies after them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/request_head.h"

#define BYTES(text) text, sizeof(text) - 1
#define LINE	    "GET /mcp HTTP/1.1\r\n"
#define HOST	    "Host: localhost\r\n"

/* Parses it piece by piece; 0: it is valid, else the status. */
static unsigned read_in_pieces(const char *bytes, size_t length, size_t piece,
			       struct request_head *head, char **text_out)
{
	struct request_head_error flaw = { 0, NULL };
	char *text = malloc(length + 1);
	size_t scanned = 0, come = 0;
	int whole = 0;

	assert_non_null(text);
	while (!whole && come < length) {
		come = come + piece < length ? come + piece : length;
		memcpy(text, bytes, come);
		whole = request_head_scan(text, come, &scanned, &flaw);
	}
	if (whole > 0 && !request_head_parse(text, (size_t)whole, head, &flaw))
		whole = -1;
	if (whole > 0 && text_out)
		*text_out = text;
	else
		free(text);
	return whole < 0 ? flaw.status : whole ? 0 : 1;
}

static void test_malformed_heads_are_refused_in_any_pieces(void **state)
{
	static const struct {
		unsigned status; /* 1: incomplete */
		const char *bytes;
		size_t length;
	} rows[] = {
		{ 0, BYTES(LINE HOST "\r\n") },
		{ 0, BYTES("\r\n" LINE HOST "\r\n") },
		{ 0, BYTES(LINE "\r\n") }, /* the gates refuse a missing Host */
		{ 0, BYTES(LINE HOST "Empty:\r\n\r\n") },
		{ 0, BYTES(LINE HOST "Trailing: blanks \t \r\n\r\n") },
		{ 0, BYTES("GET /a?b=c%00 HTTP/1.0\r\n\r\n") },
		{ 0, BYTES("OPTIONS * HTTP/1.1\r\n\r\n") },
		{ 1, BYTES("") },
		{ 1, BYTES("GET /mcp HTT") },
		{ 1, BYTES(LINE HOST) },
		{ 1, BYTES(LINE HOST "\r") },
		/* lines */
		{ 400, BYTES(LINE HOST "X: a\r\n b\r\n\r\n") },
		{ 400, BYTES(LINE HOST "X: a\r\n\tb\r\n\r\n") },
		{ 400, BYTES(LINE " Host: localhost\r\n\r\n") },
		{ 400, BYTES(LINE HOST "Content-Len: 5\r\n gth\r\n\r\n") },
		{ 400, BYTES(LINE HOST "Content-Length:\r\n 5\r\n\r\n") },
		{ 400, BYTES("GET /mcp HTTP/1.1\n" HOST "\r\n") },
		{ 400, BYTES(LINE "Host: localhost\n\r\n") },
		{ 400, BYTES(LINE HOST "\n") },
		{ 400, BYTES(LINE HOST "X: a\rb\r\n\r\n") },
		{ 400, BYTES(LINE HOST "X: a\r\r\n\r\n") },
		{ 400, BYTES(LINE HOST "X: a\0b\r\n\r\n") },
		{ 400, BYTES("\0" LINE HOST "\r\n") },
		{ 400, BYTES("\r\n\r\n\r\n" LINE HOST "\r\n") },
		{ 400, BYTES("\n" LINE HOST "\r\n") },
		/* the request line */
		{ 400, BYTES("GET  /mcp HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /mcp  HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /mcp HTTP/1.1 \r\n\r\n") },
		{ 400, BYTES(" GET /mcp HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET\t/mcp HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /mcp\tHTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /m\x01p HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /m\x7fp HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /m\xc3\xa4p HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /mcp\r\n\r\n") },
		{ 400, BYTES("GET\r\n\r\n") },
		{ 400, BYTES("/mcp HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("GET /mcp http/1.1\r\n\r\n") },
		{ 400, BYTES("GET /mcp HTTP/1.1 HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("G(T /mcp HTTP/1.1\r\n\r\n") },
		{ 400, BYTES("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG /mcp HTTP/1.1\r\n\r\n") },
		{ 505, BYTES("GET /mcp HTTP/2.0\r\n\r\n") },
		{ 505, BYTES("GET /mcp HTTP/1.2\r\n\r\n") },
		{ 400, BYTES("GET /mcp HTTP/1.10\r\n\r\n") },
		{ 505, BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") },
		/* header lines */
		{ 400, BYTES(LINE HOST "no colon\r\n\r\n") },
		{ 400, BYTES(LINE HOST ": no name\r\n\r\n") },
		{ 400, BYTES(LINE HOST "X : a\r\n\r\n") },
		{ 400, BYTES(LINE HOST "X\t: a\r\n\r\n") },
		{ 400, BYTES(LINE HOST "X(1): a\r\n\r\n") },
		{ 400, BYTES(LINE HOST "X: a\x08\r\n\r\n") },
		{ 400, BYTES(LINE HOST HOST "\r\n") },
		{ 400, BYTES(LINE HOST "authorization: a\r\nAuthorization: a\r\n\r\n") },
		/* framing */
		{ 400, BYTES(LINE "Content-Length: 5\r\nContent-Length: 5\r\n\r\n") },
		{ 400, BYTES(LINE "Content-Length: 5, 5\r\n\r\n") },
		{ 400, BYTES(LINE "Content-Length: +5\r\n\r\n") },
		{ 400, BYTES(LINE "Content-Length: 0x5\r\n\r\n") },
		{ 400, BYTES(LINE "Content-Length: 5 5\r\n\r\n") },
		{ 400, BYTES(LINE "Content-Length:\r\n\r\n") },
		{ 400,
		  BYTES(LINE "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n") },
		{ 400, BYTES(LINE "Transfer-Encoding: gzip, chunked\r\n\r\n") },
		{ 400, BYTES(LINE "Transfer-Encoding: chunked, chunked\r\n\r\n") },
		{ 400, BYTES(LINE "Transfer-Encoding: \"chunked\"\r\n\r\n") },
		{ 400, BYTES(LINE "Transfer-Encoding:\r\n\r\n") },
		{ 400, BYTES("GET /mcp HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") },
	};

	(void)state;
	for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		for (size_t piece = 1; piece <= rows[at].length + 1; piece++) {
			struct request_head head;
			unsigned status = read_in_pieces(rows[at].bytes, rows[at].length,
							 piece, &head, NULL);

			if (status != rows[at].status)
				fail_msg("row %zu in pieces of %zu: %u, not %u", at,
					 piece, status, rows[at].status);
		}
	}
	printf("%zu heads\n", sizeof(rows) / sizeof(rows[0]));
}

static void test_a_head_is_parsed(void **state)
{
	struct request_head head;
	bool conflict = false;
	char *text;

	(void)state;
	assert_int_equal(
		read_in_pieces(
			BYTES("POST /mcp/?a=b HTTP/1.1\r\n" HOST
			      "content-length: 0012 \r\nA: 1\r\na:\t1\t\r\nB: 2\r\n"
			      "b: 3\r\nConnection: keep-alive, Close\r\n"
			      "Expect: 100-Continue\r\nCookie: secret\r\n\r\nbody"),
			1, &head, &text),
		0);
	assert_string_equal(head.method, "POST");
	assert_string_equal(head.path, "/mcp/");
	assert_true(head.body_length == 12);
	assert_true(head.close);
	assert_true(head.expects_continue);
	assert_string_equal(request_head_find(&head, "HOST", NULL), "localhost");
	assert_string_equal(request_head_find(&head, "A", &conflict), "1");
	assert_false(conflict);
	assert_string_equal(request_head_find(&head, "B", &conflict), "2");
	assert_true(conflict);
	assert_null(request_head_find(&head, "C", NULL));
	request_head_clear_secrets(&head);
	assert_string_equal(request_head_find(&head, "Cookie", NULL), "");
	assert_null(memmem(text, 150, "secret", 6));
	free(text);

	assert_int_equal(
		read_in_pieces(BYTES("GET / HTTP/1.0\r\n\r\n"), 99, &head, &text), 0);
	assert_true(head.is_http_1_0);
	assert_true(head.close);
	assert_true(head.body_length == 0);
	free(text);
	assert_int_equal(
		read_in_pieces(BYTES("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n"
				     "Expect: 100-continue\r\n\r\n"),
			       99, &head, &text),
		0);
	assert_false(head.close);
	assert_false(head.expects_continue);
	free(text);
	assert_int_equal(read_in_pieces(BYTES(LINE "Connection: closed\r\n"
						   "Transfer-Encoding: Chunked\r\n\r\n"),
					99, &head, &text),
			 0);
	assert_false(head.close);
	assert_true(head.body_length == REQUEST_HEAD_BODY_CHUNKED);
	free(text);
	assert_int_equal(
		read_in_pieces(
			BYTES(LINE "Content-Length: 99999999999999999999999\r\n\r\n"), 99,
			&head, &text),
		0);
	assert_true(head.body_length > 1000000 &&
		    head.body_length != REQUEST_HEAD_BODY_CHUNKED);
	free(text);
}

static void test_long_heads_are_refused(void **state)
{
	static char bytes[2 * REQUEST_HEAD_BYTES_MAX];
	struct request_head head;
	char *text;
	int length;

	(void)state;
	for (int lines = 63; lines <= 65; lines++) {
		length = snprintf(bytes, sizeof(bytes), LINE);
		for (int at = 0; at < lines; at++)
			length += snprintf(bytes + length, sizeof(bytes) - (size_t)length,
					   "X-%d: y\r\n", at);
		length +=
			snprintf(bytes + length, sizeof(bytes) - (size_t)length, "\r\n");
		assert_int_equal(read_in_pieces(bytes, (size_t)length, 7, &head, &text),
				 lines > REQUEST_HEAD_LINES_MAX ? 431 : 0);
		if (lines <= REQUEST_HEAD_LINES_MAX)
			free(text);
	}
	memset(bytes, 'x', sizeof(bytes));
	assert_int_equal(read_in_pieces(bytes, sizeof(bytes), 1000, &head, NULL), 414);
	memcpy(bytes, BYTES(LINE "X: "));
	assert_int_equal(read_in_pieces(bytes, sizeof(bytes), 1000, &head, NULL), 431);
	/* exactly the limit, and one more */
	memcpy(bytes + REQUEST_HEAD_BYTES_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(read_in_pieces(bytes, sizeof(bytes), 1000, &head, &text), 0);
	free(text);
	memcpy(bytes + REQUEST_HEAD_BYTES_MAX - 4, "x\r\n\r\n", 5);
	assert_int_equal(read_in_pieces(bytes, sizeof(bytes), 1000, &head, NULL), 431);
}

/* Bodies */

/* What is passed on of a body that arrives in pieces; *rest_out: how many bytes follow it. */
static int pass_in_pieces(uint64_t body_length, const char *bytes, size_t length,
			  size_t piece, char *passed, size_t *rest_out)
{
	struct body_framing framing;
	size_t at = 0, used = 0;
	int total = 0;

	body_framing_init(&framing, body_length);
	while (at < length && !body_framing_is_over(&framing)) {
		char data[128];
		size_t come = length - at < piece ? length - at : piece;
		int more;

		assert_true(come <= sizeof(data));
		memcpy(data, bytes + at, come);
		more = body_framing_read(&framing, data, come, 100, &used);
		if (more < 0)
			return more;
		assert_true((size_t)more <= used && used <= come);
		memcpy(passed + total, data, (size_t)more);
		total += more;
		at += used;
	}
	*rest_out = length - at;
	return body_framing_is_over(&framing) ? total : -EAGAIN;
}

static void test_bodies_are_framed_the_same_in_any_pieces(void **state)
{
	static const struct {
		uint64_t body_length;
		const char *bytes;
		size_t length;
		int result; /* 0: `passed` */
		const char *passed;
		size_t rest;
	} rows[] = {
#define CHUNKED REQUEST_HEAD_BODY_CHUNKED
		{ 5, BYTES("helloGET"), 0, "hello", 3 },
		{ 0, BYTES("GET"), 0, "", 3 },
		{ 9, BYTES("hello"), -EAGAIN, NULL, 0 },
		{ 101,
		  BYTES("0123456789012345678901234567890123456789012345678901234567890"
			"1234567890123456789012345678901234567890"),
		  -EMSGSIZE, NULL, 0 },
		{ CHUNKED, BYTES("5\r\nhello\r\n0\r\n\r\nGET"), 0,
		  "5\r\nhello\r\n0\r\n\r\n", 3 },
		{ CHUNKED,
		  BYTES("3;a=b\r\nhel\r\n02;\"x\"\r\nlo\r\n0;z\r\nT: u\r\nV: w\r\n\r\n"),
		  0, "3\r\nhel\r\n02\r\nlo\r\n0\r\n\r\n", 0 },
		{ CHUNKED, BYTES("A\r\n0123456789\r\na\r\n0123456789\r\n000\r\n\r\n"), 0,
		  "A\r\n0123456789\r\na\r\n0123456789\r\n000\r\n\r\n", 0 },
		{ CHUNKED, BYTES("5\r\nhello\r\n"), -EAGAIN, NULL, 0 },
		{ CHUNKED, BYTES("\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("5 \r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES(" 5\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("+5\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("0x5\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("-5\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("5\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("5\r\nhello\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("5\r\nhelloX\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("5\rhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("5;a\nb\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("5;a\0b\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("100000005\r\nhello\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("000000000\r\n\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("0\r\n X: y\r\n\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("0\r\nX: y\n\r\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("0\r\nX: y\r\n\n"), -EBADMSG, NULL, 0 },
		{ CHUNKED, BYTES("0\r\n\rX"), -EBADMSG, NULL, 0 },
#undef CHUNKED
	};

	(void)state;
	for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		for (size_t piece = 1; piece <= rows[at].length; piece++) {
			char passed[256];
			size_t rest = 0;
			int result =
				pass_in_pieces(rows[at].body_length, rows[at].bytes,
					       rows[at].length, piece, passed, &rest);

			if (rows[at].result
				    ? result != rows[at].result
				    : result != (int)strlen(rows[at].passed) ||
					      memcmp(passed, rows[at].passed,
						     strlen(rows[at].passed)) != 0 ||
					      rest != rows[at].rest)
				fail_msg("row %zu in pieces of %zu: %d", at, piece,
					 result);
		}
	}
}

static void test_extensions_and_trailers_are_bounded(void **state)
{
	static const char *const begins[] = { "5;", "0\r\nX: " };

	(void)state;
	for (size_t at = 0; at < 2; at++) {
		struct body_framing framing;
		size_t used, count = 0;
		char text[16];

		body_framing_init(&framing, REQUEST_HEAD_BODY_CHUNKED);
		strcpy(text, begins[at]);
		assert_true(body_framing_read(&framing, text, strlen(text), 100, &used) >=
			    0);
		while (body_framing_read(&framing, (char[]){ 'x' }, 1, 100, &used) == 0)
			assert_true(++count < 2000);
		assert_in_range(count, 1000, 1100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_malformed_heads_are_refused_in_any_pieces),
		cmocka_unit_test(test_a_head_is_parsed),
		cmocka_unit_test(test_long_heads_are_refused),
		cmocka_unit_test(test_bodies_are_framed_the_same_in_any_pieces),
		cmocka_unit_test(test_extensions_and_trailers_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
