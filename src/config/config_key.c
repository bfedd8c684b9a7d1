/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds, checks, sets and prints keys by their entry in config_key_table.c.
 *
 * A value that was accepted survives printing and reading: config_key_value_flaw() refuses whatever
 * a file could not hold. A key that was renamed is also found under its old name (`old_name`); the
 * owner gets a warning that names the new one.
 */
#include "config/config_key.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/address.h"
#include "base/buffer.h"
#include "base/explanation.h"
#include "base/log.h"
#include "base/utf8.h"
#include "config/config_sender.h"

/* ---- errors and warnings */

void config_key_warn(const struct config_key_place *place, const char *format, ...)
{
	char text[sizeof(place->error->text)], line[16] = "";
	va_list arguments;

	if (!place || !*place->origin)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (place->line)
		snprintf(line, sizeof(line), ":%d", place->line);
	log_warning("%s%s: %s", place->origin, line, text);
}

int config_key_fail(const struct config_key_place *place, const char *format, ...)
{
	char text[sizeof(place->error->text)], line[16] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (place->line)
		snprintf(line, sizeof(line), ":%d", place->line);
	return explanation_set(place->error, -EINVAL, "%s%s: %s", place->origin, line,
			       text);
}

int config_key_fail_section(const struct config_key_place *place, const char *section)
{
	char known[160] = "";
	const char *last = "";
	size_t used = 0;

	for (const struct config_key *key = NULL; (key = config_key_table_next(key));) {
		if (strcmp(key->section, last) == 0)
			continue;
		last = key->section;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s[%s]",
					 used ? ", " : "", last);
		assert(used < sizeof(known));
	}
	if (!*section)
		return config_key_fail(
			place, "a key comes before any section; the sections are %s",
			known);
	return config_key_fail(place, "[%s]: unknown section; the sections are %s",
			       section, known);
}

/* Returns what has this key, if it is another program. */
static const char *config_key_find_owner(const char *section, const char *name)
{
	for (size_t at = 0; at < CONFIG_KEY_COUNT; at++) {
		const struct config_key *key = &config_key_table[at];

		if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0)
			return key->program == CONFIG_KEY_OF_HUB
				       ? "the hub, ofono-mcp-hub"
				       : "the gateway of each phone, ofono-mcp";
	}
	return NULL;
}

int config_key_fail_name(const struct config_key_place *place, const char *section,
			 const char *name)
{
	const char *owner = config_key_find_owner(section, name);
	char known[384] = "";
	size_t used = 0;

	if (owner)
		return config_key_fail(place, "%s.%s: this key is for %s; remove it here",
				       section, name, owner);
	for (const struct config_key *key = NULL; (key = config_key_table_next(key));) {
		if (strcmp(key->section, section) != 0)
			continue;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", key->name);
		assert(used < sizeof(known));
	}
	if (!used)
		return config_key_fail_section(place, section);
	return config_key_fail(place, "%s.%s: unknown key; [%s] has %s", section, name,
			       section, known);
}

int config_key_fail_value(const struct config_key_place *place,
			  const struct config_key *key, const char *flaw)
{
	char wanted[96] = "";

	switch (key->type) {
	case CONFIG_KEY_TEXT:
	case CONFIG_KEY_LIST:
		snprintf(wanted, sizeof(wanted), "text of at most %d bytes",
			 CONFIG_TEXT_BYTES - 1);
		break;
	case CONFIG_KEY_ADDRESS_LIST:
		snprintf(wanted, sizeof(wanted),
			 "ADDRESS:PORT, such as 127.0.0.1:9531 or [::1]:9531");
		break;
	case CONFIG_KEY_BOOLEAN:
		snprintf(wanted, sizeof(wanted), "yes or no");
		break;
	case CONFIG_KEY_INTEGER:
		snprintf(wanted, sizeof(wanted),
			 "a whole number from %" PRId64 " to %" PRId64, key->least,
			 key->most);
		break;
	}
	return config_key_fail(place, "%s.%s: %s; it takes %s", key->section, key->name,
			       flaw, wanted);
}

/* ---- finding */

bool config_key_section_exists(const char *section)
{
	for (size_t at = 0; at < CONFIG_KEY_COUNT; at++) {
		if (strcmp(config_key_table[at].section, section) == 0)
			return true;
	}
	return false;
}

const struct config_key *config_key_find(const struct config_key_place *place,
					 const char *section, const char *name)
{
	for (const struct config_key *key = NULL; (key = config_key_table_next(key));) {
		if (strcmp(key->section, section) != 0)
			continue;
		if (strcmp(key->name, name) == 0)
			return key;
		if (key->old_name && strcmp(key->old_name, name) == 0) {
			config_key_warn(place,
					"%s.%s is now called %s.%s; the old name still "
					"works, but please change it",
					section, name, section, key->name);
			return key;
		}
	}
	return NULL;
}

bool config_key_is_list(const struct config_key *key)
{
	return key->type == CONFIG_KEY_LIST || key->type == CONFIG_KEY_ADDRESS_LIST;
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

const void *config_key_read_field(const struct config_key *key,
				  const struct config *config)
{
	return (const char *)config + key->offset;
}

/* ---- setting */

/* Returns what is wrong with a value of any type; NULL if it survives printing and reading. */
static const char *config_key_value_flaw(const char *value)
{
	size_t length = strlen(value);

	if (length == 0)
		return "the value is empty";
	if (length >= CONFIG_TEXT_BYTES)
		return "the value is too long";
	if (!utf8_valid(value, length))
		return "the value is not UTF-8";
	if (value[0] == ' ' || value[length - 1] == ' ')
		return "the value has spaces around it";
	for (size_t at = 0; at < length; at++) {
		if ((unsigned char)value[at] < 0x20 || value[at] == 0x7f)
			return "the value has a control character";
		if (value[at] == ';' && (at == 0 || value[at - 1] == ' '))
			return "a ';' after a space would begin a comment";
	}
	return NULL;
}

static const char *config_key_set_boolean(bool *field, const char *value)
{
	static const struct {
		const char *text;
		bool value;
	} words[] = {
		{ "yes", true }, { "true", true },   { "on", true },   { "1", true },
		{ "no", false }, { "false", false }, { "off", false }, { "0", false },
	};

	for (size_t at = 0; at < sizeof(words) / sizeof(words[0]); at++) {
		if (strcasecmp(words[at].text, value) == 0) {
			*field = words[at].value;
			return NULL;
		}
	}
	return "the value is neither yes nor no";
}

static const char *config_key_set_integer(const struct config_key *key, int64_t *field,
					  const char *value)
{
	bool negative = *value == '-';
	const char *digit = value + (negative ? 1 : 0);
	int64_t number = 0;

	if (!*digit)
		return "the value is not a whole number";
	for (; *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			return "the value is not a whole number";
		if (number <=
		    key->most) /* larger is out of range; it must not overflow */
			number = number * 10 + (*digit - '0');
	}
	if (negative)
		number = -number;
	if (number < key->least || number > key->most)
		return "the value is out of range";
	*field = number;
	return NULL;
}

static const char *config_key_append(struct config_list *list, const char *value)
{
	if (list->count == CONFIG_LIST_MAX)
		return "the key is repeated too often; the limit is 8";
	memcpy(list->items[list->count++], value, strlen(value) + 1);
	return NULL;
}

const char *config_key_set(const struct config_key *key, struct config *config,
			   const char *value)
{
	void *field = config_key_field(key, config);
	const char *flaw = config_key_value_flaw(value);
	struct address address;

	if (flaw)
		return flaw;
	switch (key->type) {
	case CONFIG_KEY_TEXT:
		memset(field, 0, CONFIG_TEXT_BYTES);
		memcpy(field, value, strlen(value));
		return NULL;
	case CONFIG_KEY_LIST:
		return config_key_append(field, value);
	case CONFIG_KEY_ADDRESS_LIST:
		if (!address_parse(value, &address))
			return "the value is not an IP address with a port";
		return config_key_append(field, value);
	case CONFIG_KEY_BOOLEAN:
		return config_key_set_boolean(field, value);
	case CONFIG_KEY_INTEGER:
		return config_key_set_integer(key, field, value);
	}
	return NULL;
}

/* ---- entries of lists */

bool config_key_next_useless(const struct config_key *key, const char **at_inout,
			     struct explanation *text_out)
{
	char entry[CONFIG_TEXT_BYTES];

	switch (key->offset) {
	case offsetof(struct config, owner_numbers):
	case offsetof(struct config, blocked_senders):
		if (!config_sender_next_useless(at_inout, entry))
			return false;
		explanation_set(text_out, 0,
				"%s.%s: \"%s\" is neither a phone number nor a name that "
				"a message can come from",
				key->section, key->name, entry);
		return true;
	case offsetof(struct config, policy.allow):
	case offsetof(struct config, policy.deny):
		if (!config_policy_next_useless(at_inout, entry))
			return false;
		explanation_set(text_out, 0,
				"%s.%s: \"%s\" matches no phone number; a prefix ends "
				"with *, such as +3620*",
				key->section, key->name, entry);
		return true;
	default:
		return false;
	}
}

/* ---- writing */

static bool config_key_is_default(const struct config_key *key,
				  const struct config *config,
				  const struct config *defaults)
{
	const void *field = config_key_read_field(key, config);
	const void *initial = config_key_read_field(key, defaults);
	const struct config_list *list = field, *initial_list = initial;

	if (!config_key_is_list(key))
		return memcmp(field, initial, config_key_size(key)) == 0;
	return list->count == 0 || (list->count == 1 && initial_list->count == 1 &&
				    strcmp(list->items[0], initial_list->items[0]) == 0);
}

void config_key_write(const struct config_key *key, const struct config *config,
		      struct buffer *text_out)
{
	const void *field = config_key_read_field(key, config);
	const struct config_list *list = field;
	char number[24];

	switch (key->type) {
	case CONFIG_KEY_TEXT:
		buffer_append_text(text_out, field);
		return;
	case CONFIG_KEY_LIST:
	case CONFIG_KEY_ADDRESS_LIST:
		for (size_t at = 0; at < list->count; at++) {
			buffer_append(text_out, " ", at ? 1 : 0);
			buffer_append_text(text_out, list->items[at]);
		}
		return;
	case CONFIG_KEY_BOOLEAN:
		buffer_append_text(text_out, *(const bool *)field ? "yes" : "no");
		return;
	case CONFIG_KEY_INTEGER:
		snprintf(number, sizeof(number), "%" PRId64, *(const int64_t *)field);
		buffer_append_text(text_out, number);
		return;
	}
}

static void config_key_print_help(const struct config_key *key, FILE *out)
{
	const char *line = key->help;
	const char *end;

	for (; (end = strchr(line, '\n')); line = end + 1)
		fprintf(out, "# %.*s\n", (int)(end - line), line);
	fprintf(out, "# %s", line);
	if (key->type == CONFIG_KEY_INTEGER)
		fprintf(out, " (%" PRId64 " to %" PRId64 ")", key->least, key->most);
	if (key->type == CONFIG_KEY_BOOLEAN)
		fprintf(out, " (yes or no)");
	fprintf(out, ".\n");
}

static void config_key_print_value(const struct config_key *key,
				   const struct config *config, FILE *out)
{
	const struct config_list *list = config_key_read_field(key, config);
	struct buffer text = BUFFER_INIT;

	for (size_t at = 0; config_key_is_list(key) && at < list->count; at++)
		fprintf(out, "%s = %s\n", key->name, list->items[at]);
	if (config_key_is_list(key))
		return;
	config_key_write(key, config, &text);
	fprintf(out, "%s = %.*s\n", key->name, (int)text.length, text.data);
	buffer_deinit(&text);
}

void config_key_print(const struct config_key *key, const struct config *config,
		      const struct config *defaults, FILE *out)
{
	config_key_print_help(key, out);
	if (config_key_is_default(key, config, defaults))
		fprintf(out, "#%s = %s\n", key->name,
			key->initial ? key->initial : key->example);
	else
		config_key_print_value(key, config, out);
}
