/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Letter: letters folded so that texts can be compared whatever their case and accents:
 * small, and of Latin ones without accents. Latin, Greek and Cyrillic; others stay as they are.
 */
#ifndef BASE_LETTER_H
#define BASE_LETTER_H

#include <stdbool.h>
#include <stdint.h>

/* ' ' for what is no letter among U+00C0 to U+017F. */
uint32_t utf8_fold(uint32_t character);

/* An accent that stands behind its letter (U+0300 to U+036F). */
bool utf8_is_accent(uint32_t character);

#endif
