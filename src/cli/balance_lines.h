/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Balance lines: a SIM's balance as the owner's commands print it.
 */
#ifndef CLI_BALANCE_LINES_H
#define CLI_BALANCE_LINES_H

#include "base/json.h"

/* "1234.50 HUF of SIM 1, read 2026-11-21T07:30:00.123Z with *100#", and a line feed. */
void balance_line_print(const struct json *balance);

#endif
