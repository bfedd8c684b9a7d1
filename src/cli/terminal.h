/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminal: what the terminal behind a standard stream can show, and text in a form for people:
 * colours, widths, escaped names, local time.
 *
 * Colours are used on a terminal, or anywhere if CLICOLOR_FORCE is set; never if NO_COLOR is set
 * (tests/integration/test_owner_tools.py::test_colours_appear_only_on_terminals).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <systemd/sd-event.h>

#include "base/clock.h"

/* Returns true if it is a terminal that can move its cursor: TERM is set, and not "dumb". */
bool terminal_is_capable(int fd);

/* Returns 0 if it is not a terminal, or it does not report its width. */
unsigned terminal_columns(int fd);

/*
 * Returns the columns that a valid text takes: two for a wide character, none for a combining one.
 */
unsigned terminal_width(const char *text);

/* Returns the bytes of the longest prefix that fits, at least one character. */
size_t terminal_cut(const char *text, unsigned columns);

enum terminal_colour {
	COLOUR_NONE,
	COLOUR_GOOD,
	COLOUR_WARNING,
	COLOUR_BAD,
	COLOUR_STRONG
};

/* Returns the codes before and after coloured words on standard output; "" without colours. */
const char *terminal_colour_on(enum terminal_colour colour);
const char *terminal_colour_off(void);

/*
 * Prints a name from a network, card, modem or client on one line, so that it moves no cursor and
 * hides nothing (base/escape.h).
 */
void terminal_print_escaped(FILE *out, const char *text);

struct terminal_time {
	char text[CLOCK_TEXT_BYTES];
};

/*
 * Returns a time on the local clock (TZ or the system's zone): "08:30" today, with seconds within
 * an hour of now; "21 Nov 08:30"; "21 Nov 2025 08:30". `text` is as the gateway writes it, in a
 * zone that may differ; what is no time is returned unchanged.
 */
struct terminal_time terminal_time(const char *text);

/* Returns the same in a sentence: "in 22 s", "14 min ago", "at 08:30". */
struct terminal_time terminal_when(const char *text);

/* RFC 3339 in the local time zone, as --since and --at take it. */
struct terminal_time terminal_time_of(int64_t wall_ms);

/*
 * A text as a QR code on standard output, two rows of the code in each line. Returns the columns
 * that it takes: fewer with a narrow margin, if the terminal needs that. Returns 0 if it is too
 * long, or memory runs out.
 */
unsigned terminal_qr_columns(const char *text);
/* Prints nothing where terminal_qr_columns() is 0. */
void terminal_print_qr(const char *text);

/*
 * Progress: one line on the terminal that shows what a command waits for and since when; it is
 * cleared before other output. Nothing appears within the first second, or if standard error is
 * not a terminal (tests/integration/test_owner_tools.py::test_send_shows_progress_on_a_terminal).
 */

struct ofono;

struct progress {
	char words[128]; /* "message 12: submitting" */
	int64_t begun_ms;
	int64_t due_ms; /* when progress_poll() draws next */
	bool is_drawn;
};

void progress_begin(struct progress *progress, const char *words);
void progress_set_words(struct progress *progress, const char *words);
void progress_tick(struct progress *progress);	/* call it once a second */
void progress_poll(struct progress *progress);	/* or this one, as often as you like */
void progress_clear(struct progress *progress); /* before any other output */

/* Runs an event loop until something has happened, showing progress. */
struct progress_wait_loop {
	sd_event *loop;
	/* Called first, after each iteration, and at least once a second. */
	bool (*is_over)(void *data);
	void *data;
	int timeout_ms;
	const char *words; /* "asking oFono" */
};

/* Returns false if it timed out, or the loop failed. */
bool progress_wait_loop_run(const struct progress_wait_loop *wait);
/* Waits until oFono has answered what was asked at the start. */
void progress_wait_for_ofono(sd_event *loop, struct ofono *ofono, int timeout_ms);

/*
 * Secret: reads a line that must not be seen.
 *
 * On a terminal it prompts, without echo. Otherwise it reads one line of standard input: a secret
 * need not be an argument or an environment variable, which other programs can read
 * (tests/integration/test_unlock.py).
 */

enum { SECRET_BYTES = 64 }; /* of a PIN or PUK */

/* Returns false if there is no input, it is too long, or the user gave up. */
bool secret_read(const char *prompt, char *secret, size_t bytes);
bool secret_has_terminal(void);
