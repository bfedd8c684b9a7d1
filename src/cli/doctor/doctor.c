/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/terminal.h"

enum { TEXT_BYTES = 1024 };

static const struct {
	const char *name;
	enum terminal_colour colour;
} levels[] = {
	[DOCTOR_OK] = { "ok", COLOUR_GOOD },
	[DOCTOR_NOTE] = { "note", COLOUR_STRONG },
	[DOCTOR_WARNING] = { "warning", COLOUR_WARNING },
	[DOCTOR_PROBLEM] = { "problem", COLOUR_BAD },
};

struct terminal_time doctor_time(const struct doctor *doctor, const char *text)
{
	int64_t wall_ms;

	return doctor->writer && clock_parse(text, &wall_ms) ? terminal_time_of(wall_ms)
							     : terminal_time(text);
}

/* Once is enough. */
static bool doctor_has_said_as_root(struct doctor *doctor, const char *fix)
{
	bool before = doctor->said_as_root;

	if (strcmp(fix, DOCTOR_AS_ROOT) != 0)
		return false;
	doctor->said_as_root = true;
	return before;
}

/* Escapes the text: names in it come from networks and cards. */
void doctor_report(struct doctor *doctor, enum doctor_level level, const char *about,
		   const char *fix, const char *format, ...)
{
	struct buffer shown = BUFFER_INIT;
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	escape_line(&shown, utf8_valid(text, strlen(text)) ? text : "?");
	doctor->counts[level]++;
	if (doctor->writer) {
		json_open_object(doctor->writer);
		json_put_string(doctor->writer, "level", levels[level].name);
		json_put_string(doctor->writer, "about", about);
		json_key(doctor->writer, "message");
		json_write_text(doctor->writer, shown.data ? shown.data : "",
				shown.length);
		if (fix)
			json_put_string(doctor->writer, "fix", fix);
		json_close_object(doctor->writer);
	} else {
		printf("%s%-8s%s %s: %.*s\n", terminal_colour_on(levels[level].colour),
		       levels[level].name, terminal_colour_off(), about,
		       (int)shown.length, shown.data ? shown.data : "");
		if (fix && !doctor_has_said_as_root(doctor, fix))
			printf("%9s%s%s\n", "", fix, options_full_stop(fix));
		fflush(stdout);
	}
	buffer_deinit(&shown);
}
