/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_key.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

int config_fail(const struct config_place *place, const char *format, ...)
{
	char *text = place->error->text;
	size_t room = sizeof(place->error->text);
	va_list arguments;
	int used;

	if (place->line)
		used = snprintf(text, room, "%s:%d: ", place->origin, place->line);
	else
		used = snprintf(text, room, "%s: ", place->origin);
	if (used < 0 || (size_t)used >= room)
		return -EINVAL;
	va_start(arguments, format);
	vsnprintf(text + used, room - (size_t)used, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

bool config_section_known(const char *section)
{
	size_t at;

	for (at = 0; at < CONFIG_KEY_COUNT; at++) {
		if (strcmp(config_key_table[at].section, section) == 0)
			return true;
	}
	return false;
}

int config_section_fail(const struct config_place *place, const char *section)
{
	char known[128] = "";
	size_t used = 0;
	size_t at;

	for (at = 0; at < CONFIG_KEY_COUNT; at++) {
		if (at > 0 &&
		    config_key_table[at].section == config_key_table[at - 1].section)
			continue;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s[%s]",
					 used ? ", " : "", config_key_table[at].section);
		assert(used < sizeof(known));
	}
	if (!*section)
		return config_fail(place, "a key stands before any section; there are %s",
				   known);
	return config_fail(place, "[%s]: unknown section; there are %s", section, known);
}

int config_key_fail(const struct config_place *place, const char *section,
		    const char *name)
{
	char known[384] = "";
	size_t used = 0;
	size_t at;

	for (at = 0; at < CONFIG_KEY_COUNT; at++) {
		if (strcmp(config_key_table[at].section, section) != 0)
			continue;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", config_key_table[at].name);
		assert(used < sizeof(known));
	}
	if (!used)
		return config_section_fail(place, section);
	return config_fail(place, "%s.%s: unknown key; [%s] has %s", section, name,
			   section, known);
}

const struct config_key *config_key_find(const char *section, const char *name)
{
	size_t at;

	for (at = 0; at < CONFIG_KEY_COUNT; at++) {
		if (strcmp(config_key_table[at].section, section) == 0 &&
		    strcmp(config_key_table[at].name, name) == 0)
			return &config_key_table[at];
	}
	return NULL;
}

size_t config_key_size(const struct config_key *key)
{
	switch (key->type) {
	case CONFIG_KEY_TEXT:
		return CONFIG_TEXT_BYTES;
	case CONFIG_KEY_LIST:
	case CONFIG_KEY_ADDRESS_LIST:
		return sizeof(struct config_list);
	case CONFIG_KEY_BOOLEAN:
		return sizeof(bool);
	case CONFIG_KEY_INTEGER:
		return sizeof(int64_t);
	}
	return 0;
}

void *config_key_field(const struct config_key *key, struct config *config)
{
	return (char *)config + key->offset;
}

bool config_key_is_list(const struct config_key *key)
{
	return key->type == CONFIG_KEY_LIST || key->type == CONFIG_KEY_ADDRESS_LIST;
}
