/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shown text: a stranger's text as it may be shown to a model or a person. What would be
 * invisible, turn the order of reading or move a cursor is written out, as \u202e.
 *
 * Line feed and tab stay, a carriage return before a line feed is left out. Joiners (U+200C,
 * U+200D) and variation selectors stay, too: Persian, Hindi and emoji are made with them.
 * A backslash is left as it is, so what is written out here may be written so in the text.
 */
#ifndef BASE_SHOWN_TEXT_H
#define BASE_SHOWN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

bool shown_text_escapes(uint32_t character);
void shown_text_append(struct buffer *buffer, const char *text); /* valid UTF-8 */

#endif
