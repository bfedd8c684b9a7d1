/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extract: the one-time code or the link in a text.
 *
 * A code is in WebOTP form ("@domain #code" as the last line), or it is 4 to 10 digits, or
 * letters with digits, near a word such as code, PIN, OTP, TAN or passcode in the languages of
 * the table, or digits that one is told to type; never part of a phone number, price, date or
 * link. Digits of all scripts count, and so do "1 2 3 4 5 6", "K 7 P 3 X 9" and groups such as
 * "ABCD-1234", up to 24 characters, which keep their dashes. The code is returned in ASCII
 * digits.
 */
#pragma once

#include <stdbool.h>

enum {
	EXTRACT_CODE_BYTES = 32,
	EXTRACT_DOMAIN_BYTES = 256,
	EXTRACT_LINK_BYTES = 2048,
};

struct extract {
	char code[EXTRACT_CODE_BYTES]; /* "" if there is none */
	/* the site a WebOTP code is bound to, "" if there is none */
	char domain[EXTRACT_DOMAIN_BYTES];
	char link[EXTRACT_LINK_BYTES]; /* first http or https link, "" if there is none */
};

/* Includes links without http: "www.example.com", "example.com/a". Valid UTF-8. */
bool extract_has_link(const char *text);

void extract_from(const char *text, struct extract *extract_out); /* valid UTF-8 */
