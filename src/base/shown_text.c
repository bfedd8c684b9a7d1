/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/shown_text.h"

#include <stddef.h>
#include <stdio.h>

#include "base/utf8.h"

/* Unicode 15: Cc, Cf, Zl, Zp, and what else draws nothing; but for those in the header. */
static const struct {
	uint32_t first, last;
} ranges[] = {
	{ 0x0000, 0x0008 },   { 0x000b, 0x001f },   { 0x007f, 0x009f },
	{ 0x00ad, 0x00ad }, /* soft hyphen */
	{ 0x034f, 0x034f }, /* grapheme joiner */
	{ 0x061c, 0x061c }, /* Arabic letter mark */
	{ 0x115f, 0x1160 }, /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x200b, 0x200b },
	{ 0x200e, 0x200f }, /* zero width space; marks of direction */
	{ 0x2028, 0x202e }, /* line, paragraph; embeddings and overrides */
	{ 0x2060, 0x206f }, /* invisible operators, isolates */
	{ 0x3164, 0x3164 },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },   { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
	{ 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff }, /* tags: whole sentences that nobody sees */
};

bool shown_text_escapes(uint32_t character)
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (character <= ranges[i].last)
			return character >= ranges[i].first;
	}
	return false;
}

static void append_escape(struct buffer *buffer, uint32_t character)
{
	char escape[16];

	snprintf(escape, sizeof(escape), character > 0xffff ? "\\u{%x}" : "\\u%04x",
		 (unsigned)character);
	buffer_append_text(buffer, escape);
}

void shown_text_append(struct buffer *buffer, const char *text)
{
	const char *kept = text; /* from here on nothing has been appended yet */

	while (*text) {
		const char *at = text;
		uint32_t character = utf8_next(&text);

		if (!shown_text_escapes(character))
			continue;
		buffer_append(buffer, kept, (size_t)(at - kept));
		if (character != '\r' || *text != '\n')
			append_escape(buffer, character);
		kept = text;
	}
	buffer_append(buffer, kept, (size_t)(text - kept));
}
