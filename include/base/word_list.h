/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Word list: words in a text, with blanks or commas between them.
 */
#ifndef BASE_WORD_LIST_H
#define BASE_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The next word, with a NUL, and *at_inout behind it. One that does not fit is cut to "", which
 * is no word at all. False: there is none.
 */
bool word_list_next(const char **at_inout, char *word_out, size_t room);

/* Is one of the words just this one? `words` NULL: there are none. */
bool word_list_has(const char *words, const char *word);

#endif
