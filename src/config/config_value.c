/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a key's value may be, how it is set, and how it is printed. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/address.h"
#include "config/config_key.h"
#include "base/utf8.h"

static const void *key_present(const struct config_key *key, const struct config *config)
{
	return (const char *)config + key->offset;
}

static bool is_control(char byte)
{
	return (unsigned char)byte < 0x20 || byte == 0x7f;
}

/* What is wrong with a value of any type, or NULL: it survives print and read. */
static const char *value_flaw(const char *value)
{
	size_t length = strlen(value);
	size_t at;

	if (length == 0)
		return "the value is empty";
	if (length >= CONFIG_TEXT_BYTES)
		return "the value is too long";
	if (!utf8_valid(value, length))
		return "the value is not UTF-8";
	if (value[0] == ' ' || value[length - 1] == ' ')
		return "the value has blanks around it";
	for (at = 0; at < length; at++) {
		if (is_control(value[at]))
			return "the value holds a control character";
		if (value[at] == ';' && (at == 0 || value[at - 1] == ' '))
			return "a ';' behind a blank would begin a comment";
	}
	return NULL;
}

static void wanted_text(const struct config_key *key, char *text, size_t room)
{
	switch (key->type) {
	case CONFIG_KEY_TEXT:
	case CONFIG_KEY_LIST:
		snprintf(text, room, "text of at most %d bytes", CONFIG_TEXT_BYTES - 1);
		return;
	case CONFIG_KEY_ADDRESS_LIST:
		snprintf(text, room,
			 "ADDRESS:PORT, such as 127.0.0.1:9531 or [::1]:9531");
		return;
	case CONFIG_KEY_BOOLEAN:
		snprintf(text, room, "yes or no");
		return;
	case CONFIG_KEY_INTEGER:
		snprintf(text, room, "a whole number from %" PRId64 " to %" PRId64,
			 key->least, key->most);
		return;
	}
}

int config_value_fail(const struct config_place *place, const struct config_key *key,
		      const char *flaw)
{
	char wanted[96];

	wanted_text(key, wanted, sizeof(wanted));
	return config_fail(place, "%s.%s: %s; it takes %s", key->section, key->name, flaw,
			   wanted);
}

static const char *boolean_set(bool *field, const char *value)
{
	static const struct {
		const char *text;
		bool value;
	} words[] = {
		{ "yes", true }, { "true", true },   { "on", true },   { "1", true },
		{ "no", false }, { "false", false }, { "off", false }, { "0", false },
	};
	size_t at;

	for (at = 0; at < sizeof(words) / sizeof(words[0]); at++) {
		if (strcasecmp(words[at].text, value) == 0) {
			*field = words[at].value;
			return NULL;
		}
	}
	return "the value is neither yes nor no";
}

static const char *integer_set(const struct config_key *key, int64_t *field,
			       const char *value)
{
	bool negative = *value == '-';
	int64_t number = 0;
	const char *digit = value + (negative ? 1 : 0);

	if (!*digit)
		return "the value is not a whole number";
	for (; *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			return "the value is not a whole number";
		if (number <= key->most) /* else out of range; it must not overflow */
			number = number * 10 + (*digit - '0');
	}
	if (negative)
		number = -number;
	if (number < key->least || number > key->most)
		return "the value is out of range";
	*field = number;
	return NULL;
}

static const char *list_append(struct config_list *list, const char *value)
{
	if (list->count == CONFIG_LIST_MAX)
		return "the key stands too often, 8 times are the most";
	memcpy(list->items[list->count++], value, strlen(value) + 1);
	return NULL;
}

static const char *address_append(struct config_list *list, const char *value)
{
	struct address address;

	if (!address_parse(value, &address))
		return "the value is not an IP address with a port";
	return list_append(list, value);
}

const char *config_key_set(const struct config_key *key, struct config *config,
			   const char *value)
{
	void *field = config_key_field(key, config);
	const char *flaw = value_flaw(value);

	if (flaw)
		return flaw;
	switch (key->type) {
	case CONFIG_KEY_TEXT:
		memset(field, 0, CONFIG_TEXT_BYTES);
		memcpy(field, value, strlen(value));
		return NULL;
	case CONFIG_KEY_LIST:
		return list_append(field, value);
	case CONFIG_KEY_ADDRESS_LIST:
		return address_append(field, value);
	case CONFIG_KEY_BOOLEAN:
		return boolean_set(field, value);
	case CONFIG_KEY_INTEGER:
		return integer_set(key, field, value);
	}
	return NULL;
}

static bool is_initial(const struct config_key *key, const struct config *config,
		       const struct config *defaults)
{
	const struct config_list *list = key_present(key, config);
	const struct config_list *initial = key_present(key, defaults);

	switch (key->type) {
	case CONFIG_KEY_TEXT:
		return strcmp(key_present(key, config), key_present(key, defaults)) == 0;
	case CONFIG_KEY_LIST:
	case CONFIG_KEY_ADDRESS_LIST:
		return list->count == 0 ||
		       (list->count == 1 && initial->count == 1 &&
			strcmp(list->items[0], initial->items[0]) == 0);
	case CONFIG_KEY_BOOLEAN:
		return *(const bool *)key_present(key, config) ==
		       *(const bool *)key_present(key, defaults);
	case CONFIG_KEY_INTEGER:
		return *(const int64_t *)key_present(key, config) ==
		       *(const int64_t *)key_present(key, defaults);
	}
	return false;
}

static void print_list(const struct config_key *key, const struct config_list *list,
		       FILE *out)
{
	size_t at;

	for (at = 0; at < list->count; at++)
		fprintf(out, "%s = %s\n", key->name, list->items[at]);
}

static void value_print(const struct config_key *key, const struct config *config,
			FILE *out)
{
	const void *field = key_present(key, config);

	switch (key->type) {
	case CONFIG_KEY_TEXT:
		fprintf(out, "%s = %s\n", key->name, (const char *)field);
		return;
	case CONFIG_KEY_LIST:
	case CONFIG_KEY_ADDRESS_LIST:
		print_list(key, field, out);
		return;
	case CONFIG_KEY_BOOLEAN:
		fprintf(out, "%s = %s\n", key->name, *(const bool *)field ? "yes" : "no");
		return;
	case CONFIG_KEY_INTEGER:
		fprintf(out, "%s = %" PRId64 "\n", key->name, *(const int64_t *)field);
		return;
	}
}

static void write_list(const struct config_list *list, struct buffer *text_out)
{
	for (size_t at = 0; at < list->count; at++) {
		buffer_append(text_out, " ", at ? 1 : 0);
		buffer_append_text(text_out, list->items[at]);
	}
}

static void write_integer(int64_t value, struct buffer *text_out)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	buffer_append_text(text_out, text);
}

void config_key_write(const struct config_key *key, const struct config *config,
		      struct buffer *text_out)
{
	const void *field = key_present(key, config);

	switch (key->type) {
	case CONFIG_KEY_TEXT:
		buffer_append_text(text_out, field);
		return;
	case CONFIG_KEY_LIST:
	case CONFIG_KEY_ADDRESS_LIST:
		write_list(field, text_out);
		return;
	case CONFIG_KEY_BOOLEAN:
		buffer_append_text(text_out, *(const bool *)field ? "yes" : "no");
		return;
	case CONFIG_KEY_INTEGER:
		write_integer(*(const int64_t *)field, text_out);
		return;
	}
}

static void help_print(const struct config_key *key, FILE *out)
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

void config_key_print(const struct config_key *key, const struct config *config,
		      const struct config *defaults, FILE *out)
{
	help_print(key, out);
	if (!is_initial(key, config, defaults)) {
		value_print(key, config, out);
		return;
	}
	fprintf(out, "#%s = %s\n", key->name, key->initial ? key->initial : key->example);
}
