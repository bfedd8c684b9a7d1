/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explanation: one sentence for the owner about why something failed, such as
 * "/etc/x.conf:12: sms.max_segment: unknown key; ...".
 *
 * The function that finds the error writes it; the one that handles the error logs or prints
 * it, once.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "base/escape.h"

struct explanation {
	char text[512]; /* longer text is cut */
};

/*
 * Writes the text and returns `result`, so that a caller can return both at once. What it quotes
 * may be anything: escape_message().
 */
__attribute__((format(printf, 3, 4))) static inline int explanation_set(
	struct explanation *error, int result, const char *format, ...)
{
	char text[sizeof(error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	escape_message(text, error->text, sizeof(error->text));
	return result;
}
