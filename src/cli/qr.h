/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QR: a text as a QR code on standard output, two rows of the code in each line.
 */
#pragma once

/*
 * Returns the columns that it takes: fewer with a narrow margin, if the terminal needs that.
 * Returns 0 if it is too long, or memory runs out.
 */
unsigned qr_columns(const char *text);
/* Prints nothing where qr_columns() is 0. */
void qr_print(const char *text);
