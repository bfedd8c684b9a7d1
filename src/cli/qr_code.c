/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/qr_code.h"

#include <stdlib.h>

#include <qrencode.h>

enum {
	MARGIN = 4,	   /* ISO/IEC 18004, "quiet zone" */
	NARROW_MARGIN = 1, /* cameras find it nevertheless */
};

struct qr_code {
	QRcode *code;
	int margin;
};

struct qr_code *qr_code_new(const char *text)
{
	struct qr_code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->margin = MARGIN;
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

static int side_of(const struct qr_code *code)
{
	return code->code->width + 2 * code->margin;
}

unsigned qr_code_fit(struct qr_code *code, unsigned columns)
{
	code->margin = MARGIN;
	if (columns && columns < (unsigned)side_of(code))
		code->margin = NARROW_MARGIN;
	return (unsigned)side_of(code);
}

/* A line below the last is no part of it, and dark. */
static bool is_light(const struct qr_code *drawn, int row, int column)
{
	const QRcode *code = drawn->code;
	int inner_row = row - drawn->margin, inner_column = column - drawn->margin;

	if (row >= side_of(drawn))
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
	int width = side_of(code);

	for (int row = 0; row < width; row += 2) {
		fputs(coloured ? "\033[97;40m" : "", out);
		for (int column = 0; column < width; column++) {
			bool upper = is_light(code, row, column);
			bool lower = is_light(code, row + 1, column);

			fputs(blocks[upper][lower], out);
		}
		fputs(coloured ? "\033[0m\n" : "\n", out);
	}
}
