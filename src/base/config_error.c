/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_error.h"

#include <stdarg.h>
#include <stdio.h>

int config_error_set(struct config_error *error, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return result;
}
