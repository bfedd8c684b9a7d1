/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opt word: whether a message says that no more messages are wanted (STOP and its kin in
 * many languages), or that they are again (START).
 *
 * Only a message that is nothing but such a word counts, whatever its case, accents and
 * marks: "Please stop by at five" is none (tests/unit/test_opt_word.c).
 */
#ifndef SMS_OPT_WORD_H
#define SMS_OPT_WORD_H

#include "store/store.h"

/* *word_out: the word as the table has it, static; not written with OPT_NONE. Valid UTF-8. */
enum opt opt_word_find(const char *text, const char **word_out);

#endif
