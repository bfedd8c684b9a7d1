/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/ask_value.h"

#include <string.h>

#include "base/utf8.h"

static bool is_bounded(const struct ask_field *field)
{
	return field->minimum != 0 || field->maximum != 0;
}

static bool is_within(const struct ask_field *field, int64_t number)
{
	return !is_bounded(field) ||
	       (number >= field->minimum && number <= field->maximum);
}

static bool real_fits(const struct ask_field *field, const struct json *value)
{
	double number;

	return json_real(value, &number) &&
	       (!is_bounded(field) ||
		(number >= (double)field->minimum && number <= (double)field->maximum));
}

static bool integer_fits(const struct ask_field *field, const struct json *value)
{
	int64_t number;

	return json_integer(value, &number) && is_within(field, number);
}

static bool is_choice(const struct ask_choice *choice, const char *value)
{
	for (; choice->value; choice++) {
		if (strcmp(choice->value, value) == 0)
			return true;
	}
	return false;
}

static bool text_fits(const struct ask_field *field, const char *text)
{
	int64_t length;

	if (field->choices)
		return is_choice(field->choices, text);
	length = (int64_t)utf8_count(text);
	if (is_bounded(field) ? !is_within(field, length) : length > ASK_TEXT_MAX)
		return false;
	return ask_format_fits(field->format, text);
}

static bool is_repeated(const struct json *item)
{
	for (const struct json *later = item->next; later; later = later->next) {
		if (later->type == JSON_STRING && strcmp(later->text, item->text) == 0)
			return true;
	}
	return false;
}

/* As each choice can be made once, there are no more of them than choices. */
static bool choices_fit(const struct ask_field *field, const struct json *array)
{
	if (!is_within(field, (int64_t)array->count))
		return false;
	json_foreach (item, array) {
		if (item->type != JSON_STRING || !is_choice(field->choices, item->text) ||
		    is_repeated(item))
			return false;
	}
	return true;
}

bool ask_value_fits(const struct ask_field *field, const struct json *value)
{
	switch (field->type) {
	case SCHEMA_STRING:
		return value->type == JSON_STRING && text_fits(field, value->text);
	case SCHEMA_INTEGER:
		return integer_fits(field, value);
	case SCHEMA_NUMBER:
		return real_fits(field, value);
	case SCHEMA_BOOLEAN:
		return value->type == JSON_BOOLEAN;
	case SCHEMA_ARRAY:
		return value->type == JSON_ARRAY && choices_fit(field, value);
	case SCHEMA_OBJECT:
		break;
	}
	return false;
}

static struct json *copy(const struct json *value, struct arena *arena)
{
	struct json *mine = arena_alloc(arena, sizeof(*mine));

	if (!mine)
		return NULL;
	*mine = *value;
	mine->name = NULL;
	mine->next = mine->first = NULL;
	if (value->text)
		mine->text = arena_copy(arena, value->text, value->length);
	return !mine->text == !value->text ? mine : NULL;
}

struct json *ask_value_copy(const struct ask_field *field, const struct json *value,
			    struct arena *arena)
{
	struct json *mine = copy(value, arena);
	struct json **end;

	if (!mine)
		return NULL;
	mine->name = arena_copy(arena, field->name, strlen(field->name));
	if (!mine->name)
		return NULL;
	end = &mine->first;
	json_foreach (item, value) {
		*end = copy(item, arena);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return mine;
}
