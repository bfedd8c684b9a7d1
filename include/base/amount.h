/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amount: an exact sum of money, as networks and owners write it.
 *
 *   500   -12.5   1 234,56   1,234.56   1.234   1'234.50   1,23,456.00   0,125
 *
 * A dot or comma is the decimal mark if separators of another kind precede it, or if it is not
 * followed by exactly three digits; so "1.234" is 1234, and "0.123" is not. At most twelve
 * digits precede the mark and three follow it. The number of decimals is kept, whatever the
 * currency has (tests/unit/test_amount.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct amount {
	int64_t thousandths;
	unsigned decimals; /* as written, 0 to 3 */
};

enum { AMOUNT_BYTES = 24, AMOUNT_DECIMALS_MAX = 3 };

/*
 * Reads sign, digits and separators; spaces may surround them. Returns false if it is not an
 * amount.
 */
bool amount_read(const char *text, size_t length, struct amount *amount_out);

/* Writes "-1234.50": no separators except the decimal point. */
void amount_write(const struct amount *amount, char text[AMOUNT_BYTES]);
