/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code shape: codes that are no plain number, and so are masked but never given out: letters
 * ("ABCDEF", "KQ7-ZPX"), digits with other marks between them ("482/913", "12.34.56") or
 * over several lines, passwords, and digits in words ("four eight two nine").
 *
 * Private to src/sms/code_mask.c. Measured: tests/unit/test_code_corpus.c.
 */
#ifndef SMS_CODE_SHAPE_H
#define SMS_CODE_SHAPE_H

#include <stddef.h>

/* `text` is one of sms/code_text.h. `visit` gets where a code stands, in bytes. */
void code_shape_search(const char *text,
		       void (*visit)(void *data, size_t from, size_t to), void *data);

#endif
