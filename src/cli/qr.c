/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/qr.h"

#include <qrencode.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/terminal.h"

enum {
	QR_MARGIN = 4,	      /* ISO/IEC 18004, "quiet zone" */
	QR_NARROW_MARGIN = 1, /* cameras recognise it all the same */
};

struct qr {
	QRcode *code; /* NULL if the text is too long, or memory runs out */
	int margin;
};

static int qr_side(const struct qr *qr)
{
	return qr->code->width + 2 * qr->margin;
}

static struct qr qr_new(const char *text)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);
	struct qr qr = {
		.code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L),
		.margin = QR_MARGIN,
	};

	if (qr.code && columns && columns < (unsigned)qr_side(&qr))
		qr.margin = QR_NARROW_MARGIN;
	return qr;
}

/* The row below the last one is outside of the code, and dark. */
static bool qr_is_light(const struct qr *qr, int row, int column)
{
	const QRcode *code = qr->code;
	int inner_row = row - qr->margin, inner_column = column - qr->margin;

	if (row >= qr_side(qr))
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
static void qr_draw(const struct qr *qr)
{
	/* upper half light, lower half light */
	static const char *const blocks[2][2] = { { " ", "▄" }, { "▀", "█" } };
	bool coloured = isatty(STDOUT_FILENO);
	int side = qr_side(qr);

	for (int row = 0; row < side; row += 2) {
		fputs(coloured ? "\033[97;40m" : "", stdout);
		for (int column = 0; column < side; column++) {
			bool upper = qr_is_light(qr, row, column);
			bool lower = qr_is_light(qr, row + 1, column);

			fputs(blocks[upper][lower], stdout);
		}
		fputs(coloured ? "\033[0m\n" : "\n", stdout);
	}
}

unsigned qr_columns(const char *text)
{
	struct qr qr = qr_new(text);
	unsigned columns = qr.code ? (unsigned)qr_side(&qr) : 0;

	QRcode_free(qr.code);
	return columns;
}

void qr_print(const char *text)
{
	struct qr qr = qr_new(text);

	if (qr.code)
		qr_draw(&qr);
	QRcode_free(qr.code);
}
