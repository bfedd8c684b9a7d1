/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminal: what the one behind a standard stream can do.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* It is one that can move its cursor: TERM says which it is, and not "dumb". */
bool terminal_is_capable(int fd);

/* 0: it is none, or does not say. */
unsigned terminal_columns(int fd);

/*
 * Columns that a valid text takes there: two for a sign of Chinese or an emoji, none for an
 * accent that stands on the letter before.
 */
unsigned terminal_width(const char *text);

/* Bytes of the longest beginning that fits there, of one character at least. */
size_t terminal_cut(const char *text, unsigned columns);

#endif
