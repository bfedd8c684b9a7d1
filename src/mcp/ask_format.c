/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/ask_format.h"

#include <stdio.h>
#include <string.h>

#include "base/timestamp.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS	"0123456789"

/* What an address may have outside of quotes: RFC 5322, "atext", and the dot. */
#define LOCAL LETTERS DIGITS "!#$%&'*+-/=?^_`{|}~."
/* RFC 3986, with the escapes' percent sign. */
#define URI LETTERS DIGITS "-._~:/?#[]@!$&'()*+,;=%"

enum { DATE_LENGTH = sizeof("2026-11-21") - 1 };

static bool is_any(const char *text)
{
	(void)text;
	return true;
}

/* "a.b" and not ".a", "a." or "a..b" */
static bool has_whole_labels(const char *text, size_t length)
{
	if (!length || text[0] == '.' || text[length - 1] == '.')
		return false;
	return !memmem(text, length, "..", 2);
}

/* Letters of any language may stand in it: RFC 6531. */
static bool is_email(const char *text)
{
	const char *at = strchr(text, '@');
	size_t length = at ? (size_t)(at - text) : 0;

	if (!at || !has_whole_labels(text, length) ||
	    !has_whole_labels(at + 1, strlen(at + 1)))
		return false;
	for (const char *byte = text; *byte; byte++) {
		const char *allowed = byte < at ? LOCAL : LETTERS DIGITS "-.";

		if (byte != at && (unsigned char)*byte < 0x80 && !strchr(allowed, *byte))
			return false;
	}
	return true;
}

static bool is_uri(const char *text)
{
	size_t scheme = strspn(text, LETTERS DIGITS "+-.");

	if (!scheme || !strchr(LETTERS, *text) || text[scheme] != ':' ||
	    !text[scheme + 1] || text[strspn(text, URI)])
		return false;
	for (const char *escape = strchr(text, '%'); escape;
	     escape = strchr(escape + 1, '%')) {
		if (strspn(escape + 1, DIGITS "abcdefABCDEF") < 2)
			return false;
	}
	return true;
}

static bool is_date_time(const char *text)
{
	int64_t wall_ms;

	return timestamp_parse(text, &wall_ms);
}

static bool is_date(const char *text)
{
	char midnight[DATE_LENGTH + sizeof("T00:00:00Z")];

	if (strlen(text) != DATE_LENGTH)
		return false;
	snprintf(midnight, sizeof(midnight), "%sT00:00:00Z", text);
	return is_date_time(midnight);
}

static const struct {
	const char *name;
	bool (*fits)(const char *text);
} formats[] = {
	[ASK_FORMAT_ANY] = { NULL, is_any },
	[ASK_FORMAT_EMAIL] = { "email", is_email },
	[ASK_FORMAT_URI] = { "uri", is_uri },
	[ASK_FORMAT_DATE] = { "date", is_date },
	[ASK_FORMAT_DATE_TIME] = { "date-time", is_date_time },
};

const char *ask_format_name(enum ask_format format)
{
	return formats[format].name;
}

bool ask_format_fits(enum ask_format format, const char *text)
{
	return formats[format].fits(text);
}
