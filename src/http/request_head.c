/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two steps. While bytes arrive, request_head_scan() looks at each of them once: a NUL, a bare CR
 * or a bare LF ends the request at once, an empty line completes the head. Then
 * request_head_parse() reads the whole head, first the request line, then line by line, and
 * last decides how the body is framed.
 *
 * libmicrohttpd never sees these bytes: 0.9.75 and 1.0.1 read some of them differently, and
 * neither shows the raw lines (tests/unit/test_request_head.c, tests/integration/test_hostile.py).
 */
#include "http/request_head.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "http/header_text.h"

enum {
	METHOD_BYTES_MAX = 32,
	LENGTH_DIGITS_MAX = 18,
	EMPTY_LINES_MAX = 2, /* before a request: RFC 9112 section 2.2 */
};

#define LENGTH_MAX UINT64_C(999999999999999999)

#define LINES_FLAW                                                                     \
	"the header is not made of lines that end in CRLF: send no folded line, bare " \
	"LF, "                                                                         \
	"bare CR or NUL"

static int scan_fail(struct request_flaw *flaw, unsigned status, const char *text)
{
	*flaw = (struct request_flaw){ status, text };
	return -1;
}

static bool parse_fail(struct request_flaw *flaw, unsigned status, const char *text)
{
	*flaw = (struct request_flaw){ status, text };
	return false;
}

/* How many bytes at the beginning are CRLFs of empty lines. */
static size_t empty_lines(const char *text, size_t length)
{
	size_t at = 0;

	while (at < 2 * EMPTY_LINES_MAX && at + 1 < length && text[at] == '\r' &&
	       text[at + 1] == '\n')
		at += 2;
	return at;
}

int request_head_scan(const char *text, size_t length, size_t *scanned,
		      struct request_flaw *flaw_out)
{
	size_t begin = empty_lines(text, length);
	size_t at;

	for (at = *scanned; at < length && at < REQUEST_HEAD_BYTES_MAX; at++) {
		if (text[at] == '\0' ||
		    (text[at] == '\n' && (!at || text[at - 1] != '\r')) ||
		    (text[at] != '\n' && at && text[at - 1] == '\r'))
			return scan_fail(flaw_out, 400, LINES_FLAW);
		if (text[at] == '\n' && at >= begin + 3 && text[at - 2] == '\n') {
			*scanned = at + 1;
			return (int)(at + 1);
		}
	}
	*scanned = at;
	if (at < REQUEST_HEAD_BYTES_MAX)
		return 0;
	if (!memchr(text + begin, '\n', at - begin))
		return scan_fail(flaw_out, 414,
				 "the request line is longer than 8192 bytes: send less");
	return scan_fail(flaw_out, 431,
			 "the request line and the header lines together are longer than "
			 "8192 bytes: send less");
}

/* Ends the text at `*at` before the first `end` and moves behind it. NULL: there is none. */
static char *cut(char **at, char end)
{
	char *begin = *at;
	char *found = strchr(begin, end);

	if (!found)
		return NULL;
	*found = '\0';
	*at = found + 1;
	return begin;
}

static bool target_is_clean(const char *target)
{
	for (; *target; target++)
		if (*target <= ' ' || *target > '~')
			return false;
	return true;
}

static bool parse_version(const char *version, struct request_head *head,
			  struct request_flaw *flaw)
{
	head->is_http_1_0 = strcmp(version, "HTTP/1.0") == 0;
	if (head->is_http_1_0 || strcmp(version, "HTTP/1.1") == 0)
		return true;
	if (strncmp(version, "HTTP/", 5) == 0 && strlen(version) == strlen("HTTP/1.1") &&
	    version[6] == '.')
		return parse_fail(flaw, 505, "send the request as HTTP/1.1");
	return parse_fail(flaw, 400,
			  "the request line is not METHOD, one space, PATH, one space, "
			  "HTTP/1.1");
}

static bool parse_request_line(char *line, struct request_head *head,
			       struct request_flaw *flaw)
{
	char *method = cut(&line, ' ');
	char *target = method ? cut(&line, ' ') : NULL;

	if (!target || !*target || !target_is_clean(target) ||
	    strlen(method) > METHOD_BYTES_MAX ||
	    !header_name_is_clean(method, strlen(method)))
		return parse_fail(flaw, 400,
				  "the request line is not METHOD, one space, PATH, one "
				  "space, HTTP/1.1");
	head->method = method;
	head->path = target;
	target[strcspn(target, "?")] = '\0';
	return parse_version(line, head, flaw);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Without the blanks around it; `length` is that of the whole. */
static char *trim(char *value, size_t *length)
{
	while (*length && is_blank(value[*length - 1]))
		--*length;
	value[*length] = '\0';
	while (*length && is_blank(*value)) {
		value++;
		--*length;
	}
	return value;
}

static bool parse_line(char *line, struct request_head *head, struct request_flaw *flaw)
{
	char *value = line;
	char *name = cut(&value, ':');
	size_t length = strlen(value);

	if (is_blank(*line))
		return parse_fail(flaw, 400, LINES_FLAW);
	if (!name || !header_name_is_clean(name, strlen(name)))
		return parse_fail(flaw, 400,
				  "a header name is empty or has a blank or another "
				  "forbidden character");
	value = trim(value, &length);
	if (!header_value_is_clean(value, length))
		return parse_fail(flaw, 400, "a header value has a control character");
	head->lines[head->line_count++] = (struct request_line){
		.name = (uint16_t)(name - head->text),
		.name_length = (uint16_t)strlen(name),
		.value = (uint16_t)(value - head->text),
		.value_length = (uint16_t)length,
	};
	return true;
}

static char *value_of(const struct request_head *head, const struct request_line *line)
{
	return head->text + line->value;
}

/* The next line of that name from `line` on; NULL: none. */
static const struct request_line *find_from(const struct request_head *head,
					    const struct request_line *line,
					    const char *name)
{
	size_t length = strlen(name);

	for (; line < head->lines + head->line_count; line++)
		if (line->name_length == length &&
		    strcasecmp(head->text + line->name, name) == 0)
			return line;
	return NULL;
}

static const struct request_line *find_line(const struct request_head *head,
					    const char *name)
{
	return find_from(head, head->lines, name);
}

static bool check_single(const struct request_head *head, struct request_flaw *flaw)
{
	static const char *const single[] = {
		"Host",		  "Origin",	      "Authorization",	   "Content-Type",
		"Content-Length", "Content-Encoding", "Transfer-Encoding",
	};

	for (size_t which = 0; which < sizeof(single) / sizeof(*single); which++) {
		const struct request_line *first = find_line(head, single[which]);

		if (first && find_from(head, first + 1, single[which]))
			return parse_fail(
				flaw, 400,
				"a header that may stand once stands twice: send "
				"Host, Origin, Authorization, Content-* and "
				"Transfer-Encoding once");
	}
	return true;
}

static bool parse_length(const char *value, uint64_t *length_out)
{
	size_t digits = strspn(value, "0123456789");
	uint64_t length = 0;

	if (!digits || value[digits])
		return false;
	for (size_t at = 0; at < digits && digits <= LENGTH_DIGITS_MAX; at++)
		length = length * 10 + (uint64_t)(value[at] - '0');
	/* more digits cannot be counted, and are too long anyway */
	*length_out = digits > LENGTH_DIGITS_MAX ? LENGTH_MAX : length;
	return true;
}

static bool parse_framing(struct request_head *head, struct request_flaw *flaw)
{
	const struct request_line *coding = find_line(head, "Transfer-Encoding");
	const struct request_line *length = find_line(head, "Content-Length");

	if (coding &&
	    (head->is_http_1_0 || strcasecmp(value_of(head, coding), "chunked") != 0))
		return parse_fail(flaw, 400,
				  "the only Transfer-Encoding understood is chunked, in "
				  "HTTP/1.1");
	if (length && !parse_length(value_of(head, length), &head->body_length))
		return parse_fail(flaw, 400, "Content-Length is not a number");
	if (coding && length)
		return parse_fail(flaw, 400,
				  "Content-Length and Transfer-Encoding exclude each "
				  "other: send one");
	if (coding)
		head->body_length = REQUEST_BODY_CHUNKED;
	return true;
}

/* Of a comma-separated list, without regard to case: RFC 9110 section 5.6.1. */
static bool list_has(const char *list, const char *word)
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

static bool any_line_has(const struct request_head *head, const char *name,
			 const char *word)
{
	const struct request_line *line = find_line(head, name);

	while (line && !list_has(value_of(head, line), word))
		line = find_from(head, line + 1, name);
	return line != NULL;
}

bool request_head_parse(char *text, size_t length, struct request_head *head,
			struct request_flaw *flaw_out)
{
	size_t begin = empty_lines(text, length);
	char *at = text + begin, *end = text + length - 2;

	assert(length >= begin + 4 && memcmp(end, "\r\n", 2) == 0);
	*head = (struct request_head){ .text = text };
	*end = '\0';
	if (!parse_request_line(cut(&at, '\r'), head, flaw_out))
		return false;
	while (++at < end) { /* behind the LF */
		if (head->line_count == REQUEST_HEAD_LINES_MAX)
			return parse_fail(flaw_out, 431,
					  "more than 64 header lines: send fewer");
		if (!parse_line(cut(&at, '\r'), head, flaw_out))
			return false;
	}
	if (!check_single(head, flaw_out) || !parse_framing(head, flaw_out))
		return false;
	head->close = head->is_http_1_0 ? !any_line_has(head, "Connection", "keep-alive")
					: any_line_has(head, "Connection", "close");
	head->expects_continue =
		!head->is_http_1_0 && any_line_has(head, "Expect", "100-continue");
	return true;
}

const char *request_head_find(const struct request_head *head, const char *name,
			      bool *conflict_out)
{
	const struct request_line *first = find_line(head, name), *line = first;

	while (line && (line = find_from(head, line + 1, name)))
		if (conflict_out &&
		    strcmp(value_of(head, line), value_of(head, first)) != 0)
			*conflict_out = true;
	return first ? value_of(head, first) : NULL;
}

void request_head_forget_secrets(struct request_head *head)
{
	static const char *const secret[] = { "Authorization", "Proxy-Authorization",
					      "Cookie" };

	for (size_t which = 0; which < sizeof(secret) / sizeof(*secret); which++) {
		const struct request_line *line = find_line(head, secret[which]);

		for (; line; line = find_from(head, line + 1, secret[which]))
			explicit_bzero(value_of(head, line), line->value_length);
	}
}
