/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shown: what networks, cards, modems and clients call themselves, printed on one line so that
 * it moves no cursor and hides nothing (base/escape.h).
 */
#ifndef CLI_SHOWN_H
#define CLI_SHOWN_H

#include <stdio.h>

void shown_print(FILE *out, const char *text);

#endif
