/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opt-out sentence: does a message ask in a sentence of its own for no more messages ("I do not
 * want these messages", "Retirez-moi de votre liste")?
 *
 * It does if all its words are those that such sentences consist of, and if together they say it:
 * with any other word it says something else ("I do not want these apples",
 * tests/unit/test_opt_word.c).
 */
#pragma once

/* The words are folded, with a space between them. Returns the word that decided, static, or NULL. */
const char *opt_sentence_find(const char *folded);
