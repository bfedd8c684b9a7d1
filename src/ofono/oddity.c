/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/oddity.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/log_pace.h"

enum { TEXT_BYTES = 256 };

void oddity_log(enum oddity oddity, const char *format, ...)
{
	static struct log_pace paces[ODDITY_LAST + 1];
	char text[TEXT_BYTES], more[LOG_PACE_TEXT_BYTES];
	va_list arguments;

	if (!log_pace_passes(&paces[oddity], more))
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_line(oddity == ODDITY_MESSAGE ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING,
		 "ofono: %s%s", text, more);
}
