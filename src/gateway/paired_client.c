/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "gateway/paired_client.h"

static void paired_client_put_scopes(struct json_writer *writer, unsigned scopes)
{
	json_open_array_at(writer, "scopes");
	for (unsigned scope = 1; scope <= CLIENT_SCOPES_ALL; scope <<= 1) {
		if (scopes & scope)
			json_write_string(writer,
					  client_scope_name((enum client_scope)scope));
	}
	json_close_array(writer);
}

static void paired_client_write_number(struct json_writer *writer, const char *word,
				       size_t length)
{
	json_write_integer(writer, strtoll(word, NULL, 10));
}

/* Space-separated words become an array. */
static void paired_client_put_words(struct json_writer *writer, const char *key,
				    const char *words,
				    void (*write)(struct json_writer *writer,
						  const char *word, size_t length))
{
	json_open_array_at(writer, key);
	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " ");

		write(writer, words, length);
		words += length;
	}
	json_close_array(writer);
}

static void paired_client_put_limit(struct json_writer *writer, const char *key,
				    int64_t limit)
{
	json_key(writer, key);
	if (limit < 0)
		json_write_null(writer);
	else
		json_write_integer(writer, limit);
}

static void paired_client_put_limits(struct json_writer *writer,
				     const struct client_limits *limits)
{
	json_open_object_at(writer, "limits");
	paired_client_put_limit(writer, "per_minute", limits->per_minute);
	paired_client_put_limit(writer, "per_hour", limits->per_hour);
	paired_client_put_limit(writer, "per_day", limits->per_day);
	paired_client_put_limit(writer, "segments_per_month", limits->segments_per_month);
	json_close_object(writer);
}

void paired_client_put(struct json_writer *writer, const struct store_client_row *row)
{
	const struct client *client = &row->client;
	char paired[CLOCK_TEXT_BYTES];

	clock_format(row->created_ms, paired);
	json_put_string(writer, "name", client->name);
	paired_client_put_scopes(writer, client->scopes);
	paired_client_put_words(writer, "sims", client->sims, paired_client_write_number);
	paired_client_put_words(writer, "allow", client->allow, json_write_text);
	json_put_string(writer, "ask", client_ask_name(client->ask));
	paired_client_put_limits(writer, &client->limits);
	json_put_string(writer, "paired", paired);
}

void paired_client_put_member(struct json_writer *writer,
			      const struct store_client_row *row)
{
	json_open_object_at(writer, "client");
	paired_client_put(writer, row);
	json_close_object(writer);
}

enum { SHOWN_CHARACTERS = 63 };

static bool paired_client_is_printable(const char *text)
{
	while (*text) {
		uint32_t character = utf8_next(&text);

		if (character < ' ' || escape_is_needed(character))
			return false;
	}
	return true;
}

const char *paired_client_name_error(const char *name)
{
	size_t length = strlen(name);

	if (!length)
		return "the name is empty";
	if (length >= CLIENT_NAME_BYTES)
		return "the name is longer than 63 bytes";
	if (!paired_client_is_printable(name))
		return "the name contains invisible characters";
	if (name[0] == ' ' || name[length - 1] == ' ')
		return "the name begins or ends with a space";
	return NULL;
}

bool paired_client_find(struct control_call *call, struct store_client_row *row_out)
{
	const char *name = control_call_argument(call, "name");
	int error = name ? store_client_get(call->control->store, name, row_out)
			 : STORE_E_NOT_FOUND;

	if (!name)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Give its name",
				  "the name of the agent is missing");
	else if (error == STORE_E_NOT_FOUND)
		control_call_fail(call, "not_found",
				  "To list the paired agents: " PROGRAM_NAME
				  " client list",
				  "there is no paired agent %.*s",
				  (int)utf8_cut(name, SHOWN_CHARACTERS), name);
	else if (error)
		control_call_fail_store(call, error);
	return !error;
}
