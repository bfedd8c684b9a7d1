/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/audit_head.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS_MAX = 18 };

void audit_head_write(const struct audit_head *head, char text[AUDIT_HEAD_TEXT_BYTES])
{
	int length =
		snprintf(text, AUDIT_HEAD_TEXT_BYTES, "%lld:", (long long)head->line);

	for (int i = 0; i < AUDIT_HASH_BYTES; i++)
		length += snprintf(text + length, AUDIT_HEAD_TEXT_BYTES - (size_t)length,
				   "%02x", head->hash[i]);
}

/* -1: no digit of base 16 */
static int digit_of(char letter)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *found = letter ? strchr(digits, letter) : NULL;
	int digit = found ? (int)(found - digits) : -1;

	return digit < 16 ? digit : digit - 6;
}

static bool parse_hash(const char *text, uint8_t hash_out[AUDIT_HASH_BYTES])
{
	for (int i = 0; i < AUDIT_HASH_BYTES; i++) {
		int high = digit_of(text[2 * i]);
		int low = high < 0 ? -1 : digit_of(text[2 * i + 1]);

		if (low < 0)
			return false;
		hash_out[i] = (uint8_t)(high << 4 | low);
	}
	return !text[2 * AUDIT_HASH_BYTES];
}

bool audit_head_parse(const char *text, struct audit_head *head_out)
{
	struct audit_head head = { .line = 0 };
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > DIGITS_MAX || text[digits] != ':' ||
	    !parse_hash(text + digits + 1, head.hash))
		return false;
	for (size_t i = 0; i < digits; i++)
		head.line = head.line * 10 + (text[i] - '0');
	*head_out = head;
	return true;
}
