/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mended text: upstream oFono (1.28 and later) cuts a character above U+FFFF to 16 bits, so
 * most emoji arrive as U+F000 to U+F8FF. Adding 0x10000 restores them; nobody uses that
 * private area in an SMS. Forks do not damage texts, so only texts from upstream oFono are
 * repaired (ofono_line()), and none that contains a character above U+FFFF.
 * Source: oFono since commit 9c7a8767; measured on 1.31 and 2.16.
 */
#ifndef SMS_MENDED_TEXT_H
#define SMS_MENDED_TEXT_H

#include <stdbool.h>

/*
 * A copy of `text` (valid UTF-8) with U+F000..U+F8FF restored to U+1F000..U+1F8FF; the
 * caller frees it. *mended_out: whether anything changed. NULL: no memory.
 */
char *mended_text(const char *text, bool *mended_out);

#endif
