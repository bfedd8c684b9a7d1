/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/qr_code.h"

#include <stdlib.h>

#include <qrencode.h>

enum { MARGIN = 4 }; /* ISO/IEC 18004, "quiet zone" */

struct qr_code {
	QRcode *code;
};

struct qr_code *qr_code_new(const char *text)
{
	struct qr_code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L);
	if (code->code)
		return code;
	free(code);
	return NULL;
}

void qr_code_free(struct qr_code *code)
{
	if (!code)
		return;
	QRcode_free(code->code);
	free(code);
}

unsigned qr_code_columns(const struct qr_code *code)
{
	return (unsigned)code->code->width + 2 * MARGIN;
}

/* A line below the last is no part of it, and dark. */
static bool is_light(const QRcode *code, int row, int column)
{
	int inner_row = row - MARGIN, inner_column = column - MARGIN;

	if (row >= code->width + 2 * MARGIN)
		return false;
	if (inner_row < 0 || inner_row >= code->width || inner_column < 0 ||
	    inner_column >= code->width)
		return true;
	return !(code->data[inner_row * code->width + inner_column] & 1);
}

void qr_code_print(const struct qr_code *code, bool coloured, FILE *out)
{
	/* upper half light, lower half light */
	static const char *const blocks[2][2] = { { " ", "▄" }, { "▀", "█" } };
	int width = (int)qr_code_columns(code);

	for (int row = 0; row < width; row += 2) {
		fputs(coloured ? "\033[97;40m" : "", out);
		for (int column = 0; column < width; column++) {
			bool upper = is_light(code->code, row, column);
			bool lower = is_light(code->code, row + 1, column);

			fputs(blocks[upper][lower], out);
		}
		fputs(coloured ? "\033[0m\n" : "\n", out);
	}
}
