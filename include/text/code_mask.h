/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code mask: replaces one-time codes with CODE_MASK for clients that may not see them.
 *
 * It masks more than extract.h returns, because showing a code cannot be undone: every number
 * that may be a code, the code wherever else it appears (in a link, with other digits or
 * spaces), a text that is only a number, and behind TEXT_WORDS_MAX words all that has the form
 * of one (tests/unit/test_code_mask.c).
 */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"

#define CODE_MASK "******"

/*
 * Appends the masked text. Returns false if the text has no code, and nothing is appended. Without
 * memory it returns true, and the buffer has failed.
 */
bool code_mask(const char *text, struct buffer *masked);
