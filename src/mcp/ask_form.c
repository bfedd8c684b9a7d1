/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/ask_form.h"

#include <string.h>

#include "mcp/ask_value.h"

bool ask_form_can_show(enum ask_form form, const struct ask_field *fields)
{
	for (; fields->name; fields++) {
		if (form == ASK_FORM_NAMES && fields->type == SCHEMA_ARRAY)
			return false;
	}
	return form != ASK_FORM_NONE;
}

/* Writing */

static void write_bounds(struct json_writer *writer, const struct ask_field *field)
{
	if (field->minimum || field->maximum)
		schema_put_bounds(writer, field->type, field->minimum, field->maximum);
	else if (field->type == SCHEMA_STRING && !field->choices)
		json_put_integer(writer, "maxLength", ASK_TEXT_MAX);
}

static void put_values(struct json_writer *writer, const struct ask_choice *choice)
{
	json_key(writer, "enum");
	json_open_array(writer);
	for (; choice->value; choice++)
		json_write_string(writer, choice->value);
	json_close_array(writer);
}

static void put_names(struct json_writer *writer, const struct ask_choice *choice)
{
	json_key(writer, "enumNames");
	json_open_array(writer);
	for (; choice->value; choice++)
		json_write_string(writer, choice->title);
	json_close_array(writer);
}

static void put_titled(struct json_writer *writer, const char *key,
		       const struct ask_choice *choice)
{
	json_key(writer, key);
	json_open_array(writer);
	for (; choice->value; choice++) {
		json_open_object(writer);
		json_put_string(writer, "const", choice->value);
		json_put_string(writer, "title", choice->title);
		json_close_object(writer);
	}
	json_close_array(writer);
}

static void write_choices(struct json_writer *writer, const struct ask_field *field,
			  enum ask_form form)
{
	bool titled = field->choices->title;
	bool named = titled && (field->is_named || form == ASK_FORM_NAMES);

	if (titled && !named) {
		put_titled(writer, "oneOf", field->choices);
		return;
	}
	put_values(writer, field->choices);
	if (named)
		put_names(writer, field->choices);
}

static void write_items(struct json_writer *writer, const struct ask_choice *choices)
{
	json_key(writer, "items");
	json_open_object(writer);
	if (choices->title) {
		put_titled(writer, "anyOf", choices);
	} else {
		json_put_string(writer, "type", schema_type_name(SCHEMA_STRING));
		put_values(writer, choices);
	}
	json_close_object(writer);
}

static const struct ask_choice *next_preset(const struct ask_choice *choice)
{
	while (choice->value && !choice->preset)
		choice++;
	return choice->value ? choice : NULL;
}

static void put_preset_choices(struct json_writer *writer, const struct ask_field *field)
{
	const struct ask_choice *choice = next_preset(field->choices);

	if (!choice)
		return;
	json_key(writer, "default");
	if (field->type == SCHEMA_STRING) {
		json_write_string(writer, choice->value);
		return;
	}
	json_open_array(writer);
	for (; choice; choice = next_preset(choice + 1))
		json_write_string(writer, choice->value);
	json_close_array(writer);
}

static void write_preset(struct json_writer *writer, const struct ask_field *field)
{
	if (field->choices) {
		put_preset_choices(writer, field);
		return;
	}
	if (!field->preset)
		return;
	json_key(writer, "default");
	if (field->type == SCHEMA_STRING)
		json_write_string(writer, field->preset);
	else
		json_write_raw(writer, field->preset, strlen(field->preset));
}

static void write_field(struct json_writer *writer, const struct ask_field *field,
			enum ask_form form)
{
	json_key(writer, field->name);
	json_open_object(writer);
	json_put_string(writer, "type", schema_type_name(field->type));
	json_put_string(writer, "title", field->title);
	if (field->description)
		json_put_string(writer, "description", field->description);
	write_bounds(writer, field);
	if (ask_format_name(field->format))
		json_put_string(writer, "format", ask_format_name(field->format));
	if (field->type == SCHEMA_ARRAY)
		write_items(writer, field->choices);
	else if (field->choices)
		write_choices(writer, field, form);
	if (form == ASK_FORM_TITLES || field->type == SCHEMA_BOOLEAN)
		write_preset(writer, field);
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
		if (!value || !ask_value_fits(field, value))
			return NULL;
		*end = ask_value_copy(field, value, arena);
		if (!*end)
			return NULL;
		end = &(*end)->next;
		object->count++;
	}
	return object;
}
