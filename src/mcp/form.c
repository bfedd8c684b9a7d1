/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From top to bottom: the check of one value, writing the requestedSchema, and reading an
 * answer. form_read() copies only the fields of the table, each checked, so nothing else
 * that a client sends can reach a tool.
 */
#include "mcp/elicitation.h"

#include <string.h>

#include "base/utf8.h"

static bool form_is_choice(const struct form_choice *choice, const char *value)
{
	for (; choice->value; choice++) {
		if (strcmp(choice->value, value) == 0)
			return true;
	}
	return false;
}

static bool form_text_fits(const struct form_field *field, const char *text)
{
	return field->choices ? form_is_choice(field->choices, text)
			      : utf8_count(text) <= FORM_TEXT_MAX;
}

static bool form_choices_fit(const struct form_field *field, const struct json *array)
{
	json_foreach (item, array) {
		if (item->type != JSON_STRING ||
		    !form_is_choice(field->choices, item->text))
			return false;
	}
	return true;
}

static bool form_value_fits(const struct form_field *field, const struct json *value)
{
	int64_t integer;
	double number;

	switch (field->type) {
	case SCHEMA_STRING:
		return value->type == JSON_STRING && form_text_fits(field, value->text);
	case SCHEMA_INTEGER:
		return json_integer(value, &integer);
	case SCHEMA_NUMBER:
		return json_real(value, &number);
	case SCHEMA_BOOLEAN:
		return value->type == JSON_BOOLEAN;
	case SCHEMA_ARRAY:
		return value->type == JSON_ARRAY && form_choices_fit(field, value);
	case SCHEMA_OBJECT:
		break;
	}
	return false;
}

static struct json *form_copy_json(const struct json *value, struct arena *arena)
{
	struct json *copy = arena_alloc(arena, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *value;
	copy->name = NULL;
	copy->next = copy->first = NULL;
	if (value->text)
		copy->text = arena_copy(arena, value->text, value->length);
	return !copy->text == !value->text ? copy : NULL;
}

static struct json *form_copy_value(const struct form_field *field,
				    const struct json *value, struct arena *arena)
{
	struct json *copy = form_copy_json(value, arena);
	struct json **end;

	if (!copy)
		return NULL;
	copy->name = arena_copy(arena, field->name, strlen(field->name));
	if (!copy->name)
		return NULL;
	end = &copy->first;
	json_foreach (item, value) {
		*end = form_copy_json(item, arena);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return copy;
}

/* Writes the values of the choices, or their titles. */
static void form_write_words(struct json_writer *writer, const char *key,
			     const struct form_choice *choice, bool titles)
{
	json_open_array_at(writer, key);
	for (; choice->value; choice++)
		json_write_string(writer, titles ? choice->title : choice->value);
	json_close_array(writer);
}

static void form_write_titled(struct json_writer *writer, const char *key,
			      const struct form_choice *choice)
{
	json_open_array_at(writer, key);
	for (; choice->value; choice++) {
		json_open_object(writer);
		json_put_string(writer, "const", choice->value);
		json_put_string(writer, "title", choice->title);
		json_close_object(writer);
	}
	json_close_array(writer);
}

static void form_write_choices(struct json_writer *writer, const struct form_field *field,
			       enum form_style style)
{
	bool titled = field->choices->title;
	bool named = titled && (field->is_named || style == FORM_STYLE_ENUM_NAMES);

	if (field->type == SCHEMA_ARRAY) {
		json_open_object_at(writer, "items");
		if (titled) {
			form_write_titled(writer, "anyOf", field->choices);
		} else {
			json_put_string(writer, "type", schema_type_name(SCHEMA_STRING));
			form_write_words(writer, "enum", field->choices, false);
		}
		json_close_object(writer);
	} else if (titled && !named) {
		form_write_titled(writer, "oneOf", field->choices);
	} else {
		form_write_words(writer, "enum", field->choices, false);
		if (named)
			form_write_words(writer, "enumNames", field->choices, true);
	}
}

static void form_write_field(struct json_writer *writer, const struct form_field *field,
			     enum form_style style)
{
	json_open_object_at(writer, field->name);
	json_put_string(writer, "type", schema_type_name(field->type));
	json_put_string(writer, "title", field->title);
	if (field->type == SCHEMA_STRING && !field->choices)
		json_put_integer(writer, "maxLength", FORM_TEXT_MAX);
	if (field->choices)
		form_write_choices(writer, field, style);
	if (field->preset && style == FORM_STYLE_TITLES) {
		json_key(writer, "default");
		if (field->type == SCHEMA_STRING)
			json_write_string(writer, field->preset);
		else
			json_write_raw(writer, field->preset, strlen(field->preset));
	}
	json_close_object(writer);
}

void form_write(struct json_writer *writer, const struct form_field *fields,
		enum form_style style)
{
	json_open_object(writer);
	json_put_string(writer, "type", "object");
	json_open_object_at(writer, "properties");
	for (const struct form_field *field = fields; field->name; field++)
		form_write_field(writer, field, style);
	json_close_object(writer);
	json_open_array_at(writer, "required");
	for (const struct form_field *field = fields; field->name; field++) {
		if (field->required)
			json_write_string(writer, field->name);
	}
	json_close_array(writer);
	json_close_object(writer);
}

/* Reading */

const struct json *form_read(const struct form_field *fields, const struct json *content,
			     struct arena *arena)
{
	struct json *object = arena_alloc(arena, sizeof(*object));
	struct json **end;

	if (!object)
		return NULL;
	object->type = JSON_OBJECT;
	end = &object->first;
	for (const struct form_field *field = fields; field->name; field++) {
		const struct json *value = json_member(content, field->name);

		if (!value && !field->required)
			continue;
		if (!value || !form_value_fits(field, value))
			return NULL;
		*end = form_copy_value(field, value, arena);
		if (!*end)
			return NULL;
		end = &(*end)->next;
		object->count++;
	}
	return object;
}
