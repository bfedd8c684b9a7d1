/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON field: the members of a gateway's answer, for printing. A member that is missing or has
 * another type is empty.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"

/* Returns a string's text, or a number as written. Never returns NULL. */
const char *json_field_text(const struct json *object, const char *name);
bool json_field_is_true(const struct json *object, const char *name);
/* Never returns NULL. */
const struct json *json_field_list(const struct json *object, const char *name);

/* Returns NULL if it is not JSON, or memory runs out. */
const struct json *json_field_parse(struct arena *arena, const char *text, size_t length);

/*
 * An object of our own for standard output. begin opens it, and returns NULL if memory runs out.
 * end closes it and prints it on one line; it returns false, and prints nothing, if memory runs
 * out.
 */
struct json_writer *json_field_begin(struct buffer *text);
bool json_field_end(struct json_writer *writer, struct buffer *text);

/*
 * Message lines: prints a message (tools/message_view.h) for people. The gateway has already
 * escaped what would move the cursor or hide text.
 */

/* `page` is the answer that lists it, with what rows leave out; NULL if none does. */
void message_lines_print(const struct json *message, const struct json *page);

/* Prints a text with a bar before each line, so that none looks like our own output. */
void message_lines_print_text(const char *text);

/*
 * Client table: prints paired clients (gateway/paired_client.h) for people.
 */

/* Prints one row for each client of the array, under a header. */
void client_table_print(const struct json *clients);

/* Prints one client, in several lines. */
void client_table_print_one(const struct json *client);
