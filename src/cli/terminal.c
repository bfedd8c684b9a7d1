/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Widths come from wcwidth() in the locale C.UTF-8, whatever LANG says, because our output is
 * always UTF-8.
 */
#include "cli/terminal.h"

#include <limits.h>
#include <locale.h>
#include <qrencode.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/escape.h"
#include "base/utf8.h"

enum {
	TAB_COLUMNS = 8,
	EMOJI_SELECTOR = 0xfe0f,
	TIME_NEAR_MS = 60 * 60 * 1000,
};

bool terminal_is_capable(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

unsigned terminal_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

/* Widths */

/* Returns (locale_t)0 if the system does not have the locale. */
static locale_t terminal_utf8_locale(void)
{
	static locale_t locale; /* never freed */

	if (!locale)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return locale;
}

/* Returns the most columns that any terminal gives the character. */
static unsigned terminal_character_columns(uint32_t character)
{
	int columns;

	if (character == '\t')
		return TAB_COLUMNS;
	if (character == EMOJI_SELECTOR)
		return 1; /* it widens the character before it on some terminals */
	columns = wcwidth((wchar_t)character);
	return columns < 0 ? 1 : (unsigned)columns;
}

/* Returns the bytes that fit into `most` columns, and writes the columns they take. */
static size_t terminal_measure(const char *text, unsigned most, unsigned *width_out)
{
	locale_t utf8 = terminal_utf8_locale();
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	const char *at = text, *behind = text;
	unsigned width = 0;

	while (*at) {
		unsigned columns = terminal_character_columns(utf8_next(&behind));

		if (columns > most - width && at != text)
			break;
		width += columns;
		at = behind;
		if (width >= most)
			break;
	}
	if (before)
		uselocale(before);
	*width_out = width;
	return (size_t)(at - text);
}

unsigned terminal_width(const char *text)
{
	unsigned width;

	terminal_measure(text, UINT_MAX, &width);
	return width;
}

size_t terminal_cut(const char *text, unsigned columns)
{
	unsigned width;

	return terminal_measure(text, columns, &width);
}

/* Colours */

static const char *const terminal_colour_codes[] = {
	[COLOUR_NONE] = "",
	[COLOUR_GOOD] = "\033[32m",
	[COLOUR_WARNING] = "\033[33m",
	[COLOUR_BAD] = "\033[31m",
	[COLOUR_STRONG] = "\033[1m",
};

/*
 * Is the variable set and not empty, as https://no-color.org and https://bixense.com/clicolors have
 * it?
 */
static bool terminal_wants_colour(void)
{
	const char *none = getenv("NO_COLOR");
	const char *always = getenv("CLICOLOR_FORCE");

	if (none && *none)
		return false;
	return (always && *always && strcmp(always, "0") != 0) ||
	       terminal_is_capable(STDOUT_FILENO);
}

const char *terminal_colour_on(enum terminal_colour colour)
{
	return terminal_wants_colour() ? terminal_colour_codes[colour] : "";
}

const char *terminal_colour_off(void)
{
	return terminal_wants_colour() ? "\033[0m" : "";
}

/* Text */

void terminal_print_escaped(FILE *out, const char *text)
{
	struct buffer shown = BUFFER_INIT;

	escape_line(&shown, text);
	fprintf(out, "%.*s", (int)shown.length, shown.data ? shown.data : "");
	buffer_deinit(&shown);
}

/* Times */

struct terminal_time terminal_time_of(int64_t wall_ms)
{
	struct terminal_time time = { "" };

	clock_format(wall_ms, time.text);
	return time;
}

/* Cuts "2026-11-21T08:30:12+01:00" into what people need. */
static void terminal_time_shorten(struct terminal_time *time, int64_t from_now_ms)
{
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	struct terminal_time now = terminal_time_of(clock_wall_ms());
	unsigned month = (unsigned)atoi(time->text + 5) - 1,
		 day = (unsigned)atoi(time->text + 8);
	char clock[sizeof("08:30:12")], date[CLOCK_TEXT_BYTES] = "", year[8] = "";
	bool is_near = llabs(from_now_ms) < TIME_NEAR_MS;

	snprintf(clock, sizeof(clock), "%.*s", is_near ? 8 : 5, time->text + 11);
	if (strncmp(time->text, now.text, 4) != 0)
		snprintf(year, sizeof(year), "%.4s ", time->text);
	if (strncmp(time->text, now.text, 10) != 0)
		snprintf(date, sizeof(date), "%u %s %s", day, months[month % 12], year);
	snprintf(time->text, sizeof(time->text), "%.20s%s", date, clock);
}

struct terminal_time terminal_time(const char *text)
{
	struct terminal_time time;
	int64_t wall_ms;

	if (clock_parse(text, &wall_ms)) {
		time = terminal_time_of(wall_ms);
		terminal_time_shorten(&time, wall_ms - clock_wall_ms());
	} else {
		snprintf(time.text, sizeof(time.text), "%s", text);
	}
	return time;
}

struct terminal_time terminal_when(const char *text)
{
	struct terminal_time time = terminal_time(text), when;
	int64_t wall_ms, from_now_s;

	if (!clock_parse(text, &wall_ms))
		return time;
	from_now_s = (wall_ms - clock_wall_ms()) / 1000;
	if (llabs(from_now_s) >= TIME_NEAR_MS / 1000)
		snprintf(when.text, sizeof(when.text), "at %.28s", time.text);
	else
		snprintf(when.text, sizeof(when.text), "%s%lld %s%s",
			 from_now_s >= 0 ? "in " : "",
			 llabs(from_now_s) < 60 ? llabs(from_now_s)
						: llabs(from_now_s) / 60,
			 llabs(from_now_s) < 60 ? "s" : "min",
			 from_now_s >= 0 ? "" : " ago");
	return when;
}

/* QR codes */

enum {
	QR_MARGIN = 4,	      /* ISO/IEC 18004, "quiet zone" */
	QR_NARROW_MARGIN = 1, /* cameras recognise it all the same */
};

struct terminal_qr {
	QRcode *code; /* NULL if the text is too long, or memory runs out */
	int margin;
};

static int terminal_qr_side(const struct terminal_qr *qr)
{
	return qr->code->width + 2 * qr->margin;
}

static struct terminal_qr terminal_qr_new(const char *text)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);
	struct terminal_qr qr = {
		.code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L),
		.margin = QR_MARGIN,
	};

	if (qr.code && columns && columns < (unsigned)terminal_qr_side(&qr))
		qr.margin = QR_NARROW_MARGIN;
	return qr;
}

/* The row below the last one is outside of the code, and dark. */
static bool terminal_qr_is_light(const struct terminal_qr *qr, int row, int column)
{
	const QRcode *code = qr->code;
	int inner_row = row - qr->margin, inner_column = column - qr->margin;

	if (row >= terminal_qr_side(qr))
		return false;
	if (inner_row < 0 || inner_row >= code->width || inner_column < 0 ||
	    inner_column >= code->width)
		return true;
	return !(code->data[inner_row * code->width + inner_column] & 1);
}

/*
 * Draws two rows per line with half blocks. Light modules are drawn, which is right on a dark
 * background; on a terminal the colours are set, which is right on any.
 */
static void terminal_qr_draw(const struct terminal_qr *qr)
{
	/* upper half light, lower half light */
	static const char *const blocks[2][2] = { { " ", "▄" }, { "▀", "█" } };
	bool coloured = isatty(STDOUT_FILENO);
	int side = terminal_qr_side(qr);

	for (int row = 0; row < side; row += 2) {
		fputs(coloured ? "\033[97;40m" : "", stdout);
		for (int column = 0; column < side; column++) {
			bool upper = terminal_qr_is_light(qr, row, column);
			bool lower = terminal_qr_is_light(qr, row + 1, column);

			fputs(blocks[upper][lower], stdout);
		}
		fputs(coloured ? "\033[0m\n" : "\n", stdout);
	}
}

unsigned terminal_qr_columns(const char *text)
{
	struct terminal_qr qr = terminal_qr_new(text);
	unsigned columns = qr.code ? (unsigned)terminal_qr_side(&qr) : 0;

	QRcode_free(qr.code);
	return columns;
}

void terminal_print_qr(const char *text)
{
	struct terminal_qr qr = terminal_qr_new(text);

	if (qr.code)
		terminal_qr_draw(&qr);
	QRcode_free(qr.code);
}
