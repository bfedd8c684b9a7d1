/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timestamp: a time that somebody wrote, strictly by RFC 3339. Its writer is clock_format().
 */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "2026-11-21T08:30:00+01:00" as milliseconds since 1970 in UTC; what is finer than those
 * is cut off. False: it is no such time, or the offset is missing. A leap second counts as
 * the second after it.
 */
bool clock_parse(const char *text, int64_t *wall_ms_out);

#endif
