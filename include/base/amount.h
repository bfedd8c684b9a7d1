/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amount: a sum of money as networks and owners write it, exact.
 *
 *   500   -12.5   1 234,56   1,234.56   1.234   1'234.50   1,23,456.00   0,125
 *
 * A dot or comma with others of another kind before it, or with anything but three digits
 * behind it, is the decimal mark; "1.234" is 1234 and "0.123" is not. There are three decimals
 * and twelve digits before them at most. Which currency has how many decimals need not be
 * known: what was written is kept (tests/unit/test_amount.c).
 */
#ifndef BASE_AMOUNT_H
#define BASE_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct amount {
	int64_t thousandths;
	unsigned decimals; /* as many as were written, 0 to 3 */
};

enum { AMOUNT_BYTES = 24, AMOUNT_DECIMALS_MAX = 3 };

/* A sign, digits and what stands between them, blanks around it. False: it is none. */
bool amount_read(const char *text, size_t length, struct amount *amount_out);

/* "-1234.50": no separators but a dot before the decimals. */
void amount_write(const struct amount *amount, char text[AMOUNT_BYTES]);

#endif
