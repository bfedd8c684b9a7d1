/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/cli_failure.h"
#include "cli/terminal.h"

enum { TEXT_BYTES = 1024 };

static const struct {
	const char *name;
	enum terminal_colour colour;
} levels[] = {
	[DOCTOR_OK] = { "ok", COLOUR_GOOD },
	[DOCTOR_WARNING] = { "warning", COLOUR_WARNING },
	[DOCTOR_PROBLEM] = { "problem", COLOUR_BAD },
};

static void doctor_write_finding(struct json_writer *writer,
				 const struct doctor_finding *finding,
				 const struct buffer *text)
{
	json_open_object(writer);
	json_put_string(writer, "level", levels[finding->level].name);
	json_put_string(writer, "about", finding->about);
	json_key(writer, "message");
	json_write_text(writer, text->data ? text->data : "", text->length);
	if (finding->fix)
		json_put_string(writer, "fix", finding->fix);
	json_close_object(writer);
}

static void doctor_print_finding(const struct doctor_finding *finding,
				 const struct buffer *text)
{
	printf("%s%-8s%s %s: %.*s\n", terminal_colour_on(levels[finding->level].colour),
	       levels[finding->level].name, terminal_colour_off(), finding->about,
	       (int)text->length, text->data ? text->data : "");
	if (finding->fix)
		printf("%9s%s%s\n", "", finding->fix,
		       cli_failure_full_stop(finding->fix));
	fflush(stdout);
}

/* Escapes the text: names in it come from networks and cards. */
void doctor_report(struct doctor *doctor, const struct doctor_finding *finding,
		   const char *format, ...)
{
	struct buffer shown = BUFFER_INIT;
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	escape_line(&shown, utf8_valid(text, strlen(text)) ? text : "?");
	doctor->counts[finding->level]++;
	if (doctor->writer)
		doctor_write_finding(doctor->writer, finding, &shown);
	else
		doctor_print_finding(finding, &shown);
	buffer_deinit(&shown);
}
