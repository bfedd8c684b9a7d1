/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From top to bottom: the formats of strings, the check of one value, writing the
 * requestedSchema, and reading an answer. form_read() copies only the fields of the
 * table, each checked, so nothing else that a client sends can reach a tool.
 */
#include "mcp/elicitation.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS	"0123456789"

/* The local part of an address without quotes: RFC 5322, "atext", and the dot. */
#define LOCAL LETTERS DIGITS "!#$%&'*+-/=?^_`{|}~."
/* RFC 3986, including the percent sign of escapes. */
#define URI LETTERS DIGITS "-._~:/?#[]@!$&'()*+,;=%"

enum { DATE_LENGTH = sizeof("2026-11-21") - 1 };

/* Whether no label is empty: "a.b", but not ".a", "a." or "a..b". */
static bool form_has_whole_labels(const char *text, size_t length)
{
	if (!length || text[0] == '.' || text[length - 1] == '.')
		return false;
	return !memmem(text, length, "..", 2);
}

/* Letters of all languages are valid: RFC 6531. */
static bool form_is_email(const char *text)
{
	const char *at = strchr(text, '@');
	size_t length = at ? (size_t)(at - text) : 0;

	if (!at || !form_has_whole_labels(text, length) ||
	    !form_has_whole_labels(at + 1, strlen(at + 1)))
		return false;
	for (const char *byte = text; *byte; byte++) {
		const char *allowed = byte < at ? LOCAL : LETTERS DIGITS "-.";

		if (byte != at && (unsigned char)*byte < 0x80 && !strchr(allowed, *byte))
			return false;
	}
	return true;
}

static bool form_is_uri(const char *text)
{
	size_t scheme = strspn(text, LETTERS DIGITS "+-.");

	if (!scheme || !strchr(LETTERS, *text) || text[scheme] != ':' ||
	    !text[scheme + 1] || text[strspn(text, URI)])
		return false;
	for (const char *escape = strchr(text, '%'); escape;
	     escape = strchr(escape + 1, '%')) {
		if (strspn(escape + 1, DIGITS "abcdefABCDEF") < 2)
			return false;
	}
	return true;
}

static bool form_is_date_time(const char *text)
{
	int64_t wall_ms;

	return clock_parse(text, &wall_ms);
}

static bool form_is_date(const char *text)
{
	char midnight[DATE_LENGTH + sizeof("T00:00:00Z")];

	if (strlen(text) != DATE_LENGTH)
		return false;
	snprintf(midnight, sizeof(midnight), "%sT00:00:00Z", text);
	return form_is_date_time(midnight);
}

static const struct {
	const char *name;
	bool (*fits)(const char *text);
} form_formats[] = {
	[FORM_FORMAT_ANY] = { NULL },
	[FORM_FORMAT_EMAIL] = { "email", form_is_email },
	[FORM_FORMAT_URI] = { "uri", form_is_uri },
	[FORM_FORMAT_DATE] = { "date", form_is_date },
	[FORM_FORMAT_DATE_TIME] = { "date-time", form_is_date_time },
};

bool form_format_fits(enum form_format format, const char *text)
{
	return !form_formats[format].fits || form_formats[format].fits(text);
}

static bool form_is_bounded(const struct form_field *field)
{
	return field->minimum != 0 || field->maximum != 0;
}

static bool form_is_within(const struct form_field *field, int64_t number)
{
	return !form_is_bounded(field) ||
	       (number >= field->minimum && number <= field->maximum);
}

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
	int64_t length;

	if (field->choices)
		return form_is_choice(field->choices, text);
	length = (int64_t)utf8_count(text);
	if (form_is_bounded(field) ? !form_is_within(field, length)
				   : length > FORM_TEXT_MAX)
		return false;
	return form_format_fits(field->format, text);
}

static bool form_is_repeated(const struct json *item)
{
	for (const struct json *later = item->next; later; later = later->next) {
		if (later->type == JSON_STRING && strcmp(later->text, item->text) == 0)
			return true;
	}
	return false;
}

/*
 * Each choice counts once, so a fitting array cannot be longer than the list of choices.
 */
static bool form_choices_fit(const struct form_field *field, const struct json *array)
{
	if (!form_is_within(field, (int64_t)array->count))
		return false;
	json_foreach (item, array) {
		if (item->type != JSON_STRING ||
		    !form_is_choice(field->choices, item->text) || form_is_repeated(item))
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
		return json_integer(value, &integer) && form_is_within(field, integer);
	case SCHEMA_NUMBER:
		return json_real(value, &number) &&
		       (!form_is_bounded(field) || (number >= (double)field->minimum &&
						    number <= (double)field->maximum));
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

bool form_can_show(enum form_style style, const struct form_field *fields)
{
	for (; fields->name; fields++) {
		if (style == FORM_STYLE_ENUM_NAMES && fields->type == SCHEMA_ARRAY)
			return false;
	}
	return style != FORM_STYLE_NONE;
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

static void form_write_default(struct json_writer *writer, const struct form_field *field)
{
	const struct form_choice *choice = field->choices;

	if (!choice && field->preset) {
		json_key(writer, "default");
		if (field->type == SCHEMA_STRING)
			json_write_string(writer, field->preset);
		else
			json_write_raw(writer, field->preset, strlen(field->preset));
		return;
	}
	while (choice && choice->value && !choice->preset)
		choice++;
	if (!choice || !choice->value)
		return;
	if (field->type == SCHEMA_STRING) {
		json_put_string(writer, "default", choice->value);
		return;
	}
	json_open_array_at(writer, "default");
	for (; choice->value; choice++) {
		if (choice->preset)
			json_write_string(writer, choice->value);
	}
	json_close_array(writer);
}

static void form_write_field(struct json_writer *writer, const struct form_field *field,
			     enum form_style style)
{
	json_open_object_at(writer, field->name);
	json_put_string(writer, "type", schema_type_name(field->type));
	json_put_string(writer, "title", field->title);
	if (field->description)
		json_put_string(writer, "description", field->description);
	if (form_is_bounded(field))
		schema_write_bounds(writer, field->type, field->minimum, field->maximum);
	else if (field->type == SCHEMA_STRING && !field->choices)
		json_put_integer(writer, "maxLength", FORM_TEXT_MAX);
	if (form_formats[field->format].name)
		json_put_string(writer, "format", form_formats[field->format].name);
	if (field->choices)
		form_write_choices(writer, field, style);
	if (style == FORM_STYLE_TITLES || field->type == SCHEMA_BOOLEAN)
		form_write_default(writer, field);
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
