/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Balance pattern: where in a network's answer to a USSD code the balance stands. The owner
 * writes a line for each code and wording, "CODE PATTERN":
 *
 *   *100# balance is ([-0-9., ]+) ?([A-Za-z]+)?
 *
 * The pattern is an extended regular expression of POSIX with one group or two: the one that
 * reads as an amount is the amount, the other the currency. Of several lines for one code the
 * first that fits counts.
 *
 * The text is a stranger's, so nothing in a pattern may take long or deep: back references
 * and { } are refused, and of a text only BALANCE_TEXT_BYTES are looked at, which no answer of
 * a network fills (tests/unit/test_balance_pattern.c).
 */
#ifndef CONFIG_BALANCE_PATTERN_H
#define CONFIG_BALANCE_PATTERN_H

#include "base/amount.h"
#include "config/config.h"

enum {
	BALANCE_TEXT_BYTES = 1024, /* 182 characters in UTF-8 are 728 */
	BALANCE_CURRENCY_BYTES = 16,
};

struct balance {
	struct amount amount;
	/* Letters and signs of currencies, "" not known; a stranger's, but harmless. */
	char currency[BALANCE_CURRENCY_BYTES];
};

/* 0, or -EINVAL with the error's text. */
int balance_pattern_check_list(const struct config_list *list, struct explanation *error);

/* Is there a line for this code? */
bool balance_pattern_has(const struct config_list *list, const char *code);

/* False: no line of this code finds an amount in the text, or no memory. */
bool balance_pattern_read(const struct config_list *list, const char *code,
			  const char *text, struct balance *balance_out);

#endif
