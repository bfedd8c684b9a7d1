/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/text_link.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/utf8.h"

static const char *const schemes[] = { "https://", "http://" };

static bool text_link_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

/* Space, comma, full stop, brackets and their East Asian relatives. */
static bool text_link_is_wide_mark(uint32_t character)
{
	return text_link_is_within(character, 0x3000, 0x3002) ||
	       text_link_is_within(character, 0x3008, 0x301b) || character == 0xff01 ||
	       text_link_is_within(character, 0xff08, 0xff09) || character == 0xff0c ||
	       text_link_is_within(character, 0xff1a, 0xff1b) || character == 0xff1f;
}

static bool text_link_ends_link(uint32_t character)
{
	if (character < 0x80)
		return character <= ' ' || strchr("<>\"", (int)character);
	return escape_is_needed(character) || character == 0xa0 || character == 0xab ||
	       character == 0xbb || text_link_is_within(character, 0x2000, 0x200a) ||
	       text_link_is_within(character, 0x2018, 0x202f) ||
	       text_link_is_wide_mark(character);
}

/* A closing bracket belongs to the link if it was opened inside it. */
static bool text_link_is_closed_within(const char *link, size_t length, char close)
{
	char open = close == ')' ? '(' : '[';
	int depth = 0;

	for (size_t i = 0; i < length; i++)
		depth += (link[i] == open) - (link[i] == close);
	return depth >= 0;
}

static size_t text_link_without_marks(const char *link, size_t length)
{
	while (length > 0) {
		char last = link[length - 1];

		if ((last == ')' || last == ']') &&
		    text_link_is_closed_within(link, length, last))
			break;
		if (!strchr(".,;:!?'*)]}", last))
			break;
		length--;
	}
	return length;
}

/* Length of the scheme at this position; 0: none. */
static size_t text_link_scheme_length(const char *text)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t length = strlen(schemes[i]);

		if (strncasecmp(text, schemes[i], length) == 0)
			return length;
	}
	return 0;
}

static size_t text_link_measure(const char *link)
{
	const char *end = link;

	while (*end) {
		const char *next = end;

		if (text_link_ends_link(utf8_next(&next)))
			break;
		end = next;
	}
	return text_link_without_marks(link, (size_t)(end - link));
}

const char *text_link_find(const char *text, size_t *length_out)
{
	for (; *text; text++) {
		size_t scheme = (*text | 0x20) == 'h' ? text_link_scheme_length(text) : 0;
		size_t length = scheme ? text_link_measure(text) : 0;

		if (length > scheme) {
			*length_out = length;
			return text;
		}
	}
	return NULL;
}

static const char host[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
enum { TOP_LEAST = 2 }; /* letters of a top-level domain */

/* "example.com/", but not "and/or" or "1.5/2". */
static bool text_link_is_host(const char *word, size_t length)
{
	size_t top = 0;

	if (word[length] != '/')
		return false;
	while (top < length && ((word[length - 1 - top] | 0x20) >= 'a') &&
	       ((word[length - 1 - top] | 0x20) <= 'z'))
		top++;
	return top >= TOP_LEAST && top + 1 < length && word[length - 1 - top] == '.';
}

bool text_link_is_hinted(const char *text)
{
	while (*text) {
		size_t length = strspn(text, host);

		if ((length > 4 && strncasecmp(text, "www.", 4) == 0) ||
		    text_link_is_host(text, length))
			return true;
		text += length ? length : 1;
	}
	return false;
}
