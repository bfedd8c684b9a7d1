/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/gate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	REQUEST_HEAD_METHOD_BYTES_MAX = 32,
	REQUEST_HEAD_LENGTH_DIGITS_MAX = 18,
};

#define REQUEST_HEAD_LENGTH_MAX UINT64_C(999999999999999999)

static bool request_head_fail(struct request_head_error *error, unsigned status,
			      const char *text)
{
	*error = (struct request_head_error){ status, text };
	return false;
}

/* Reading */

/* The memory is the request's own and may be changed: tokens are overwritten in it. */
static enum MHD_Result request_head_add_line(void *data, enum MHD_ValueKind kind,
					     const char *name, const char *value)
{
	struct request_head *head = data;
	struct request_head_line *line = &head->lines[head->line_count++];

	line->name = (char *)(uintptr_t)name;
	line->value = (char *)(uintptr_t)value;
	return MHD_YES;
}

/* Nobody asks for a cookie, and some clients put tokens into it. */
static enum MHD_Result request_head_clear_cookie(void *data, enum MHD_ValueKind kind,
						 const char *name, const char *value)
{
	explicit_bzero((char *)(uintptr_t)name, strlen(name));
	if (value)
		explicit_bzero((char *)(uintptr_t)value, strlen(value));
	return MHD_YES;
}

bool request_head_read_lines(struct request_head *head, struct MHD_Connection *mhd)
{
	int count = MHD_get_connection_values(mhd, MHD_HEADER_KIND, NULL, NULL);

	head->lines = calloc((size_t)count + 1, sizeof(*head->lines));
	if (head->lines)
		MHD_get_connection_values(mhd, MHD_HEADER_KIND, request_head_add_line,
					  head);
	MHD_get_connection_values(mhd, MHD_COOKIE_KIND, request_head_clear_cookie, NULL);
	return head->lines != NULL;
}

/* Returns where `piece` ends, behind `skip` more bytes; NULL if it does not begin at `at`. */
static const char *request_head_pass(const char *at, const char *piece, size_t skip)
{
	return piece == at ? piece + strlen(piece) + skip : NULL;
}

bool request_head_is_whole(const struct request_head *head)
{
	const char *at = request_head_pass(head->method, head->method, 1);

	if (at == head->target)
		at += head->target_length + 1;
	else
		return false;
	at = request_head_pass(at, head->version, 2);
	for (size_t which = 0; at && which < head->line_count; which++) {
		const struct request_head_line *line = &head->lines[which];

		at = request_head_pass(at, line->name, 1);
		if (at)
			at = request_head_pass(at + strspn(at, " \t"), line->value, 2);
	}
	return at && at + 2 == head->method + head->length;
}

/* Characters */

/* RFC 9110 section 5.6.2: the characters of a token. */
static const bool request_head_name_characters[UCHAR_MAX + 1] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['-'] = true,
	['!'] = true,	      ['#'] = true,	    ['$'] = true,	  ['%'] = true,
	['&'] = true,	      ['\''] = true,	    ['*'] = true,	  ['+'] = true,
	['.'] = true,	      ['^'] = true,	    ['_'] = true,	  ['`'] = true,
	['|'] = true,	      ['~'] = true,
};

static bool request_head_is_token(const char *name)
{
	const char *end = name;

	while (request_head_name_characters[(unsigned char)*end])
		end++;
	return end > name && !*end;
}

/* It may have no control character but the tab. */
static bool request_head_value_is_clean(const char *value)
{
	for (; *value; value++)
		if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
			return false;
	return true;
}

bool request_head_target_is_clean(const char *target)
{
	const char *end = target;

	while (*end > ' ' && *end <= '~')
		end++;
	return end > target && !*end;
}

/* Lines */

static bool request_head_check_first_line(struct request_head *head,
					  struct request_head_error *error)
{
	const char *version = head->version;

	if (strlen(head->method) > REQUEST_HEAD_METHOD_BYTES_MAX ||
	    !request_head_is_token(head->method) || !head->target_is_clean)
		return request_head_fail(
			error, 400,
			"the request line is not METHOD, one space, PATH, "
			"one space, HTTP/1.1");
	head->is_http_1_0 = strcmp(version, "HTTP/1.0") == 0;
	if (head->is_http_1_0 || strcmp(version, "HTTP/1.1") == 0)
		return true;
	return request_head_fail(error, 505, "send the request as HTTP/1.1");
}

static void request_head_trim(struct request_head_line *line)
{
	size_t length;

	line->value += strspn(line->value, " \t");
	length = strlen(line->value);
	while (length && strchr(" \t", line->value[length - 1]))
		line->value[--length] = '\0';
}

static bool request_head_check_line(struct request_head_line *line,
				    struct request_head_error *error)
{
	if (!request_head_is_token(line->name))
		return request_head_fail(error, 400,
					 "a header name is empty or has a space or "
					 "another forbidden character");
	if (!request_head_value_is_clean(line->value))
		return request_head_fail(error, 400,
					 "a header value has a control character");
	/* 0.9.75 does not remove the space, does not know the word, and waits forever */
	if (strcasecmp(line->name, "Transfer-Encoding") != 0)
		request_head_trim(line);
	return true;
}

/* Returns the next line with this name, beginning at `line`; NULL if there is none. */
static const struct request_head_line *request_head_find_from(
	const struct request_head *head, const struct request_head_line *line,
	const char *name)
{
	for (; line < head->lines + head->line_count; line++)
		if (strcasecmp(line->name, name) == 0)
			return line;
	return NULL;
}

/* Framing */

static bool request_head_check_single(const struct request_head *head,
				      struct request_head_error *error)
{
	static const char *const single[] = {
		"Host",		  "Origin",	      "Authorization",	   "Content-Type",
		"Content-Length", "Content-Encoding", "Transfer-Encoding",
	};

	for (size_t which = 0; which < sizeof(single) / sizeof(*single); which++) {
		const struct request_head_line *first =
			request_head_find_from(head, head->lines, single[which]);

		if (first && request_head_find_from(head, first + 1, single[which]))
			return request_head_fail(
				error, 400,
				"a header that must not be repeated was repeated: send "
				"Host, Origin, Authorization, Content-* and Transfer-Encoding once");
	}
	return true;
}

static bool request_head_parse_length(const char *value, uint64_t *length_out)
{
	size_t digits = strspn(value, "0123456789");

	if (!digits || value[digits])
		return false;
	/* more digits could overflow, and such a body is too long anyway */
	*length_out = digits > REQUEST_HEAD_LENGTH_DIGITS_MAX ? REQUEST_HEAD_LENGTH_MAX
							      : strtoull(value, NULL, 10);
	return true;
}

static bool request_head_check_framing(struct request_head *head,
				       struct request_head_error *error)
{
	const char *coding = request_head_find(head, "Transfer-Encoding", NULL);
	const char *length = request_head_find(head, "Content-Length", NULL);

	head->body_length = 0;
	if (coding && (head->is_http_1_0 || strcasecmp(coding, "chunked") != 0))
		return request_head_fail(
			error, 400,
			"the only accepted Transfer-Encoding is chunked, in HTTP/1.1");
	if (length && !request_head_parse_length(length, &head->body_length))
		return request_head_fail(error, 400, "Content-Length is not a number");
	if (coding && length)
		return request_head_fail(error, 400,
					 "Content-Length and Transfer-Encoding exclude "
					 "each other: send one");
	if (coding)
		head->body_length = REQUEST_HEAD_BODY_CHUNKED;
	return true;
}

bool request_head_check(struct request_head *head, struct request_head_error *error_out)
{
	if (!request_head_check_first_line(head, error_out))
		return false;
	if (head->line_count > REQUEST_HEAD_LINES_MAX)
		return request_head_fail(error_out, 431,
					 "more than 64 header lines: send fewer");
	for (size_t which = 0; which < head->line_count; which++)
		if (!request_head_check_line(&head->lines[which], error_out))
			return false;
	return request_head_check_single(head, error_out) &&
	       request_head_check_framing(head, error_out);
}

const char *request_head_find(const struct request_head *head, const char *name,
			      bool *conflict_out)
{
	const struct request_head_line *first =
		request_head_find_from(head, head->lines, name);
	const struct request_head_line *line = first;

	while (line && (line = request_head_find_from(head, line + 1, name)))
		if (conflict_out && strcmp(line->value, first->value) != 0)
			*conflict_out = true;
	return first ? first->value : NULL;
}

bool request_head_has(const struct request_head *head, const char *name, const char *text)
{
	const struct request_head_line *line =
		request_head_find_from(head, head->lines, name);

	while (line && !strcasestr(line->value, text))
		line = request_head_find_from(head, line + 1, name);
	return line;
}

void request_head_clear_secrets(struct request_head *head, bool keep_cookie)
{
	static const char *const secret[] = { "Authorization", "Proxy-Authorization",
					      "Cookie" };
	size_t count = keep_cookie ? 2 : 3;

	for (size_t which = 0; which < count; which++) {
		const struct request_head_line *line =
			request_head_find_from(head, head->lines, secret[which]);

		for (; line; line = request_head_find_from(head, line + 1, secret[which]))
			explicit_bzero(line->value, strlen(line->value));
	}
}

void request_head_clear(struct request_head *head)
{
	explicit_bzero((char *)(uintptr_t)head->method, head->length);
}
