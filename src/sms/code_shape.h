/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code shape: codes that are not plain numbers. They are masked but never returned as a code:
 * letters ("ABCDEF", "KQ7-ZPX"), digits with marks between them ("482/913", "12.34.56") or
 * over several lines, passwords, and digits in words ("four eight two nine").
 *
 * Private to code_mask.c. tests/unit/test_code_corpus.c measures how many it finds.
 */
#ifndef SMS_CODE_SHAPE_H
#define SMS_CODE_SHAPE_H

#include <stddef.h>

/* `text` comes from sms/code_text.h. `visit` gets the position of each code, in bytes. */
void code_shape_search(const char *text,
		       void (*visit)(void *data, size_t from, size_t to), void *data);

#endif
