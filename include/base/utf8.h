/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UTF-8, strictly by RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
 *
 * Every string from outside passes utf8_valid() once, where it comes in: libdbus aborts the
 * process on bad text, and yajl accepts some.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool utf8_valid(const char *text, size_t length); /* NUL counts as valid */

/* Returns the code point at *text, which then points after it. Valid text only, not at its end. */
uint32_t utf8_next(const char **text);

bool utf8_begins(char byte); /* a character of a valid text */

size_t utf8_count(const char *text); /* code points of a valid text */
/* Writes a code point that is no surrogate; returns the number of bytes, at most 4. */
size_t utf8_write(uint32_t code_point, char *bytes);

/* Returns the bytes of the first `characters` of a valid text, or of all of a shorter one. */
size_t utf8_cut(const char *text, size_t characters);

/*
 * Folds a letter for comparing texts regardless of case and accents: to lower case, and Latin
 * letters without accents. It knows Latin, Greek and Cyrillic; others stay. ' ' for the two
 * characters from U+00C0 to U+017F that are not letters.
 */
uint32_t utf8_fold(uint32_t character);

/*
 * Returns the same letter as a capital or small one, whichever it is not; a character itself if it
 * has no other. It knows Latin, Greek, Cyrillic and Armenian. Not the Turkish dotless i and dotted
 * I: their others are letters of ASCII.
 */
uint32_t utf8_other_case(uint32_t character);

/* Is `part`, regardless of case, in the text? */
bool utf8_contains(const char *text, const char *part);

/* Is it a combining accent, which follows its letter (U+0300 to U+036F)? */
bool utf8_is_accent(uint32_t character);
