/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code mask: a text without the one-time codes in it, for who may not see them. In place of
 * each stands CODE_MASK, whatever its length.
 *
 * More is taken for a code than extract.h gives out, for what is shown cannot be taken back:
 * every number that may be one, the code wherever else it stands (in a link, with other
 * digits or blanks), and a text that is nothing but a number (tests/unit/test_code_mask.c).
 */
#ifndef SMS_CODE_MASK_H
#define SMS_CODE_MASK_H

#include <stdbool.h>

#include "base/buffer.h"

#define CODE_MASK "******"

/*
 * Appends the masked text. False: there is no code in it, and nothing is appended. Without
 * memory true, and the buffer has failed.
 */
bool code_mask(const char *text, struct buffer *masked);

#endif
