/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opt-out words: does a message opt out (STOP, and similar words in many languages) or opt in
 * (START)?
 *
 * A message opts out if it consists of such a word, in any case and with any accents and
 * punctuation, and of what people politely write around it ("Please stop texting me, thanks"),
 * or if it is an opt-out sentence (sms/opt_sentence.h). With any other word it does not ("the bus
 * stop is closed"). Only the word alone opts in,
 * because consent has to be clear (tests/unit/test_opt_word.c).
 */
#pragma once

#include "store/store.h"

/* `text` is valid UTF-8. *word_out is a word of the tables, static; it is not set for OPT_NONE. */
enum opt opt_word_find(const char *text, const char **word_out);
