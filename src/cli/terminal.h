/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminal: what the terminal behind a standard stream can show, and text in a form for people:
 * colours, widths, escaped names, local time.
 *
 * Colours are used on a terminal, or anywhere if CLICOLOR_FORCE is set; never if NO_COLOR is set
 * (tests/integration/test_owner_tools.py::test_colours_appear_only_on_terminals).
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* True: a terminal that can move its cursor: TERM is set, and not "dumb". */
bool terminal_is_capable(int fd);

/* 0: not a terminal, or it does not report its width. */
unsigned terminal_columns(int fd);

/* The columns that a valid text takes: two for a wide character, none for a combining one. */
unsigned terminal_width(const char *text);

/* Bytes of the longest prefix that fits, at least one character. */
size_t terminal_cut(const char *text, unsigned columns);

enum terminal_colour {
	COLOUR_NONE,
	COLOUR_GOOD,
	COLOUR_WARNING,
	COLOUR_BAD,
	COLOUR_STRONG
};

/* The codes before and after coloured words on standard output; "" without colours. */
const char *terminal_colour_on(enum terminal_colour colour);
const char *terminal_colour_off(void);

/*
 * Prints a name from a network, card, modem or client on one line, so that it moves no cursor and
 * hides nothing (base/escape.h).
 */
void terminal_print_escaped(FILE *out, const char *text);

enum { TERMINAL_TIME_BYTES = 40 };

struct terminal_time {
	char text[TERMINAL_TIME_BYTES];
};

/*
 * A time in the local time zone (TZ or the system's), still RFC 3339, so that --since and --at
 * accept it. JSON stays in UTC. `utc` is as clock_format() writes it; another text is returned
 * unchanged.
 */
struct terminal_time terminal_time(const char *utc);
struct terminal_time terminal_time_of(int64_t wall_ms);

#endif
