/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QR code: a text for the camera of another device, drawn with half blocks of UTF-8.
 */
#ifndef CLI_QR_CODE_H
#define CLI_QR_CODE_H

#include <stdbool.h>
#include <stdio.h>

struct qr_code;

struct qr_code *qr_code_new(const char *text); /* NULL: no memory, or too long */
void qr_code_free(struct qr_code *code);       /* NULL is fine */

/*
 * Makes it fit into so many columns of a terminal, with a smaller margin where it must be; 0:
 * there is room for all. Gives the columns that it takes, which may still be more.
 */
unsigned qr_code_fit(struct qr_code *code, unsigned columns);

/*
 * What is light is drawn, as a terminal with a dark ground needs it; with `coloured` the
 * grounds are set, and it is right on any terminal.
 */
void qr_code_print(const struct qr_code *code, bool coloured, FILE *out);

#endif
