/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Balance pattern: finds the balance in a network's answer to a USSD code. The owner writes
 * one line for each code and wording, "CODE PATTERN":
 *
 *   *100# balance is ([-0-9., ]+) ?([A-Za-z]+)?
 *
 * The pattern is a POSIX extended regular expression with one or two groups: the group that
 * reads as an amount is the amount, the other one the currency. The first matching line of
 * a code wins.
 *
 * The text comes from a stranger, so no pattern may take long or recurse deeply: back
 * references and { } are refused, and only the first BALANCE_TEXT_BYTES of a text are
 * searched, more than any network sends (tests/unit/test_balance_pattern.c).
 */
#pragma once

#include <stdbool.h>

#include "base/amount.h"

struct config_list;
struct explanation;

enum {
	BALANCE_TEXT_BYTES = 1024, /* 182 characters in UTF-8 are 728 */
	BALANCE_CURRENCY_BYTES = 16,
};

struct balance {
	struct amount amount;
	/* Letters and currency signs; "" if unknown; from a stranger, but harmless. */
	char currency[BALANCE_CURRENCY_BYTES];
};

/* Returns 0, or -EINVAL with the error's text. */
int balance_pattern_check_list(const struct config_list *list, struct explanation *error);

/* Is there a line for this code? */
bool balance_pattern_has(const struct config_list *list, const char *code);

/* Returns false if no line for this code finds an amount in the text, or memory runs out. */
bool balance_pattern_read(const struct config_list *list, const char *code,
			  const char *text, struct balance *balance_out);
