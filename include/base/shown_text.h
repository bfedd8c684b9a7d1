/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shown text: a stranger's text as it may be shown to a model or a person. What would be
 * invisible, turn the order of reading or move a cursor is written out, as \u{202E}.
 *
 * A backslash before "u{" is written out, too, as \u{5C}: so whatever reads \u{...} here was
 * written out by us, and putting the characters back gives what was written.
 * (tests/unit/test_shown_text.c)
 *
 * Line feed and tab stay, a carriage return before a line feed is left out. What draws
 * nothing by itself stays only where writing needs it: a joiner (U+200C, U+200D) between two
 * emoji or two letters of a script that joins, a variation selector (U+FE0E, U+FE0F) behind
 * an emoji.
 */
#ifndef BASE_SHOWN_TEXT_H
#define BASE_SHOWN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"

/* Wherever it stands: joiners and selectors are none of these. */
bool escape_is_needed(uint32_t character);

/* `text` is valid UTF-8. True: something was written out. */
bool escape_text(struct buffer *buffer, const char *text);
/*
 * The same for what belongs on one line, such as names and phone numbers: line feeds, carriage
 * returns and tabs are written out, too. Else a sender called "x\n9  from y" forges a line.
 */
bool escape_line(struct buffer *buffer, const char *text);
/*
 * The first `characters` of a text on one line, for errors that quote what a caller gave: it
 * may have come from a stranger. "" without memory.
 */
const char *escape_quote(struct arena *arena, const char *text, size_t characters);

/* Nothing of it has to be written out. */
bool escape_is_plain(const char *text);

/*
 * Puts back what was written out, in place. What is no such writing stays: whoever never
 * saw it shown may give it as it is.
 */
void escape_undo(char *text);

#endif
