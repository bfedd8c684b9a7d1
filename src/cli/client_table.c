/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table has one row for each client, with columns as wide as their longest cell.
 * If the terminal is narrower than that, it would wrap the rows, so each client is
 * printed as several lines instead.
 */
#include "cli/json_field.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "cli/terminal.h"

enum {
	COLUMNS = 6,
	GAP = 2,
	CELL_BYTES = 768, /* longer than the longest list of numbers */
};

struct client_table_row {
	char cells[COLUMNS][CELL_BYTES];
};

static const char *const client_table_heads[COLUMNS] = { "NAME", "MAY", "SIMS",
							 "TO",	 "ASK", "LIMITS" };

/* Names and numbers are escaped: they must not move the cursor. */
static void client_table_append_list(struct buffer *cell, const struct json *list,
				     const char *none)
{
	if (!list || !list->count) {
		escape_line(cell, none);
		return;
	}
	json_foreach (item, list) {
		if (item != list->first)
			escape_line(cell, ",");
		escape_line(cell, item->text ? item->text : "");
	}
}

/* Appends "5/min 60/h": only the client's own limits. */
static void client_table_append_limits(struct buffer *cell, const struct json *limits)
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
		escape_line(cell, cell->length ? " " : "");
		escape_line(cell, none ? "unlimited" : limit->text);
		escape_line(cell, units[at].unit);
	}
	if (!cell->length)
		escape_line(cell, "as configured");
}

static void client_table_fill_cell(struct buffer *cell, const struct json *client,
				   unsigned column)
{
	switch (column) {
	case 0:
	case 4:
		escape_line(cell, json_field_text(client, column ? "ask" : "name"));
		return;
	case 1:
		client_table_append_list(cell, json_member(client, "scopes"), "nothing");
		return;
	case 2:
		client_table_append_list(cell, json_member(client, "sims"), "any");
		return;
	case 3:
		client_table_append_list(cell, json_member(client, "allow"), "any");
		return;
	default:
		client_table_append_limits(cell, json_member(client, "limits"));
	}
}

static void client_table_fill_row(struct client_table_row *row, const struct json *client)
{
	for (unsigned column = 0; column < COLUMNS; column++) {
		struct buffer cell = BUFFER_INIT;

		client_table_fill_cell(&cell, client, column);
		snprintf(row->cells[column], CELL_BYTES, "%.*s", (int)cell.length,
			 cell.data ? cell.data : "");
		buffer_deinit(&cell);
	}
}

static void client_table_widen(unsigned widths[COLUMNS],
			       const struct client_table_row *row)
{
	for (unsigned column = 0; column < COLUMNS; column++) {
		unsigned width = terminal_width(row->cells[column]);

		if (width > widths[column])
			widths[column] = width;
	}
}

static void client_table_print_row(const unsigned widths[COLUMNS],
				   const struct client_table_row *row)
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

/* Would the terminal wrap the rows? */
static bool client_table_is_too_wide(const unsigned widths[COLUMNS])
{
	unsigned columns = terminal_columns(STDOUT_FILENO), width = 0;

	for (unsigned column = 0; column < COLUMNS; column++)
		width += widths[column] + (column ? GAP : 0);
	return columns && width > columns;
}

static void client_table_print_lines(const struct client_table_row *row)
{
	static const char *const labels[COLUMNS] = { "name",	 "may",	 "SIMs",
						     "sends to", "asks", "limits" };

	for (unsigned column = 1; column < COLUMNS; column++)
		printf("  %-9s %s\n", labels[column], row->cells[column]);
}

static void client_table_print_stacked(const struct json *clients)
{
	struct client_table_row row;

	json_foreach (client, clients) {
		client_table_fill_row(&row, client);
		printf("%s%s%s\n", terminal_colour_on(COLOUR_STRONG), row.cells[0],
		       terminal_colour_off());
		client_table_print_lines(&row);
	}
}

void client_table_print(const struct json *clients)
{
	unsigned widths[COLUMNS] = { 0 };
	struct client_table_row head, row;

	if (!clients || !clients->count) {
		puts("No agent is paired. To pair one: " PROGRAM_NAME " pair NAME");
		return;
	}
	for (unsigned column = 0; column < COLUMNS; column++)
		snprintf(head.cells[column], CELL_BYTES, "%s",
			 client_table_heads[column]);
	client_table_widen(widths, &head);
	json_foreach (client, clients) {
		client_table_fill_row(&row, client);
		client_table_widen(widths, &row);
	}
	if (client_table_is_too_wide(widths)) {
		client_table_print_stacked(clients);
		return;
	}
	client_table_print_row(widths, &head);
	json_foreach (client, clients) {
		client_table_fill_row(&row, client);
		client_table_print_row(widths, &row);
	}
}

void client_table_print_one(const struct json *client)
{
	struct client_table_row row;

	client_table_fill_row(&row, client);
	client_table_print_lines(&row);
}
