/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/utf8.h"

enum {
	LOG_LINE_BYTES = 1024,
	LOG_NUMBER_CHARACTERS = 3,
};

static enum log_level log_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	log_level = level;
}

/* A single write(2) keeps lines whole when several processes share one stderr. */
static void log_write(char *line, size_t length)
{
	line[length++] = '\n';
	while (write(STDERR_FILENO, line, length) < 0 && errno == EINTR)
		;
}

void log_line(enum log_level level, const char *format, ...)
{
	int saved_errno = errno; /* callers may read errno after logging */
	char line[LOG_LINE_BYTES], text[LOG_LINE_BYTES];
	size_t prefix = 0;
	va_list arguments;

	if (level > log_level)
		return;
	if (getenv("JOURNAL_STREAM"))
		prefix = (size_t)snprintf(line, sizeof(line), "<%d>", (int)level);
	errno = saved_errno; /* for %m */
	va_start(arguments, format);
	if (vsnprintf(text, sizeof(text) - prefix - 1, format, arguments) < 0)
		*text = '\0';
	va_end(arguments);
	escape_message(text, line + prefix, sizeof(line) - prefix - 1);
	log_write(line, strlen(line));
	errno = saved_errno;
}

const char *log_number(const char *number)
{
	static char text[sizeof("...") + 4 * LOG_NUMBER_CHARACTERS];
	size_t at = strlen(number);
	int kept = 0;

	if (log_level >= LOG_LEVEL_DEBUG)
		return number;
	while (at > 0 &&
	       kept < LOG_NUMBER_CHARACTERS) { /* senders may be names: "Café" */
		at--;
		if (((unsigned char)number[at] & 0xc0) != 0x80)
			kept++;
	}
	snprintf(text, sizeof(text), "...%s", number + at);
	return text;
}

bool log_pace_passes(struct log_pace *pace, char more_out[LOG_PACE_TEXT_BYTES])
{
	int64_t now_ms = clock_monotonic_ms();

	if (now_ms < pace->next_ms) {
		pace->left_out++;
		return false;
	}
	*more_out = '\0';
	if (pace->left_out)
		snprintf(more_out, LOG_PACE_TEXT_BYTES,
			 " (%u more since the last such line)", pace->left_out);
	pace->left_out = 0;
	pace->next_ms = now_ms + LOG_PACE_MS;
	return true;
}
