/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code spelled: codes that are spread over lines, spaces or words: "91 28", one group of digits
 * per line, "four eight two nine", digits in Chinese signs.
 *
 * Private to the search for codes (code_shape.c).
 */
#ifndef SMS_CODE_SPELLED_H
#define SMS_CODE_SPELLED_H

#include "sms/code_context.h"

/* `visit` gets where each code stands, in bytes. */
void code_spelled_search(const struct code_context *context,
			 void (*visit)(void *data, size_t from, size_t to), void *data);

#endif
