/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/client_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void put_scopes(struct json_writer *writer, unsigned scopes)
{
	json_key(writer, "scopes");
	json_open_array(writer);
	for (unsigned scope = 1; scope <= CLIENT_SCOPES_ALL; scope <<= 1) {
		if (scopes & scope)
			json_write_string(writer,
					  client_scope_name((enum client_scope)scope));
	}
	json_close_array(writer);
}

static void write_number(struct json_writer *writer, const char *word, size_t length)
{
	(void)length;
	json_write_integer(writer, strtoll(word, NULL, 10));
}

/* Words with blanks between them. */
static void put_words(struct json_writer *writer, const char *key, const char *words,
		      void (*write)(struct json_writer *writer, const char *word,
				    size_t length))
{
	json_key(writer, key);
	json_open_array(writer);
	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");

		write(writer, words, length);
		words += length;
	}
	json_close_array(writer);
}

static void put_limit(struct json_writer *writer, const char *key, int64_t limit)
{
	json_key(writer, key);
	if (limit < 0)
		json_write_null(writer);
	else
		json_write_integer(writer, limit);
}

static void put_limits(struct json_writer *writer, const struct client_limits *limits)
{
	json_key(writer, "limits");
	json_open_object(writer);
	put_limit(writer, "per_minute", limits->per_minute);
	put_limit(writer, "per_hour", limits->per_hour);
	put_limit(writer, "per_day", limits->per_day);
	put_limit(writer, "segments_per_month", limits->segments_per_month);
	json_close_object(writer);
}

void client_view_put(struct json_writer *writer, const struct store_client_row *row)
{
	const struct client *client = &row->client;
	char paired[CLOCK_TEXT_BYTES];

	clock_format(row->created_ms, paired);
	json_put_string(writer, "name", client->name);
	put_scopes(writer, client->scopes);
	put_words(writer, "sims", client->sims, write_number);
	put_words(writer, "allow", client->allow, json_write_text);
	json_put_string(writer, "ask", client_ask_name(client->ask));
	put_limits(writer, &client->limits);
	json_put_string(writer, "paired", paired);
}

void client_view_put_whole(struct json_writer *writer, const struct store_client_row *row)
{
	json_key(writer, "client");
	json_open_object(writer);
	client_view_put(writer, row);
	json_close_object(writer);
}
