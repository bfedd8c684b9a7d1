/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/terminal.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/utf8.h"

enum { TAB_COLUMNS = 8, EMOJI_SELECTOR = 0xfe0f };

bool terminal_is_capable(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

unsigned terminal_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

/* Whatever LANG says, what is written is UTF-8. (locale_t)0: this system has no such thing. */
static locale_t utf8_locale(void)
{
	static locale_t locale; /* for as long as the process lives */

	if (!locale)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return locale;
}

/* As much as any terminal gives it. */
static unsigned columns_of(uint32_t character)
{
	int columns;

	if (character == '\t')
		return TAB_COLUMNS;
	if (character == EMOJI_SELECTOR)
		return 1; /* what it makes of the sign before, on some */
	columns = wcwidth((wchar_t)character);
	return columns < 0 ? 1 : (unsigned)columns;
}

/* Of what fits into `most` columns; gives how many bytes that is. */
static size_t measure(const char *text, unsigned most, unsigned *width_out)
{
	locale_t before = utf8_locale() ? uselocale(utf8_locale()) : (locale_t)0;
	const char *at = text, *behind = text;
	unsigned width = 0;

	while (*at) {
		unsigned columns = columns_of(utf8_next(&behind));

		if (columns > most - width && at != text)
			break;
		width += columns;
		at = behind;
		if (width >= most)
			break;
	}
	if (before)
		uselocale(before);
	*width_out = width;
	return (size_t)(at - text);
}

unsigned terminal_width(const char *text)
{
	unsigned width;

	measure(text, UINT_MAX, &width);
	return width;
}

size_t terminal_cut(const char *text, unsigned columns)
{
	unsigned width;

	return measure(text, columns, &width);
}
