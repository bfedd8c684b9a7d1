/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/shown.h"

#include "base/escape.h"

void shown_print(FILE *out, const char *text)
{
	struct buffer shown = BUFFER_INIT;

	escape_line(&shown, text);
	fprintf(out, "%.*s", (int)shown.length, shown.data ? shown.data : "");
	buffer_deinit(&shown);
}
