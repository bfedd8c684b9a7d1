/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heads as libmicrohttpd hands them out. What it refuses itself is tested in test_connection.c and
 * tests/integration/test_hostile.py.
 */
#include "unit_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "head_cut.h"

#define LINE "GET /mcp HTTP/1.1\r\n"
#define HOST "Host: localhost\r\n"

static char text[2 * REQUEST_HEAD_BYTES_MAX];

static struct request_head *cut(const char *bytes)
{
	struct request_head *head;

	assert_true((size_t)snprintf(text, sizeof(text), "%s", bytes) < sizeof(text));
	head = head_cut(text);
	assert_non_null(head);
	return head;
}

/* 0: it is valid. */
static unsigned status_of(const char *bytes)
{
	struct request_head_error error = { 0, NULL };
	struct request_head *head = cut(bytes);
	bool valid = request_head_check(head, &error);

	assert_int_equal(valid, error.status == 0);
	free(head);
	return error.status;
}

static bool is_whole(const char *bytes)
{
	struct request_head *head = cut(bytes);
	bool whole = request_head_is_whole(head);

	free(head);
	return whole;
}

TEST(test_malformed_heads_are_refused)
{
	static const struct {
		unsigned status;
		const char *bytes;
	} rows[] = {
		{ 0, LINE HOST "\r\n" },
		{ 0, LINE "\r\n" }, /* the gates refuse a missing Host */
		{ 0, LINE HOST "Empty:\r\n\r\n" },
		{ 0, LINE HOST "Trailing: blanks \t \r\n\r\n" },
		{ 0, "GET /a?b=c%00 HTTP/1.0\r\n\r\n" },
		{ 0, "OPTIONS * HTTP/1.1\r\n\r\n" },
		/* the request line */
		{ 400, "GET /m\x01p HTTP/1.1\r\n\r\n" },
		{ 400, "GET /m\x7fp HTTP/1.1\r\n\r\n" },
		{ 400, "GET /m\xc3\xa4p HTTP/1.1\r\n\r\n" },
		{ 400, "GET /mcp?a b HTTP/1.1\r\n\r\n" },
		{ 400, "GET  /mcp HTTP/1.1\r\n\r\n" },
		{ 400, "GET /mcp HTTP/1.1 HTTP/1.1\r\n\r\n" },
		{ 400, "G(T /mcp HTTP/1.1\r\n\r\n" },
		{ 400, "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG /mcp HTTP/1.1\r\n\r\n" },
		{ 505, "GET /mcp HTTP/2.0\r\n\r\n" },
		{ 505, "GET /mcp HTTP/1.2\r\n\r\n" },
		{ 505, "GET /mcp HTTP/1.10\r\n\r\n" },
		/* header lines */
		{ 400, LINE HOST ": no name\r\n\r\n" },
		{ 400, LINE HOST "X : a\r\n\r\n" },
		{ 400, LINE HOST "X\t: a\r\n\r\n" },
		{ 400, LINE HOST "X(1): a\r\n\r\n" },
		{ 400, LINE HOST " X: a\r\n\r\n" },
		{ 400, LINE HOST "X: a\x08\r\n\r\n" },
		{ 400, LINE HOST HOST "\r\n" },
		{ 400, LINE HOST "authorization: a\r\nAuthorization: a\r\n\r\n" },
		/* framing */
		{ 400, LINE "Content-Length: 5\r\nContent-Length: 5\r\n\r\n" },
		{ 400, LINE "Content-Length: 5, 5\r\n\r\n" },
		{ 400, LINE "Content-Length: +5\r\n\r\n" },
		{ 400, LINE "Content-Length: 0x5\r\n\r\n" },
		{ 400, LINE "Content-Length: 5 5\r\n\r\n" },
		{ 400, LINE "Content-Length:\r\n\r\n" },
		{ 400, LINE "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" },
		{ 400, LINE "Transfer-Encoding: gzip, chunked\r\n\r\n" },
		{ 400, LINE "Transfer-Encoding: chunked, chunked\r\n\r\n" },
		{ 400, LINE "Transfer-Encoding: \"chunked\"\r\n\r\n" },
		{ 400, LINE "Transfer-Encoding: chunked \r\n\r\n" },
		{ 400, LINE "Transfer-Encoding:\r\n\r\n" },
		{ 400, "GET /mcp HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" },
	};

	for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++)
		if (status_of(rows[at].bytes) != rows[at].status)
			fail_msg("row %zu: %u, not %u", at, status_of(rows[at].bytes),
				 rows[at].status);
}

TEST(test_a_head_is_read)
{
	struct request_head_error error;
	bool conflict = false;
	struct request_head *head =
		cut("POST /mcp/?a=b HTTP/1.1\r\n" HOST
		    "content-length: 0012 \r\nA: 1\r\na:\t1\t\r\nB: 2\r\nb: 3\r\n"
		    "Cookie: secret\r\n\r\n");

	assert_true(request_head_check(head, &error));
	assert_string_equal(head->path, "/mcp/");
	assert_true(head->body_length == 12);
	assert_string_equal(request_head_find(head, "HOST", NULL), "localhost");
	assert_string_equal(request_head_find(head, "A", &conflict), "1");
	assert_false(conflict);
	assert_string_equal(request_head_find(head, "B", &conflict), "2");
	assert_true(conflict);
	assert_null(request_head_find(head, "C", NULL));
	request_head_clear_secrets(head, false);
	assert_string_equal(request_head_find(head, "Cookie", NULL), "");
	assert_null(memmem(text, sizeof(text), "secret", 6));
	free(head);

	head = cut("GET / HTTP/1.0\r\n\r\n");
	assert_true(request_head_check(head, &error));
	assert_true(head->is_http_1_0);
	assert_true(head->body_length == 0);
	free(head);
	head = cut(LINE "Transfer-Encoding: Chunked\r\n\r\n");
	assert_true(request_head_check(head, &error));
	assert_true(head->body_length == REQUEST_HEAD_BODY_CHUNKED);
	free(head);
	head = cut(LINE "Content-Length: 99999999999999999999999\r\n\r\n");
	assert_true(request_head_check(head, &error));
	assert_true(head->body_length > 1000000 &&
		    head->body_length != REQUEST_HEAD_BODY_CHUNKED);
	free(head);
}

TEST(test_more_than_64_lines_are_refused)
{
	static char bytes[REQUEST_HEAD_BYTES_MAX];

	for (int lines = 63; lines <= 65; lines++) {
		int length = snprintf(bytes, sizeof(bytes), LINE);

		for (int at = 0; at < lines; at++)
			length += snprintf(bytes + length, sizeof(bytes) - (size_t)length,
					   "X-%d: y\r\n", at);
		snprintf(bytes + length, sizeof(bytes) - (size_t)length, "\r\n");
		assert_int_equal(status_of(bytes),
				 lines > REQUEST_HEAD_LINES_MAX ? 431 : 0);
	}
}

TEST(test_bytes_between_the_pieces_show)
{
	assert_true(is_whole(LINE "\r\n"));
	assert_true(is_whole("GET /mcp?a=b&c HTTP/1.0\r\n\r\n"));
	assert_true(is_whole(LINE HOST "Empty:\r\nBlanks: \t a \t\r\nTight:b\r\n\r\n"));
	assert_false(is_whole("GET /mcp HTTP/1.1\n\r\n"));
	assert_false(is_whole(LINE "Host: localhost\n\r\n"));
	assert_false(is_whole(LINE "Host: localhost\rX: a\r\n\r\n"));
	assert_false(is_whole(LINE HOST "\n"));
	assert_false(is_whole(LINE HOST "X: a\nY: b\r\n\r\n"));
}

TEST(test_a_folded_or_cut_line_shows)
{
	static char folded[] = "X: a b";
	static const char bytes[] = LINE HOST "X: a\r\nY: b\r\n\r\n";
	struct request_head *head = cut(bytes);

	assert_true(request_head_is_whole(head));
	head->length++;
	assert_false(request_head_is_whole(head));
	head->length--;
	head->lines[1].value[0] = '\0'; /* as a NUL in a value */
	assert_false(request_head_is_whole(head));
	free(head);
	head = cut(bytes);
	head->lines[1].name = folded; /* 0.9.75 joins lines in another place */
	assert_false(request_head_is_whole(head));
	free(head);
}
