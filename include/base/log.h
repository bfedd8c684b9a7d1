/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log: one line per fact, to standard error.
 *
 * Under systemd (JOURNAL_STREAM is set) each line starts with its "<N>" priority. Lines
 * never contain message text, tokens or PINs; phone numbers go through log_number() first.
 * Control characters in arguments are written as '?', so that no outside text can forge a
 * line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* syslog(3) priorities */
enum log_level {
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7,
};

/* Drops lines above this level; LOG_LEVEL_INFO by default. */
void log_set_level(enum log_level level);

__attribute__((format(printf, 2, 3))) void log_line(enum log_level level,
						    const char *format, ...);

#define log_error(...)	 log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)	 log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

/*
 * Returns a phone number for a log line: "...567", or at debug level `number` itself. The result is
 * valid until the next call, and no longer than `number`.
 */
const char *log_number(const char *number);

/* Limits lines that strangers can cause to one a second. It is zeroed when none was written yet. */
enum { LOG_PACE_MS = 1000, LOG_PACE_TEXT_BYTES = 64 };

struct log_pace {
	int64_t next_ms; /* monotonic */
	unsigned left_out;
};

/*
 * May the line be written now? `more_out` goes at its end: "" or
 * " (7 more since the last such line)".
 */
bool log_pace_passes(struct log_pace *pace, char more_out[LOG_PACE_TEXT_BYTES]);
