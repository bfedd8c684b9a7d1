/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/client.h"
#include "cli/terminal.h"

#define BAR "  | "

enum { ROOM_LEAST = 16 }; /* a terminal with fewer columns is ignored */

/* Returns the end of the last word that fits; all of it if that would leave less than half. */
static size_t message_lines_break_at_word(const char *line, size_t length)
{
	for (size_t at = length; at > length / 2; at--) {
		if (line[at] == ' ')
			return at;
	}
	return length;
}

/* Wraps the line, because a terminal would wrap it without the bar. */
static void message_lines_print_line(const char *line, unsigned columns)
{
	do {
		size_t length = strlen(line);
		size_t fits = columns ? terminal_cut(line, columns) : length;

		if (fits < length)
			fits = message_lines_break_at_word(line, fits);
		printf(BAR "%.*s\n", (int)fits, line);
		line += fits;
		if (*line == ' ')
			line++;
	} while (*line);
}

void message_lines_print_text(const char *text)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);
	char *copy = strdup(text), *line = copy;

	columns = columns > ROOM_LEAST ? columns - (unsigned)strlen(BAR) : 0;
	while (line) {
		char *feed = strchr(line, '\n');

		if (feed)
			*feed = '\0';
		message_lines_print_line(line, columns);
		line = feed ? feed + 1 : NULL;
	}
	free(copy);
}

static enum terminal_colour message_lines_colour_of(const char *state)
{
	static const struct {
		const char *state;
		enum terminal_colour colour;
	} colours[] = {
		{ "sent", COLOUR_GOOD },
		{ "delivered", COLOUR_GOOD },
		{ "failed", COLOUR_BAD },
		{ "unknown", COLOUR_BAD },
		{ "waiting_approval", COLOUR_WARNING },
		{ "held", COLOUR_WARNING },
		{ "expired", COLOUR_WARNING },
	};

	for (size_t at = 0; at < sizeof(colours) / sizeof(colours[0]); at++) {
		if (strcmp(colours[at].state, state) == 0)
			return colours[at].colour;
	}
	return COLOUR_NONE;
}

/* Prints "unread", or the state with its reason. */
static void message_lines_print_state(const struct json *message, bool incoming)
{
	const char *state = json_field_text(message, "state");
	const char *reason = json_field_text(message, "reason");

	if (incoming) {
		printf("%s%s%s", terminal_colour_on(COLOUR_STRONG),
		       json_field_is_true(message, "read") ? "" : ", unread",
		       terminal_colour_off());
		return;
	}
	if (!*state)
		state = "sent";
	printf(", %s%s%s", terminal_colour_on(message_lines_colour_of(state)), state,
	       terminal_colour_off());
	if (*reason)
		printf(" (%s)", reason);
}

/* Prints who sent it, if the answer tells. */
static void message_lines_print_sender(const struct json *message)
{
	const char *client = json_field_text(message, "client");

	if (*json_field_text(message, "origin"))
		fputs(", by the phone's app", stdout);
	else if (strcmp(client, CLIENT_OWNER_NAME) == 0)
		fputs(", by you", stdout);
	else if (*client)
		printf(", by %s", client);
}

static bool message_lines_is_service(const struct json *message)
{
	const struct json *flags = json_member(message, "flags");
	bool found = false;

	if (flags && flags->type == JSON_ARRAY) {
		json_foreach (flag, flags)
			found |= json_string(flag) &&
				 strcmp(json_string(flag), "service") == 0;
	}
	return found;
}

/*
 * Prints "12  from Anna +36201234567  2026-11-21T08:30:00+01:00, SIM 1, unread", or
 * "13  to +36201234567  2026-11-21T08:31:00+01:00, SIM 1, sent, by you".
 */
void message_lines_print(const struct json *message, const struct json *page)
{
	bool incoming = !json_member(message, "to");
	const char *number = json_field_text(message, incoming ? "from" : "to");
	const char *name = json_field_text(message, "contact_name");
	const char *sim = json_field_text(message, "subscription_id");
	const char *when = json_field_text(message, "at");

	if (page && !*sim)
		sim = json_field_text(page, "subscription_id");
	if (page && !*name)
		name = json_field_text(json_member(page, "contacts"), number);
	if (!*when)
		when = json_field_text(message, "send_at");
	printf("%s  %s %s%s%s  %s", json_field_text(message, "message_id"),
	       incoming ? "from" : "to", *name ? name : "", *name ? " " : "",
	       *number ? number : "nobody", terminal_time(when).text);
	if (*sim && strcmp(sim, "0") != 0)
		printf(", SIM %s", sim);
	message_lines_print_state(message, incoming);
	message_lines_print_sender(message);
	if (strcmp(json_field_text(message, "trust"), "blocked") == 0)
		fputs(", blocked", stdout);
	if (message_lines_is_service(message))
		fputs(", for a program (service)", stdout);
	putchar('\n');
	message_lines_print_text(json_field_text(message, "text"));
}
