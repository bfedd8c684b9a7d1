/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opt word: does a message opt out (STOP, and similar words in many languages) or opt in
 * (START)?
 *
 * Only a message that consists of such a word counts, in any case and with any accents and
 * punctuation: "Please stop by at five" does not (tests/unit/test_opt_word.c).
 */
#ifndef SMS_OPT_WORD_H
#define SMS_OPT_WORD_H

#include "store/store.h"

/* `text` is valid UTF-8. *word_out: the word of the table, static; not set for OPT_NONE. */
enum opt opt_word_find(const char *text, const char **word_out);

#endif
