/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spelling: how far a mistyped word is from the one that was meant.
 */
#pragma once

#include <stdbool.h>

enum { SPELLING_LETTERS_MAX = 47 };

/*
 * The Levenshtein distance: bytes to insert, remove or replace. UINT_MAX: one of the words is
 * longer than SPELLING_LETTERS_MAX.
 */
unsigned spelling_distance(const char *given, const char *word);
/* `given` is probably a mistyped `word`: one or two letters differ or are swapped. */
bool spelling_is_similar(const char *given, const char *word);
