/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json_field.h"

#include <stdio.h>

#include "base/json_reader.h"

const char *json_field_text(const struct json *object, const char *name)
{
	const struct json *value = json_member(object, name);

	return value && value->text ? value->text : "";
}

bool json_field_is_true(const struct json *object, const char *name)
{
	const struct json *value = json_member(object, name);

	return value && value->type == JSON_BOOLEAN && value->boolean;
}

const struct json *json_field_list(const struct json *object, const char *name)
{
	static const struct json none = { .type = JSON_ARRAY };
	const struct json *value = json_member(object, name);

	return value && value->type == JSON_ARRAY ? value : &none;
}

const struct json *json_field_parse(struct arena *arena, const char *text, size_t length)
{
	const struct json *root = NULL;

	return json_reader_read(arena, text, length, &root) ? NULL : root;
}

struct json_writer *json_field_begin(struct buffer *text)
{
	struct json_writer *writer = json_writer_new(text);

	if (writer)
		json_open_object(writer);
	return writer;
}

bool json_field_end(struct json_writer *writer, struct buffer *text)
{
	bool is_whole;

	if (writer)
		json_close_object(writer);
	json_writer_free(writer);
	is_whole = writer && !text->failed;
	if (is_whole)
		printf("%.*s\n", (int)text->length, text->data);
	buffer_deinit(text);
	return is_whole;
}
