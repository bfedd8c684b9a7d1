/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nearly: is a word that is none of ours likely a mistyped one of ours?
 */
#ifndef CLI_NEARLY_H
#define CLI_NEARLY_H

#include <stdbool.h>

/* One or two letters are wrong, missing, too many or swapped; not in words that short. */
bool nearly(const char *given, const char *word);

#endif
