/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UTF-8, strictly by RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
 *
 * Every string from outside passes utf8_valid() once, at the edge: libdbus ends the
 * process on bad text, and yajl lets some through.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool utf8_valid(const char *text, size_t length); /* NUL counts as valid */

/* The code point at *text, which moves behind it. Valid text only, not at its end. */
uint32_t utf8_next(const char **text);

size_t utf8_count(const char *text); /* characters of a valid text */
/* Writes a code point that is no surrogate; how many bytes, at most 4. */
size_t utf8_write(uint32_t code_point, char *bytes);

/* Bytes of the first `characters` of a valid text, or of all of it when it is shorter. */
size_t utf8_cut(const char *text, size_t characters);

#endif
