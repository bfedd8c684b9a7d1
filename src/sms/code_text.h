/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code text: a copy of a text in which numbers are easy to find. Digits of all scripts become
 * ASCII, invisible characters are left out, and single digits are joined: "1 2 3 4" becomes
 * "1234". Every byte has its position in the original.
 *
 * Private to extract.c and code_mask.c.
 */
#ifndef SMS_CODE_TEXT_H
#define SMS_CODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct code_text {
	char *text;
	size_t *from; /* for each byte, where its character begins in the original, */
	size_t *to;   /* and where it ends */
	size_t length;
};

/* False: the text certainly has no digit. A quick test, because most texts have none. */
bool code_text_has_digits(const char *text);

/* 0, or -ENOMEM with nothing to free. `text` is valid UTF-8. */
int code_text_init(struct code_text *read, const char *text);
void code_text_deinit(struct code_text *read);

#endif
