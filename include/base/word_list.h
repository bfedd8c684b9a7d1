/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Word list: words in a text, separated by spaces, tabs or commas.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the next word, and moves *at_inout after it. A word that does not fit becomes "", which no
 * word is. Returns false if there are no more words.
 */
bool word_list_next(const char **at_inout, char *word_out, size_t room);

/* Is `word` one of the words? `words` may be NULL: then there are none. */
bool word_list_has(const char *words, const char *word);
