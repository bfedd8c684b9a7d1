/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_key.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define FIELD(field) offsetof(struct config, field)

/* Keys of one section stand together: the sections are printed and listed once. */
const struct config_key config_keys[CONFIG_KEY_COUNT] = {
	{ .section = "server",
	  .name = "listen",
	  .type = CONFIG_KEY_ADDRESS_LIST,
	  .offset = FIELD(listen),
	  .initial = "127.0.0.1:9531",
	  .help = "ADDRESS:PORT to serve HTTP on; may stand several times. Other than\n"
		  "loopback addresses are opened when a client is paired" },
	{ .section = "server",
	  .name = "interfaces",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(interfaces),
	  .live = true,
	  .example = "wlan0 usb0",
	  .help = "Network interfaces to serve, blanks between the names; may stand\n"
		  "several times. Without it all but tunnels; mobile data never is" },
	{ .section = "server",
	  .name = "tls_certificate",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(tls_certificate),
	  .example = "/etc/ofono-mcp/cert.pem",
	  .help = "PEM file of the certificate for HTTPS, with its chain; it is\n"
		  "tls/cert.pem in state_dir, where that is there, unless said "
		  "otherwise" },
	{ .section = "server",
	  .name = "tls_key",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(tls_key),
	  .example = "/etc/ofono-mcp/key.pem",
	  .help = "PEM file of its private key, which not everybody may read" },
	{ .section = "server",
	  .name = "tls_loopback",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(tls_loopback),
	  .initial = "no",
	  .help = "Speak HTTPS on loopback addresses, too" },
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
	  .name = "advertise",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(advertise),
	  .live = true,
	  .initial = "no",
	  .help = "Tell the local networks that are served of this gateway, by\n"
		  "multicast DNS through Avahi" },
	{ .section = "server",
	  .name = "metrics_on_loopback",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(metrics_on_loopback),
	  .live = true,
	  .initial = "no",
	  .help = "Let every program of this machine read /metrics without a token" },
	{ .section = "server",
	  .name = "control_socket",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(control_socket),
	  .example = "/run/ofono-mcp/control",
	  .help = "UNIX socket through which the owner's commands reach the gateway;\n"
		  "it is \"control\" in state_dir unless said otherwise" },
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
	{ .section = "sim",
	  .name = "pin_file",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(pin_file),
	  .example = "/etc/ofono-mcp/pins",
	  .help = "File with a line \"ICCID PIN\" for each SIM card that is to be\n"
		  "unlocked by itself; only root may be able to read it" },
	{ .section = "sim",
	  .name = "power_modems",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(power_modems),
	  .initial = "no",
	  .help = "Switch each modem on, and out of flight mode, when the gateway or\n"
		  "the modem starts, where nothing else does; needs a D-Bus policy" },
	{ .section = "sim",
	  .name = "phone_default",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(phone_default),
	  .live = true,
	  .initial = "no",
	  .help = "When a client names no SIM and several can send, use the one that is\n"
		  "chosen in the phone's settings, where oFono tells it" },
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
	  .name = "stuck_seconds",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(stuck_seconds),
	  .least = 0,
	  .most = 3600,
	  .initial = "270",
	  .help = "A registered modem that has a message this long, and 30 seconds more\n"
		  "for each further segment, is told as stuck; 0: never" },
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
	{ .section = "policy",
	  .name = "approve_through_client",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(approve_through_client),
	  .live = true,
	  .initial = "yes",
	  .help = "A message that needs a yes may get it from the person before an "
		  "agent\n"
		  "that can ask; no: only ofono-mcp approve counts" },
	{ .section = "policy",
	  .name = "approval_hours",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(approval_hours),
	  .least = 1,
	  .most = 720,
	  .initial = "24",
	  .help = "A message waits this long for the owner's yes and expires then" },
	{ .section = "policy",
	  .name = "per_minute",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.client.per_minute),
	  .live = true,
	  .least = 0,
	  .most = 10000,
	  .initial = "10",
	  .help = "Messages that one client may have accepted in any minute; 0: any\n"
		  "number" },
	{ .section = "policy",
	  .name = "per_hour",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.client.per_hour),
	  .live = true,
	  .least = 0,
	  .most = 10000,
	  .initial = "60",
	  .help = "The same in any hour" },
	{ .section = "policy",
	  .name = "per_day",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.client.per_day),
	  .live = true,
	  .least = 0,
	  .most = 10000,
	  .initial = "200",
	  .help = "The same in any 24 hours" },
	{ .section = "policy",
	  .name = "segments_per_month",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.client.segments_per_month),
	  .live = true,
	  .least = 0,
	  .most = 100000,
	  .initial = "1000",
	  .help = "Segments that one client may have accepted in a month of the\n"
		  "calendar; 0: any number" },
	{ .section = "policy",
	  .name = "sim_per_minute",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.sim.per_minute),
	  .live = true,
	  .least = 0,
	  .most = 10000,
	  .initial = "10",
	  .help = "Messages that one SIM may send in any minute, for all clients; 0:\n"
		  "any number" },
	{ .section = "policy",
	  .name = "sim_per_hour",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.sim.per_hour),
	  .live = true,
	  .least = 0,
	  .most = 10000,
	  .initial = "60",
	  .help = "The same in any hour" },
	{ .section = "policy",
	  .name = "sim_per_day",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.sim.per_day),
	  .live = true,
	  .least = 0,
	  .most = 10000,
	  .initial = "200",
	  .help = "The same in any 24 hours" },
	{ .section = "policy",
	  .name = "sim_segments_per_month",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.sim.segments_per_month),
	  .live = true,
	  .least = 0,
	  .most = 100000,
	  .initial = "1000",
	  .help = "Segments that one SIM may send in a month of the calendar, for all\n"
		  "clients; 0: any number" },
	{ .section = "policy",
	  .name = "allow",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(policy.allow),
	  .live = true,
	  .example = "+36201234567 +3630*",
	  .help = "The only numbers, or prefixes that end with *, that may be written "
		  "to,\n"
		  "blanks between them; may stand several times; none: all" },
	{ .section = "policy",
	  .name = "deny",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(policy.deny),
	  .live = true,
	  .example = "+36901234567 +3690*",
	  .help = "Numbers, or prefixes that end with *, that are never written to; may\n"
		  "stand several times" },
	{ .section = "policy",
	  .name = "countries",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(policy.countries),
	  .live = true,
	  .initial = "home",
	  .help = "home: only numbers of the country of the SIM that sends; any: of "
		  "all;\n"
		  "or prefixes such as +43 that are allowed besides home; may stand\n"
		  "several times" },
	{ .section = "policy",
	  .name = "premium",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(policy.premium),
	  .live = true,
	  .initial = "no",
	  .help = "Let short codes and numbers be written to that may cost extra; with\n"
		  "\"no\" only those that stand in full in an allow list" },
	{ .section = "policy",
	  .name = "quiet_hours",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(policy.quiet_hours),
	  .live = true,
	  .example = "22:00-07:00",
	  .help = "Nothing is accepted that would go out within these hours of the\n"
		  "phone's local time" },
	{ .section = "policy",
	  .name = "minimum_balance",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(policy.minimum_balance),
	  .live = true,
	  .example = "500 2=10.50",
	  .help = "Nothing is accepted from a SIM whose balance, as it was read last, "
		  "is\n"
		  "below this; 2=10.50 is of the SIM with subscription_id 2; see\n"
		  "balance_pattern; may stand several times" },
	{ .section = "policy",
	  .name = "balance_hours",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.balance_hours),
	  .live = true,
	  .least = 1,
	  .most = 8760,
	  .initial = "24",
	  .help = "A balance that was read longer ago is not held against "
		  "minimum_balance" },
	{ .section = "ussd",
	  .name = "allow",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(ussd_allow),
	  .live = true,
	  .example = "*100# *133*????#",
	  .help = "The only USSD codes that agents may dial, blanks between them; ?\n"
		  "stands for any digit; may stand several times; none: agents have\n"
		  "no send_ussd" },
	{ .section = "ussd",
	  .name = "per_hour",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(ussd_per_hour),
	  .live = true,
	  .least = 1,
	  .most = 60,
	  .initial = "10",
	  .help = "Codes that are dialled in any hour, for all agents and SIMs" },
	{ .section = "ussd",
	  .name = "replies",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(ussd_replies),
	  .live = true,
	  .initial = "no",
	  .help = "Let agents answer what the network asks after such a code; that may\n"
		  "buy something. With \"no\" the gateway breaks off" },
	{ .section = "ussd",
	  .name = "balance_pattern",
	  .type = CONFIG_KEY_LIST,
	  .offset = FIELD(ussd_balance_pattern),
	  .live = true,
	  .example = "*100# balance is ([-0-9., ]+) ?([A-Za-z]+)?",
	  .help = "A code, and where in its answer the balance stands: a regular "
		  "expression\n"
		  "with a group for the amount, and one for the currency if there is "
		  "any;\n"
		  "may stand several times" },
	{ .section = "call",
	  .name = "place",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(policy.calls.place),
	  .live = true,
	  .initial = "no",
	  .help = "Let agents with the scope call place calls, to numbers that [policy]\n"
		  "lets be written to, and end those that they placed" },
	{ .section = "call",
	  .name = "max_seconds",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.calls.most_seconds),
	  .live = true,
	  .least = 1,
	  .most = 1800,
	  .initial = "120",
	  .help = "So long after it was dialled a call is hung up; it is paid by the\n"
		  "minute" },
	{ .section = "call",
	  .name = "per_hour",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.calls.per_hour),
	  .live = true,
	  .least = 1,
	  .most = 60,
	  .initial = "4",
	  .help = "Calls that are placed in any hour, for all agents and SIMs" },
	{ .section = "call",
	  .name = "per_day",
	  .type = CONFIG_KEY_INTEGER,
	  .offset = FIELD(policy.calls.per_day),
	  .live = true,
	  .least = 1,
	  .most = 500,
	  .initial = "20",
	  .help = "The same in any 24 hours" },
	{ .section = "call",
	  .name = "hang_up_any",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(policy.calls.hang_up_any),
	  .live = true,
	  .initial = "no",
	  .help = "Let an agent end a call that another agent placed; nobody's else,\n"
		  "ever" },
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
	{ .section = "contacts",
	  .name = "file",
	  .type = CONFIG_KEY_TEXT,
	  .offset = FIELD(contacts_file),
	  .live = true,
	  .example = "/etc/ofono-mcp/contacts.vcf",
	  .help = "vCard file of the people whom the owner knows: agents see their\n"
		  "names; it is read again with the configuration, never written" },
	{ .section = "contacts",
	  .name = "sims",
	  .type = CONFIG_KEY_BOOLEAN,
	  .offset = FIELD(contacts_of_sims),
	  .live = true,
	  .initial = "yes",
	  .help = "Read the contacts on SIM cards, too" },
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
	char known[384] = "";
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

bool config_key_is_list(const struct config_key *key)
{
	return key->type == CONFIG_KEY_LIST || key->type == CONFIG_KEY_ADDRESS_LIST;
}
