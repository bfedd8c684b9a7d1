/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsing takes two steps. While bytes arrive, request_head_scan() looks at each line once: NUL,
 * a bare CR or a bare LF is an error, an empty line completes the head. Then request_head_parse()
 * reads the complete head: the request line, each header line, and last how the body is framed.
 *
 * libmicrohttpd never gets these bytes: 0.9.75 and 1.0.1 read some of them differently, and neither
 * hands out the raw lines (tests/unit/test_request_head.c, tests/integration/test_hostile.py).
 */
#include "http/request_head.h"

#include <assert.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

enum {
	REQUEST_HEAD_METHOD_BYTES_MAX = 32,
	REQUEST_HEAD_LENGTH_DIGITS_MAX = 18,
	REQUEST_HEAD_EMPTY_LINES_MAX = 2, /* before a request: RFC 9112 section 2.2 */
};

#define REQUEST_HEAD_LENGTH_MAX UINT64_C(999999999999999999)

#define REQUEST_HEAD_LINES_ERROR \
	"header lines must end in CRLF: send no folded line, bare LF, bare CR or NUL"
#define REQUEST_HEAD_FIRST_LINE_ERROR \
	"the request line is not METHOD, one space, PATH, one space, HTTP/1.1"

static bool request_head_fail(struct request_head_error *error, unsigned status,
			      const char *text)
{
	*error = (struct request_head_error){ status, text };
	return false;
}

/* The bytes of empty lines at the beginning. */
static size_t request_head_skip_empty_lines(const char *text, size_t length)
{
	size_t at = 0;

	while (at < 2 * REQUEST_HEAD_EMPTY_LINES_MAX && at + 1 < length &&
	       text[at] == '\r' && text[at + 1] == '\n')
		at += 2;
	return at;
}

/* Whether the line from `at` to `stop` has no NUL, and its only CR is the last byte. */
static bool request_head_line_is_clean(const char *text, size_t at, size_t stop)
{
	size_t from = at && text[at - 1] == '\r' ? at - 1 : at;
	const char *cr = memchr(text + from, '\r', stop - from);

	return (!cr || cr == text + stop - 1) && !memchr(text + at, '\0', stop - at);
}

int request_head_scan(const char *text, size_t length, size_t *scanned,
		      struct request_head_error *error_out)
{
	size_t begin = request_head_skip_empty_lines(text, length);
	size_t end = length < REQUEST_HEAD_BYTES_MAX ? length : REQUEST_HEAD_BYTES_MAX;
	size_t at = *scanned;

	while (at < end) {
		const char *lf = memchr(text + at, '\n', end - at);
		size_t stop = lf ? (size_t)(lf - text) : end;

		if (!request_head_line_is_clean(text, at, stop) ||
		    (lf && (!stop || text[stop - 1] != '\r'))) {
			request_head_fail(error_out, 400, REQUEST_HEAD_LINES_ERROR);
			return -1;
		}
		at = lf ? stop + 1 : end;
		if (lf && stop >= begin + 3 && text[stop - 2] == '\n') {
			*scanned = at;
			return (int)at;
		}
	}
	*scanned = at;
	if (at < REQUEST_HEAD_BYTES_MAX)
		return 0;
	if (!memchr(text + begin, '\n', at - begin))
		request_head_fail(
			error_out, 414,
			"the request line is longer than 8192 bytes: send less");
	else
		request_head_fail(error_out, 431,
				  "the request line and the header lines together are "
				  "longer than 8192 bytes: send less");
	return -1;
}

/* Bytes of names and values */

/* RFC 9110 section 5.6.2: the characters of a token. */
static const bool request_head_name_characters[UCHAR_MAX + 1] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['-'] = true,
	['!'] = true,	      ['#'] = true,	    ['$'] = true,	  ['%'] = true,
	['&'] = true,	      ['\''] = true,	    ['*'] = true,	  ['+'] = true,
	['.'] = true,	      ['^'] = true,	    ['_'] = true,	  ['`'] = true,
	['|'] = true,	      ['~'] = true,
};

static bool request_head_is_token(const char *name, size_t length)
{
	for (size_t at = 0; at < length; at++)
		if (!request_head_name_characters[(unsigned char)name[at]])
			return false;
	return length > 0;
}

/* No control character but the tab. */
static bool request_head_value_is_clean(const char *value, size_t length)
{
	static const bool forbidden[UCHAR_MAX + 1] = {
		[0 ... 8] = true,
		[10 ... 31] = true,
		[127] = true,
	};
	bool found = false;

	for (size_t at = 0; at < length; at++)
		found |= forbidden[(unsigned char)value[at]];
	return !found;
}

static bool request_head_target_is_clean(const char *target)
{
	for (; *target; target++)
		if (*target <= ' ' || *target > '~')
			return false;
	return true;
}

/* Lines */

/* Ends the text at the first `end` and moves *at behind it. NULL: there is none. */
static char *request_head_cut(char **at, char end)
{
	char *begin = *at;
	char *found = strchr(begin, end);

	if (!found)
		return NULL;
	*found = '\0';
	*at = found + 1;
	return begin;
}

static bool request_head_parse_version(const char *version, struct request_head *head,
				       struct request_head_error *error)
{
	head->is_http_1_0 = strcmp(version, "HTTP/1.0") == 0;
	if (head->is_http_1_0 || strcmp(version, "HTTP/1.1") == 0)
		return true;
	if (strncmp(version, "HTTP/", 5) == 0 && strlen(version) == strlen("HTTP/1.1") &&
	    version[6] == '.')
		return request_head_fail(error, 505, "send the request as HTTP/1.1");
	return request_head_fail(error, 400, REQUEST_HEAD_FIRST_LINE_ERROR);
}

static bool request_head_parse_first_line(char *line, struct request_head *head,
					  struct request_head_error *error)
{
	char *method = line ? request_head_cut(&line, ' ') : NULL;
	char *target = method ? request_head_cut(&line, ' ') : NULL;

	if (!target || !*target || !request_head_target_is_clean(target) ||
	    strlen(method) > REQUEST_HEAD_METHOD_BYTES_MAX ||
	    !request_head_is_token(method, strlen(method)))
		return request_head_fail(error, 400, REQUEST_HEAD_FIRST_LINE_ERROR);
	head->method = method;
	head->path = target;
	target[strcspn(target, "?")] = '\0';
	return request_head_parse_version(line, head, error);
}

static bool request_head_is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Removes the spaces around a value; *length is its length before and after. */
static char *request_head_trim(char *value, size_t *length)
{
	while (*length && request_head_is_space(value[*length - 1]))
		--*length;
	value[*length] = '\0';
	while (*length && request_head_is_space(*value)) {
		value++;
		--*length;
	}
	return value;
}

static bool request_head_parse_line(char *line, struct request_head *head,
				    struct request_head_error *error)
{
	char *value = line;
	char *name = line ? request_head_cut(&value, ':') : NULL;
	size_t length = line ? strlen(value) : 0;

	if (!line || request_head_is_space(*line))
		return request_head_fail(error, 400, REQUEST_HEAD_LINES_ERROR);
	if (!name || !request_head_is_token(name, strlen(name)))
		return request_head_fail(error, 400,
					 "a header name is empty or has a space or "
					 "another forbidden character");
	value = request_head_trim(value, &length);
	if (!request_head_value_is_clean(value, length))
		return request_head_fail(error, 400,
					 "a header value has a control character");
	head->lines[head->line_count++] = (struct request_head_line){
		.name = (uint16_t)(name - head->text),
		.name_length = (uint16_t)strlen(name),
		.value = (uint16_t)(value - head->text),
		.value_length = (uint16_t)length,
	};
	return true;
}

static char *request_head_value(const struct request_head *head,
				const struct request_head_line *line)
{
	return head->text + line->value;
}

/* The next line with this name, beginning at `line`. NULL: none. */
static const struct request_head_line *request_head_find_from(
	const struct request_head *head, const struct request_head_line *line,
	const char *name)
{
	size_t length = strlen(name);

	for (; line < head->lines + head->line_count; line++)
		if (line->name_length == length &&
		    strcasecmp(head->text + line->name, name) == 0)
			return line;
	return NULL;
}

static const struct request_head_line *request_head_find_line(
	const struct request_head *head, const char *name)
{
	return request_head_find_from(head, head->lines, name);
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
			request_head_find_line(head, single[which]);

		if (first && request_head_find_from(head, first + 1, single[which]))
			return request_head_fail(
				error, 400,
				"a header that must not be repeated was repeated: send "
				"Host, Origin, Authorization, Content-* and "
				"Transfer-Encoding once");
	}
	return true;
}

static bool request_head_parse_length(const char *value, uint64_t *length_out)
{
	size_t digits = strspn(value, "0123456789");
	uint64_t length = 0;

	if (!digits || value[digits])
		return false;
	for (size_t at = 0; at < digits && digits <= REQUEST_HEAD_LENGTH_DIGITS_MAX; at++)
		length = length * 10 + (uint64_t)(value[at] - '0');
	/* more digits could overflow, and such a body is too long anyway */
	*length_out = digits > REQUEST_HEAD_LENGTH_DIGITS_MAX ? REQUEST_HEAD_LENGTH_MAX
							      : length;
	return true;
}

static bool request_head_parse_framing(struct request_head *head,
				       struct request_head_error *error)
{
	const struct request_head_line *coding =
		request_head_find_line(head, "Transfer-Encoding");
	const struct request_head_line *length =
		request_head_find_line(head, "Content-Length");

	if (coding && (head->is_http_1_0 ||
		       strcasecmp(request_head_value(head, coding), "chunked") != 0))
		return request_head_fail(
			error, 400,
			"the only accepted Transfer-Encoding is chunked, in HTTP/1.1");
	if (length && !request_head_parse_length(request_head_value(head, length),
						 &head->body_length))
		return request_head_fail(error, 400, "Content-Length is not a number");
	if (coding && length)
		return request_head_fail(error, 400,
					 "Content-Length and Transfer-Encoding exclude "
					 "each other: send one");
	if (coding)
		head->body_length = REQUEST_HEAD_BODY_CHUNKED;
	return true;
}

/* Searches a comma-separated list, ignoring case: RFC 9110 section 5.6.1. */
static bool request_head_list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (*list) {
		list += strspn(list, ", \t");
		if (strncasecmp(list, word, length) == 0 &&
		    strspn(list + length, " \t") == strcspn(list + length, ","))
			return true;
		list += strcspn(list, ",");
	}
	return false;
}

static bool request_head_any_line_has(const struct request_head *head, const char *name,
				      const char *word)
{
	const struct request_head_line *line = request_head_find_line(head, name);

	while (line && !request_head_list_has(request_head_value(head, line), word))
		line = request_head_find_from(head, line + 1, name);
	return line != NULL;
}

bool request_head_parse(char *text, size_t length, struct request_head *head,
			struct request_head_error *error_out)
{
	size_t begin = request_head_skip_empty_lines(text, length);
	char *at = text + begin, *end = text + length - 2;

	assert(length >= begin + 4 && memcmp(end, "\r\n", 2) == 0);
	*head = (struct request_head){ .text = text };
	*end = '\0';
	if (!request_head_parse_first_line(request_head_cut(&at, '\r'), head, error_out))
		return false;
	while (++at < end) { /* past the LF */
		if (head->line_count == REQUEST_HEAD_LINES_MAX)
			return request_head_fail(error_out, 431,
						 "more than 64 header lines: send fewer");
		if (!request_head_parse_line(request_head_cut(&at, '\r'), head,
					     error_out))
			return false;
	}
	if (!request_head_check_single(head, error_out) ||
	    !request_head_parse_framing(head, error_out))
		return false;
	head->close =
		head->is_http_1_0
			? !request_head_any_line_has(head, "Connection", "keep-alive")
			: request_head_any_line_has(head, "Connection", "close");
	head->expects_continue =
		!head->is_http_1_0 &&
		request_head_any_line_has(head, "Expect", "100-continue");
	return true;
}

const char *request_head_find(const struct request_head *head, const char *name,
			      bool *conflict_out)
{
	const struct request_head_line *first = request_head_find_line(head, name);
	const struct request_head_line *line = first;

	while (line && (line = request_head_find_from(head, line + 1, name)))
		if (conflict_out && strcmp(request_head_value(head, line),
					   request_head_value(head, first)) != 0)
			*conflict_out = true;
	return first ? request_head_value(head, first) : NULL;
}

void request_head_clear_secrets(struct request_head *head)
{
	static const char *const secret[] = { "Authorization", "Proxy-Authorization",
					      "Cookie" };

	for (size_t which = 0; which < sizeof(secret) / sizeof(*secret); which++) {
		const struct request_head_line *line =
			request_head_find_line(head, secret[which]);

		for (; line; line = request_head_find_from(head, line + 1, secret[which]))
			explicit_bzero(request_head_value(head, line),
				       line->value_length);
	}
}
