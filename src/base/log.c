/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LOG_LINE_BYTES = 1024,
	LOG_NUMBER_SHOWN = 3,
};

static enum log_level log_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	log_level = level;
}

/* The whole line is ours or an argument's, hence no control character in it is wanted. */
static void log_sanitise(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
	}
}

/* One write(2): lines of several processes on one stderr stay whole. */
static void log_write(char *line, size_t length)
{
	line[length++] = '\n';
	while (write(STDERR_FILENO, line, length) < 0 && errno == EINTR)
		;
}

void log_line(enum log_level level, const char *format, ...)
{
	int saved_errno = errno; /* a caller may log first and look at errno then */
	char line[LOG_LINE_BYTES];
	size_t prefix = 0;
	va_list arguments;

	if (level > log_level)
		return;
	if (getenv("JOURNAL_STREAM"))
		prefix = (size_t)snprintf(line, sizeof(line), "<%d>", (int)level);
	errno = saved_errno; /* for %m */
	va_start(arguments, format);
	if (vsnprintf(line + prefix, sizeof(line) - prefix - 1, format, arguments) < 0)
		line[prefix] = '\0';
	va_end(arguments);
	log_sanitise(line + prefix);
	log_write(line, strlen(line));
	errno = saved_errno;
}

const char *log_number(const char *number)
{
	static char text[sizeof("...") + 4 * LOG_NUMBER_SHOWN];
	size_t at = strlen(number);
	int shown = 0;

	if (log_level >= LOG_LEVEL_DEBUG)
		return number;
	while (at > 0 && shown < LOG_NUMBER_SHOWN) { /* a sender may be a name: "Café" */
		at--;
		if (((unsigned char)number[at] & 0xc0) != 0x80)
			shown++;
	}
	snprintf(text, sizeof(text), "...%s", number + at);
	return text;
}
