/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/terminal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/utf8.h"

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

unsigned terminal_width(const char *text)
{
	locale_t before = utf8_locale() ? uselocale(utf8_locale()) : (locale_t)0;
	unsigned width = 0;

	while (*text) {
		int columns = wcwidth((wchar_t)utf8_next(&text));

		width += columns < 0 ? 1 : (unsigned)columns;
	}
	if (before)
		uselocale(before);
	return width;
}
