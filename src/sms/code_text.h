/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code text: a text as its numbers are read, not as they are written. Digits of all scripts
 * are those of ASCII, what nobody sees is gone, and digits that stand one by one are
 * together: "1 2 3 4" reads "1234". Every byte knows where it comes from.
 *
 * Private to src/sms/extract.c and code_mask.c.
 */
#ifndef SMS_CODE_TEXT_H
#define SMS_CODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct code_text {
	char *text;
	size_t *from; /* of each byte: where its character begins in the original, */
	size_t *to;   /* and where that ends */
	size_t length;
};

/* Quickly, for most texts have none: may there be a digit in it? */
bool code_text_has_digits(const char *text);

/* 0, or -ENOMEM with nothing to be given back. Valid UTF-8. */
int code_text_init(struct code_text *read, const char *text);
void code_text_deinit(struct code_text *read);

#endif
