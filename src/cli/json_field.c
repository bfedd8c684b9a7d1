/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json_field.h"

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
