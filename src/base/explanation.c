/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/explanation.h"

#include <stdarg.h>
#include <stdio.h>

int explanation_set(struct explanation *error, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return result;
}
