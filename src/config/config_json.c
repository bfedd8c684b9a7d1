/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_json.h"

#include <stdio.h>
#include <string.h>

#include "config/config_key.h"

enum { NAME_BYTES = 64 };

static void write_list(const struct config_list *list, struct json_writer *writer)
{
	json_open_array(writer);
	for (size_t at = 0; at < list->count; at++)
		json_write_string(writer, list->items[at]);
	json_close_array(writer);
}

static void write_key(const struct config_key *key, const struct config *config,
		      struct json_writer *writer)
{
	struct buffer text = BUFFER_INIT;
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s.%s", key->section, key->name);
	config_key_write(key, config, &text);
	if (text.length)
		json_key(writer, name);
	if (text.length && config_key_is_list(key))
		write_list((const void *)((const char *)config + key->offset), writer);
	else if (text.length)
		json_write_text(writer, text.data, text.length);
	buffer_deinit(&text);
}

void config_write_json(const struct config *config, struct json_writer *writer)
{
	json_open_object(writer);
	for (size_t at = 0; at < CONFIG_KEY_COUNT; at++)
		write_key(&config_key_table[at], config, writer);
	json_close_object(writer);
}

static bool read_value(const struct json *member, const struct json *value,
		       struct config *config)
{
	struct explanation error;
	const char *text = json_string(value);

	return text && config_set(config, member->name, text, "", &error) == 0;
}

static bool read_member(const struct json *member, struct config *config)
{
	if (member->type != JSON_ARRAY)
		return read_value(member, member, config);
	json_foreach (item, member) {
		if (!read_value(member, item, config))
			return false;
	}
	return true;
}

bool config_read_json(const struct json *object, struct config *config_out)
{
	struct config config;

	if (!object || object->type != JSON_OBJECT)
		return false;
	memset(&config, 0, sizeof(config)); /* what has no value is not told */
	json_foreach (member, object) {
		if (!read_member(member, &config))
			return false;
	}
	*config_out = config;
	return true;
}
