/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log pace: for lines that a stranger can cause: one a second, and how many were left out.
 */
#ifndef BASE_LOG_PACE_H
#define BASE_LOG_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum { LOG_PACE_MS = 1000, LOG_PACE_TEXT_BYTES = 64 };

/* all zero: none was written yet */
struct log_pace {
	int64_t next_ms; /* monotonic */
	unsigned left_out;
};

/*
 * Whether the line may be written now. `more_out` is for its end: "" or
 * " (7 more since the last such line)".
 */
bool log_pace_passes(struct log_pace *pace, char more_out[LOG_PACE_TEXT_BYTES]);

#endif
