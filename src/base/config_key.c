/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_key.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/address.h"
#include "base/utf8.h"

#define FIELD(field) offsetof(struct config, field)

/* Keys of one section stand together: the sections are printed and listed once. */
const struct config_key config_keys[CONFIG_KEY_COUNT] = {
	{ .section = "server",
	  .name = "listen",
	  .type = CONFIG_KEY_ADDRESS_LIST,
	  .offset = FIELD(listen),
	  .initial = "127.0.0.1:9531",
	  .help = "ADDRESS:PORT to serve HTTP on; may stand several times" },
	{ .section = "server",
	  .name = "allowed_host",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(allowed_host),
	  .live = true,
	  .example = "gateway.example.org",
	  .help = "Host name that clients may use besides IP addresses, localhost\n"
		  "and this machine's own; may stand several times" },
	{ .section = "server",
	  .name = "allowed_origin",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(allowed_origin),
	  .live = true,
	  .example = "https://app.example.org",
	  .help = "Origin of web pages that may connect besides those of this\n"
		  "machine; may stand several times" },
	{ .section = "server",
	  .name = "hidden_tools",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(hidden_tools),
	  .live = true,
	  .example = "cancel_sms mark_sms_read",
	  .help = "Tools that agents are not offered, blanks between the names; may\n"
		  "stand several times" },
	{ .section = "server",
	  .name = "open",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(open),
	  .initial = "no",
	  .help = "Serve without a token; only on loopback addresses" },
	{ .section = "server",
	  .name = "max_connections",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(max_connections),
	  .least = 1,
	  .most = 4096,
	  .initial = "256",
	  .help = "Connections at the same time" },
	{ .section = "server",
	  .name = "max_connections_per_address",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(max_connections_per_address),
	  .least = 1,
	  .most = 4096,
	  .initial = "128",
	  .help = "Connections at the same time from one IP address" },
	{ .section = "server",
	  .name = "request_timeout_seconds",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(request_timeout_seconds),
	  .least = 1,
	  .most = 120,
	  .initial = "10",
	  .help = "Time for a request to arrive whole" },
	{ .section = "server",
	  .name = "idle_timeout_seconds",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(idle_timeout_seconds),
	  .least = 1,
	  .most = 3600,
	  .initial = "60",
	  .help = "Time for a kept connection to ask again" },
	{ .section = "store",
	  .name = "state_dir",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(state_dir),
	  .initial = "/var/lib/ofono-mcp",
	  .help = "Directory of the message store" },
	{ .section = "store",
	  .name = "keep_days",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(keep_days),
	  .live = true,
	  .least = 0,
	  .most = 36500,
	  .initial = "0",
	  .help = "Messages older than this are removed; 0: for their age none is" },
	{ .section = "store",
	  .name = "keep_messages",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(keep_messages),
	  .live = true,
	  .least = 0,
	  .most = 10000000,
	  .initial = "100000",
	  .help = "When there are more than this the oldest are removed; 0: any\n"
		  "number is kept" },
	{ .section = "store",
	  .name = "reserve_mib",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(reserve_mib),
	  .live = true,
	  .least = 0,
	  .most = 1048576,
	  .initial = "16",
	  .help = "With less than this many MiB left on the disk nothing more is\n"
		  "accepted to be sent, so that what comes in finds room; 0: no limit" },
	{ .section = "store",
	  .name = "spool_dir",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(spool_dir),
	  .example = "/var/lib/ofono-mcp/spool",
	  .help = "Directory into which the plugin of oFono spools what comes in; it is\n"
		  "\"spool\" in state_dir unless said otherwise" },
	{ .section = "sms",
	  .name = "max_segments",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(max_segments),
	  .live = true,
	  .least = 1,
	  .most = 20,
	  .initial = "3",
	  .help = "Segments of the longest message that is sent; each one is paid for" },
	{ .section = "sms",
	  .name = "send_wait_seconds",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(send_wait_seconds),
	  .live = true,
	  .least = 0,
	  .most = 120,
	  .initial = "30",
	  .help = "send_sms waits this long for the network before it answers "
		  "\"queued\"" },
	{ .section = "sms",
	  .name = "queue_limit",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(queue_limit),
	  .live = true,
	  .least = 1,
	  .most = 10000,
	  .initial = "1000",
	  .help = "Messages that may wait to be handed to oFono" },
	{ .section = "sms",
	  .name = "duplicate_seconds",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(duplicate_seconds),
	  .live = true,
	  .least = 0,
	  .most = 3600,
	  .initial = "60",
	  .help = "The same text to the same number by the same client within this\n"
		  "time is not sent again unless it has an idempotency_key; 0: never" },
	{ .section = "sms",
	  .name = "ask_seconds",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(ask_seconds),
	  .least = 0,
	  .most = 3600,
	  .initial = "300",
	  .help = "A person who is asked while a call waits (MCP of 2025) may think "
		  "this\n"
		  "long; 0: nobody is asked then" },
	{ .section = "sms",
	  .name = "delivery_reports",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(delivery_reports),
	  .initial = "yes",
	  .help = "Ask the network to report delivery; some charge for it. With \"no\"\n"
		  "oFono's own setting is left as it is" },
	{ .section = "incoming",
	  .name = "owner_numbers",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(owner_numbers),
	  .live = true,
	  .example = "+36201234567, +36301234567",
	  .help = "The owner's own numbers, commas between them: agents see that a\n"
		  "message is from one of them; may stand several times" },
	{ .section = "incoming",
	  .name = "blocked_senders",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(blocked_senders),
	  .live = true,
	  .example = "+3690*, +36201112233, Lottery",
	  .help = "Numbers, names, or how they begin with a * behind it, commas between\n"
		  "them: their messages are stored, and no agent is told of one; may\n"
		  "stand several times" },
	{ .section = "incoming",
	  .name = "stop_confirmation",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(stop_confirmation),
	  .live = true,
	  .example = "You will get no more messages from this number.",
	  .help = "Sent once to a number from which STOP comes, and paid for;\n"
		  "unless set nothing is sent" },
	{ .section = "incoming",
	  .name = "loop_exchanges",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(loop_exchanges),
	  .live = true,
	  .least = 0,
	  .most = 50,
	  .initial = "5",
	  .help = "So many messages of one number may be answered within loop_minutes;\n"
		  "more are taken for two machines that answer each other; 0: never" },
	{ .section = "incoming",
	  .name = "loop_minutes",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(loop_minutes),
	  .live = true,
	  .least = 1,
	  .most = 1440,
	  .initial = "10",
	  .help = "See loop_exchanges; a loop is over when nothing came or went\n"
		  "for this long" },
	{ .section = "log",
	  .name = "verbose",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(verbose),
	  .live = true,
	  .initial = "no",
	  .help = "Log every step, with whole phone numbers" },
};

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
		if (strcmp(config_keys[at].section, section) == 0)
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
		if (at > 0 && config_keys[at].section == config_keys[at - 1].section)
			continue;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s[%s]",
					 used ? ", " : "", config_keys[at].section);
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
	char known[256] = "";
	size_t used = 0;
	size_t at;

	for (at = 0; at < CONFIG_KEY_COUNT; at++) {
		if (strcmp(config_keys[at].section, section) != 0)
			continue;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", config_keys[at].name);
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
		if (strcmp(config_keys[at].section, section) == 0 &&
		    strcmp(config_keys[at].name, name) == 0)
			return &config_keys[at];
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

static const void *key_present(const struct config_key *key, const struct config *config)
{
	return (const char *)config + key->offset;
}

bool config_key_is_list(const struct config_key *key)
{
	return key->type == CONFIG_KEY_LIST || key->type == CONFIG_KEY_ADDRESS_LIST;
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

static bool is_initial(const struct config_key *key, const struct config *config)
{
	struct config defaults;
	const struct config_list *list = key_present(key, config);
	const struct config_list *initial;

	config_defaults(&defaults);
	initial = key_present(key, &defaults);
	switch (key->type) {
	case CONFIG_KEY_TEXT:
		return strcmp(key_present(key, config), key_present(key, &defaults)) == 0;
	case CONFIG_KEY_LIST:
	case CONFIG_KEY_ADDRESS_LIST:
		return list->count == 0 ||
		       (list->count == 1 && initial->count == 1 &&
			strcmp(list->items[0], initial->items[0]) == 0);
	case CONFIG_KEY_BOOLEAN:
		return *(const bool *)key_present(key, config) ==
		       *(const bool *)key_present(key, &defaults);
	case CONFIG_KEY_INTEGER:
		return *(const int64_t *)key_present(key, config) ==
		       *(const int64_t *)key_present(key, &defaults);
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
		      FILE *out)
{
	help_print(key, out);
	if (!is_initial(key, config)) {
		value_print(key, config, out);
		return;
	}
	fprintf(out, "#%s = %s\n", key->name, key->initial ? key->initial : key->example);
}
