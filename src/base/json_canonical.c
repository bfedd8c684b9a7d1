/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json_canonical.h"

#include <string.h>

/* The member whose name follows `name`; NULL: the first. No two have the same. */
static const struct json *next_member(const struct json *object, const char *name)
{
	const struct json *next = NULL;

	json_foreach (member, object) {
		if (name && strcmp(member->name, name) <= 0)
			continue;
		if (!next || strcmp(member->name, next->name) < 0)
			next = member;
	}
	return next;
}

static void write_number(struct json_writer *writer, const struct json *value)
{
	int64_t integer;

	if (json_integer(value, &integer))
		json_write_integer(writer, integer);
	else
		json_write_raw(writer, value->text, value->length);
}

/* Bounded by JSON_DEPTH_MAX, and by the names that a closed schema knows. */
void json_write_canonical(struct json_writer *writer, const struct json *value)
{
	const struct json *member = NULL;

	switch (value->type) {
	case JSON_NULL:
		json_write_null(writer);
		break;
	case JSON_BOOLEAN:
		json_write_boolean(writer, value->boolean);
		break;
	case JSON_NUMBER:
		write_number(writer, value);
		break;
	case JSON_STRING:
		json_write_text(writer, value->text, value->length);
		break;
	case JSON_ARRAY:
		json_open_array(writer);
		json_foreach (item, value)
			json_write_canonical(writer, item);
		json_close_array(writer);
		break;
	case JSON_OBJECT:
		json_open_object(writer);
		while ((member = next_member(value, member ? member->name : NULL))) {
			json_key(writer, member->name);
			json_write_canonical(writer, member);
		}
		json_close_object(writer);
		break;
	}
}
