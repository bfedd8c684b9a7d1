/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escape: makes a stranger's text safe to show to a model or a person. Characters that would
 * be invisible, change the reading direction or move a cursor become escapes such as
 * \u{202E}.
 *
 * A backslash before "u{" is also escaped, as \u{5C}. So every \u{...} in escaped text is ours, and
 * escape_undo() restores the original (tests/unit/test_escape.c).
 *
 * Line feed and tab stay; a carriage return before a line feed is dropped. Characters that
 * draw nothing by themselves stay only where writing needs them: a joiner (U+200C, U+200D)
 * between two emoji or two letters of a joining script, a variation selector (U+FE0E,
 * U+FE0F) after an emoji.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"

/* Returns the value of a hexadecimal digit, as in "%2F" or "=2F"; -1 if it is none. */
int escape_hex_digit(char digit);

/* Is the character escaped wherever it occurs? False for joiners and selectors. */
bool escape_is_needed(uint32_t character);

/* Appends `text` (valid UTF-8) escaped. Returns true if something was escaped. */
bool escape_text(struct buffer *buffer, const char *text);
/*
 * The same for text that belongs on one line, such as names and phone numbers: also escapes
 * line feeds, carriage returns and tabs. Otherwise a sender called "x\n9  from y" could
 * forge a line.
 */
bool escape_line(struct buffer *buffer, const char *text);
/*
 * Returns the first `characters` of a text as one escaped line, for errors that quote a caller's
 * argument. "" when there is no memory.
 */
const char *escape_quote(struct arena *arena, const char *text, size_t characters);

/* Would escape_text() leave the text unchanged? */
bool escape_is_plain(const char *text);

/*
 * Writes a message for a log or a terminal into `out`, of `bytes` bytes with its NUL; cuts what is too
 * long. `text` may be anything, also not UTF-8: control characters and bad bytes become '?', and
 * characters that hide text or change its direction are escaped.
 */
void escape_message(const char *text, char *out, size_t bytes);
/*
 * Replaces escapes with their characters, in place. Anything else stays: a caller that never
 * saw the escaped form may pass the original.
 */
void escape_undo(char *text);
