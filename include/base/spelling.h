/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spelling: how far a mistyped word is from the one that was meant.
 */
#pragma once

#include <stdbool.h>

enum { SPELLING_LETTERS_MAX = 47 };

/*
 * Returns the Levenshtein distance: bytes to insert, remove or replace; UINT_MAX if one of the
 * words is longer than SPELLING_LETTERS_MAX.
 */
unsigned spelling_distance(const char *given, const char *word);
/* Is `given` probably a mistyped `word`? One or two letters differ or are swapped then. */
bool spelling_is_similar(const char *given, const char *word);
/* Likewise, and more similar than `best`; NULL for none so far. */
bool spelling_is_better(const char *given, const char *word, const char *best);
