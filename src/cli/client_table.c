/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/client_table.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "cli/colour.h"
#include "cli/terminal.h"

enum {
	COLUMNS = 6,
	GAP = 2,
	CELL_BYTES = 768, /* more than the longest list of numbers */
};

struct row {
	char cells[COLUMNS][CELL_BYTES];
};

static const char *const heads[COLUMNS] = {
	"NAME", "MAY", "SIMS", "TO", "ASK", "LIMITS"
};

/* What a name or a number holds is shown and moves no cursor. */
static void append(struct buffer *cell, const char *text)
{
	escape_line(cell, text);
}

static void append_list(struct buffer *cell, const struct json *list, const char *none)
{
	if (!list || !list->count) {
		append(cell, none);
		return;
	}
	json_foreach (item, list) {
		if (item != list->first)
			append(cell, ",");
		append(cell, item->text ? item->text : "");
	}
}

/* "5/min 60/h": those that are this client's own. */
static void append_limits(struct buffer *cell, const struct json *limits)
{
	static const struct {
		const char *name;
		const char *unit;
	} units[] = {
		{ "per_minute", "/min" },
		{ "per_hour", "/h" },
		{ "per_day", "/day" },
		{ "segments_per_month", " segments/month" },
	};

	for (size_t at = 0; at < sizeof(units) / sizeof(units[0]); at++) {
		const struct json *limit = json_member(limits, units[at].name);
		bool none;

		if (!limit || limit->type != JSON_NUMBER)
			continue;
		none = strcmp(limit->text, "0") == 0;
		append(cell, cell->length ? " " : "");
		append(cell, none ? "unlimited" : limit->text);
		append(cell, units[at].unit);
	}
	if (!cell->length)
		append(cell, "as configured");
}

static void fill_cell(struct buffer *cell, const struct json *client, unsigned column)
{
	const char *text;

	switch (column) {
	case 0:
	case 4:
		text = json_string(json_member(client, column ? "ask" : "name"));
		append(cell, text ? text : "");
		return;
	case 1:
		append_list(cell, json_member(client, "scopes"), "nothing");
		return;
	case 2:
		append_list(cell, json_member(client, "sims"), "any");
		return;
	case 3:
		append_list(cell, json_member(client, "allow"), "any");
		return;
	default:
		append_limits(cell, json_member(client, "limits"));
	}
}

static void fill_row(struct row *row, const struct json *client)
{
	for (unsigned column = 0; column < COLUMNS; column++) {
		struct buffer cell = BUFFER_INIT;

		fill_cell(&cell, client, column);
		snprintf(row->cells[column], CELL_BYTES, "%.*s", (int)cell.length,
			 cell.data ? cell.data : "");
		buffer_deinit(&cell);
	}
}

static void widen(unsigned widths[COLUMNS], const struct row *row)
{
	for (unsigned column = 0; column < COLUMNS; column++) {
		unsigned width = terminal_width(row->cells[column]);

		if (width > widths[column])
			widths[column] = width;
	}
}

static void print_row(const unsigned widths[COLUMNS], const struct row *row)
{
	for (unsigned column = 0; column < COLUMNS; column++) {
		const char *text = row->cells[column];
		unsigned width = terminal_width(text);

		fputs(text, stdout);
		if (column < COLUMNS - 1)
			printf("%*s", (int)(widths[column] - width + GAP), "");
	}
	putchar('\n');
}

/* A terminal breaks the rows, so that nobody finds a column any more. */
static bool is_too_wide(const unsigned widths[COLUMNS])
{
	unsigned columns = terminal_columns(STDOUT_FILENO), width = 0;

	for (unsigned column = 0; column < COLUMNS; column++)
		width += widths[column] + (column ? GAP : 0);
	return columns && width > columns;
}

static void print_lines(const struct row *row)
{
	static const char *const labels[COLUMNS] = { "name",	 "may",	 "SIMs",
						     "sends to", "asks", "limits" };

	for (unsigned column = 1; column < COLUMNS; column++)
		printf("  %-9s %s\n", labels[column], row->cells[column]);
}

static void print_below_each_other(const struct json *clients)
{
	struct row row;

	json_foreach (client, clients) {
		fill_row(&row, client);
		printf("%s%s%s\n", colour_on(COLOUR_STRONG), row.cells[0], colour_off());
		print_lines(&row);
	}
}

void client_table_print(const struct json *clients)
{
	unsigned widths[COLUMNS] = { 0 };
	struct row head, row;

	if (!clients || !clients->count) {
		puts("No agent is paired. To pair one: ofono-mcp pair NAME");
		return;
	}
	for (unsigned column = 0; column < COLUMNS; column++)
		snprintf(head.cells[column], CELL_BYTES, "%s", heads[column]);
	widen(widths, &head);
	json_foreach (client, clients) {
		fill_row(&row, client);
		widen(widths, &row);
	}
	if (is_too_wide(widths)) {
		print_below_each_other(clients);
		return;
	}
	print_row(widths, &head);
	json_foreach (client, clients) {
		fill_row(&row, client);
		print_row(widths, &row);
	}
}

void client_table_print_one(const struct json *client)
{
	struct row row;

	fill_row(&row, client);
	print_lines(&row);
}
