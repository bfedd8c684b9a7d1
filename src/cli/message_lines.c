/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/message_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/member.h"
#include "cli/shown_time.h"
#include "cli/terminal.h"

#define BAR "  | "

enum { ROOM_LEAST = 16 }; /* columns, of a terminal that is meant */

/* The end of the last word in it, or all of it where words are longer than half of it. */
static size_t break_at_word(const char *line, size_t length)
{
	for (size_t at = length; at > length / 2; at--) {
		if (line[at] == ' ')
			return at;
	}
	return length;
}

/* A terminal that broke a line would leave the bar out. */
static void print_line(const char *line, unsigned columns)
{
	do {
		size_t length = strlen(line);
		size_t fits = columns ? terminal_cut(line, columns) : length;

		if (fits < length)
			fits = break_at_word(line, fits);
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
		print_line(line, columns);
		line = feed ? feed + 1 : NULL;
	}
	free(copy);
}

static enum colour colour_of(const char *state)
{
	static const struct {
		const char *state;
		enum colour colour;
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

/* "unread", or the state with its reason */
static void print_state(const struct json *message, bool incoming)
{
	const struct json *read = json_member(message, "read");
	const char *state = member_text(message, "state");
	const char *reason = member_text(message, "reason");

	if (incoming) {
		printf("%s%s%s", colour_on(COLOUR_STRONG),
		       read && !read->boolean ? ", unread" : "", colour_off());
		return;
	}
	printf(", %s%s%s", colour_on(colour_of(state)), state, colour_off());
	if (*reason)
		printf(" (%s)", reason);
}

/* "12  from Anna +36201234567  2026-11-21T08:30:00.000Z, SIM 1, unread" */
void message_lines_print(const struct json *message)
{
	bool incoming = strcmp(member_text(message, "direction"), "in") == 0;
	const char *number = member_text(message, "phone_number");
	const char *name = member_text(message, "contact_name");
	const char *sim = member_text(message, "subscription_id");

	printf("%s  %s %s%s%s  %s", member_text(message, "message_id"),
	       incoming ? "from" : "to", *name ? name : "", *name ? " " : "",
	       *number ? number : "nobody",
	       shown_time(member_text(message, "created_at")).text);
	if (*sim)
		printf(", SIM %s", sim);
	print_state(message, incoming);
	if (strcmp(member_text(message, "trust"), "blocked") == 0)
		fputs(", blocked", stdout);
	putchar('\n');
	message_lines_print_text(member_text(message, "text"));
}
