/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QR: a text as a QR code on standard output, two rows of the code in each line.
 */
#pragma once

/* The columns that it takes: fewer with a narrow margin, if the terminal needs that. 0: too long, or out
 * of memory. */
unsigned qr_columns(const char *text);
/* Nothing where qr_columns() is 0. */
void qr_print(const char *text);
