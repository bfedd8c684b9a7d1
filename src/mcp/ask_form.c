/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/ask_form.h"

#include <string.h>

#include "base/utf8.h"

static const char *const type_names[] = {
	[SCHEMA_STRING] = "string",
	[SCHEMA_INTEGER] = "integer",
	[SCHEMA_BOOLEAN] = "boolean",
};

static bool is_bounded(const struct ask_field *field)
{
	return field->minimum != 0 || field->maximum != 0;
}

static void write_bounds(struct json_writer *writer, const struct ask_field *field)
{
	bool text = field->type == SCHEMA_STRING;

	if (is_bounded(field)) {
		json_put_integer(writer, text ? "minLength" : "minimum", field->minimum);
		json_put_integer(writer, text ? "maxLength" : "maximum", field->maximum);
	} else if (text && !field->choices) {
		json_put_integer(writer, "maxLength", ASK_TEXT_MAX);
	}
}

static void write_titled_choices(struct json_writer *writer,
				 const struct ask_choice *choice)
{
	json_key(writer, "oneOf");
	json_open_array(writer);
	for (; choice->value; choice++) {
		json_open_object(writer);
		json_put_string(writer, "const", choice->value);
		json_put_string(writer, "title", choice->title);
		json_close_object(writer);
	}
	json_close_array(writer);
}

static void write_named_choices(struct json_writer *writer,
				const struct ask_choice *choices)
{
	json_key(writer, "enum");
	json_open_array(writer);
	for (const struct ask_choice *choice = choices; choice->value; choice++)
		json_write_string(writer, choice->value);
	json_close_array(writer);
	json_key(writer, "enumNames");
	json_open_array(writer);
	for (const struct ask_choice *choice = choices; choice->value; choice++)
		json_write_string(writer, choice->title);
	json_close_array(writer);
}

static void write_field(struct json_writer *writer, const struct ask_field *field,
			enum ask_form form)
{
	json_key(writer, field->name);
	json_open_object(writer);
	json_put_string(writer, "type", type_names[field->type]);
	json_put_string(writer, "title", field->title);
	if (field->description)
		json_put_string(writer, "description", field->description);
	write_bounds(writer, field);
	if (field->choices && form == ASK_FORM_TITLES)
		write_titled_choices(writer, field->choices);
	else if (field->choices)
		write_named_choices(writer, field->choices);
	json_close_object(writer);
}

void ask_form_write(struct json_writer *writer, const struct ask_field *fields,
		    enum ask_form form)
{
	json_open_object(writer);
	json_put_string(writer, "type", "object");
	json_key(writer, "properties");
	json_open_object(writer);
	for (const struct ask_field *field = fields; field->name; field++)
		write_field(writer, field, form);
	json_close_object(writer);
	json_key(writer, "required");
	json_open_array(writer);
	for (const struct ask_field *field = fields; field->name; field++) {
		if (field->required)
			json_write_string(writer, field->name);
	}
	json_close_array(writer);
	json_close_object(writer);
}

/* Reading */

static bool is_choice(const struct ask_choice *choice, const char *value)
{
	for (; choice->value; choice++) {
		if (strcmp(choice->value, value) == 0)
			return true;
	}
	return false;
}

static bool string_fits(const struct ask_field *field, const struct json *value)
{
	int64_t most = is_bounded(field) ? field->maximum : ASK_TEXT_MAX;
	const char *at = value->text;
	int64_t length = 0;

	if (field->choices)
		return is_choice(field->choices, value->text);
	for (; *at; length++)
		utf8_next(&at);
	return length >= field->minimum && length <= most;
}

static bool value_fits(const struct ask_field *field, const struct json *value)
{
	int64_t integer;

	switch (field->type) {
	case SCHEMA_STRING:
		return value->type == JSON_STRING && string_fits(field, value);
	case SCHEMA_INTEGER:
		return json_integer(value, &integer) &&
		       (!is_bounded(field) ||
			(integer >= field->minimum && integer <= field->maximum));
	case SCHEMA_BOOLEAN:
		return value->type == JSON_BOOLEAN;
	case SCHEMA_OBJECT:
	case SCHEMA_ARRAY:
		break;
	}
	return false;
}

/* A flat value; `value` may be of another arena. */
static struct json *copy(const struct ask_field *field, const struct json *value,
			 struct arena *arena)
{
	struct json *member = arena_alloc(arena, sizeof(*member));

	if (!member)
		return NULL;
	*member = *value;
	member->name = arena_copy(arena, field->name, strlen(field->name));
	member->next = NULL;
	if (value->text)
		member->text = arena_copy(arena, value->text, value->length);
	return member->name && !member->text == !value->text ? member : NULL;
}

const struct json *ask_form_read(const struct ask_field *fields,
				 const struct json *content, struct arena *arena)
{
	struct json *object = arena_alloc(arena, sizeof(*object));
	struct json **end;

	if (!object)
		return NULL;
	object->type = JSON_OBJECT;
	end = &object->first;
	for (const struct ask_field *field = fields; field->name; field++) {
		const struct json *value = json_member(content, field->name);

		if (!value && !field->required)
			continue;
		if (!value || !value_fits(field, value))
			return NULL;
		*end = copy(field, value, arena);
		if (!*end)
			return NULL;
		end = &(*end)->next;
		object->count++;
	}
	return object;
}
