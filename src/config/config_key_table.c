/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of all keys. Help texts appear in --print-config and in etc/ofono-mcp.conf, which
 * a test compares with it; doc/ofono-mcp.conf.5 explains each key at length.
 */
#include "config/config_key.h"

#include <string.h>

/* Type and member of a key, and the limits of a number. */
#define TEXT(member)	     CONFIG_KEY_TEXT, offsetof(struct config, member)
#define LIST(member)	     CONFIG_KEY_LIST, offsetof(struct config, member)
#define ADDRESS_LIST(member) CONFIG_KEY_ADDRESS_LIST, offsetof(struct config, member)
#define BOOLEAN(member)	     CONFIG_KEY_BOOLEAN, offsetof(struct config, member)
#define INTEGER(member, least, most) \
	CONFIG_KEY_INTEGER, offsetof(struct config, member), least, most

/* Keys of one section stay together: sections are printed and listed once. */
const struct config_key config_key_table[CONFIG_KEY_COUNT] = {
	{ "server", "listen", ADDRESS_LIST(listen), .initial = "127.0.0.1:" PROGRAM_PORT,
	  .help = "ADDRESS:PORT to serve HTTP on; may be repeated. Addresses other than\n"
		  "loopback are opened once a client is paired, or may ask to be (pair_page)" },
	{ "server", "interfaces", LIST(interfaces), .live = true, .example = "wlan0 usb0",
	  .help = "Network interfaces to serve, separated by spaces; may be repeated.\n"
		  "Default: all except tunnels. Mobile data is never served" },
	{ "server", "tls_certificate", TEXT(tls_certificate),
	  .example = "/etc/" PROGRAM_NAME "/cert.pem",
	  .help = "PEM file with the HTTPS certificate and its chain. Default:\n"
		  "tls/cert.pem in state_dir, if it exists" },
	{ "server", "tls_key", TEXT(tls_key), .example = "/etc/" PROGRAM_NAME "/key.pem",
	  .help = "PEM file with its private key; must not be readable by everybody" },
	{ "server", "tls_loopback", BOOLEAN(tls_loopback), .initial = "no",
	  .help = "Use HTTPS on loopback addresses, too" },
	{ "server", "allowed_host", LIST(allowed_host), .live = true,
	  .example = "gateway.example.org",
	  .help = "Host name that clients may use, in addition to IP addresses, localhost\n"
		  "and this machine's names; may be repeated" },
	{ "server", "allowed_origin", LIST(allowed_origin), .live = true,
	  .example = "https://app.example.org",
	  .help = "Origin of web pages that may connect, in addition to those of this\n"
		  "machine; may be repeated" },
	{ "server", "hidden_tools", LIST(hidden_tools), .live = true,
	  .example = "cancel_sms mark_sms_read",
	  .help = "Tools that agents cannot see or call, separated by spaces; may be\n"
		  "repeated" },
	{ "server", "open", BOOLEAN(open), .initial = "no",
	  .help = "Serve without a token; only on loopback addresses" },
	{ "server", "advertise", BOOLEAN(advertise), .live = true, .initial = "no",
	  .help = "Advertise the gateway by multicast DNS (Avahi) on the local networks\n"
		  "that it serves" },
	{ "server", "pair_page", TEXT(pair_page), .live = true, .initial = "auto",
	  .help = "Whether computers may ask to be paired, on the page /pair. auto: on\n"
		  "loopback, with TLS, and while \"pair --wait\" runs; ask: always; no: never" },
	{ "server", "metrics_on_loopback", BOOLEAN(metrics_on_loopback), .live = true,
	  .initial = "no",
	  .help = "Let every program on this machine read /metrics without a token" },
	{ "server", "control_socket", TEXT(control_socket),
	  .example = "/run/" PROGRAM_NAME "/control",
	  .help = "UNIX socket for the owner's commands. Default: \"control\" in state_dir" },
	{ "server", "max_connections", INTEGER(max_connections, 1, 4096),
	  .initial = "256",
	  .help = "Maximum number of connections; when it is reached, connections without\n"
		  "a token are closed first" },
	{ "server", "max_connections_per_address",
	  INTEGER(max_connections_per_address, 1, 4096), .initial = "128",
	  .help = "Maximum number of connections from one IP address" },
	{ "server", "request_timeout_seconds", INTEGER(request_timeout_seconds, 1, 120),
	  .initial = "10", .help = "Time limit for receiving a whole request" },
	{ "server", "idle_timeout_seconds", INTEGER(idle_timeout_seconds, 1, 3600),
	  .initial = "60",
	  .help = "Time limit for the next request on an open connection" },
	{ "store", "state_dir", TEXT(state_dir), .initial = "/var/lib/" PROGRAM_NAME,
	  .help = "Directory of the message store" },
	{ "store", "keep_days", INTEGER(keep_days, 0, 36500), .live = true,
	  .initial = "0",
	  .help = "Delete messages older than this; 0 disables age-based deletion" },
	{ "store", "keep_messages", INTEGER(keep_messages, 0, 10000000), .live = true,
	  .initial = "100000",
	  .help = "Delete the oldest messages beyond this number; 0: no limit" },
	{ "store", "reserve_mib", INTEGER(reserve_mib, 0, 1048576), .live = true,
	  .initial = "16",
	  .help = "With less free disk space than this, accept no more outgoing messages,\n"
		  "so that incoming ones can still be stored; 0: no limit" },
	{ "store", "spool_dir", TEXT(spool_dir), .program = CONFIG_KEY_OF_GATEWAY,
	  .example = "/var/lib/" PROGRAM_NAME "/spool",
	  .help = "Directory in which the oFono plugin spools incoming messages. Default:\n"
		  "\"spool\" in state_dir" },
	{ "sim", "pin_file", TEXT(pin_file), .program = CONFIG_KEY_OF_GATEWAY,
	  .example = "/etc/" PROGRAM_NAME "/pins",
	  .help = "File with a line \"ICCID PIN\" for each SIM card to unlock automatically.\n"
		  "Nobody but root and the gateway's user may be able to read it" },
	{ "sim", "power_modems", BOOLEAN(power_modems), .program = CONFIG_KEY_OF_GATEWAY,
	  .initial = "no",
	  .help = "Switch each modem on and end flight mode once, when the modem or oFono\n"
		  "starts and nothing else does so; needs a D-Bus policy" },
	{ "sim", "phone_default", BOOLEAN(phone_default),
	  .program = CONFIG_KEY_OF_GATEWAY, .live = true, .initial = "no",
	  .help = "If a client names no SIM and several can send, use the one chosen in\n"
		  "the phone's settings, where oFono reports it" },
	{ "sms", "max_segments", INTEGER(max_segments, 1, 20), .live = true,
	  .initial = "3",
	  .help = "Maximum number of segments per message; each segment is billed" },
	{ "sms", "send_wait_seconds", INTEGER(send_wait_seconds, 0, 120), .live = true,
	  .initial = "30",
	  .help = "How long send_sms waits for the network before it answers \"queued\"" },
	{ "sms", "queue_limit", INTEGER(queue_limit, 1, 10000), .live = true,
	  .initial = "1000",
	  .help = "Maximum number of messages that wait to be submitted to oFono; paired\n"
		  "clients share it equally" },
	{ "sms", "duplicate_seconds", INTEGER(duplicate_seconds, 0, 3600), .live = true,
	  .initial = "60",
	  .help = "Do not send the same text to the same number from the same client again\n"
		  "within this time, unless it has an idempotency_key; 0: always send" },
	{ "sms", "stuck_seconds", INTEGER(stuck_seconds, 0, 3600), .initial = "270",
	  .help = "A registered modem is reported as stuck when it has a message for this\n"
		  "long, plus 30 seconds for each further segment; 0: never" },
	{ "sms", "elicitation_seconds", INTEGER(elicitation_seconds, 0, 3600),
	  .old_name = "ask_seconds", .initial = "45",
	  .help = "How long a waiting tool call waits for the user's answer (MCP 2025);\n"
		  "0: such calls never ask" },
	{ "sms", "delivery_reports", BOOLEAN(delivery_reports),
	  .program = CONFIG_KEY_OF_GATEWAY, .initial = "yes",
	  .help = "Request delivery reports from the network; some charge for them. With\n"
		  "\"no\", oFono's own setting stays as it is" },
	{ "sms", "segment_price", LIST(segment_price), .live = true,
	  .example = "EUR 0.09 +43=0.25 2=0.07 2/+43=0.19",
	  .help = "What a segment costs, with its currency, so that agents learn the cost of\n"
		  "a message; +43= is for that country, home= for the SIM's own, 2= for the\n"
		  "SIM with subscription_id 2, 2/+43= for both; may be repeated" },
	{ "policy", "approve_through_agent", BOOLEAN(approve_through_agent),
	  .old_name = "approve_through_client", .live = true, .initial = "yes",
	  .help = "Let the agent's user approve a message that needs approval, if the\n"
		  "agent can ask; no: only " PROGRAM_NAME " approve counts" },
	{ "policy", "approval_hours", INTEGER(approval_hours, 1, 720), .initial = "24",
	  .help = "A message waits this long for approval, then it expires" },
	{ "policy", "per_minute", INTEGER(policy.client.per_minute, 0, 10000),
	  .live = true, .initial = "10",
	  .help = "Maximum messages accepted from one client per minute; 0: no limit" },
	{ "policy", "per_hour", INTEGER(policy.client.per_hour, 0, 10000), .live = true,
	  .initial = "60",
	  .help = "Maximum messages accepted from one client per hour; 0: no limit" },
	{ "policy", "per_day", INTEGER(policy.client.per_day, 0, 10000), .live = true,
	  .initial = "200",
	  .help = "Maximum messages accepted from one client per 24 hours; 0: no limit" },
	{ "policy", "segments_per_month",
	  INTEGER(policy.client.segments_per_month, 0, 100000), .live = true,
	  .initial = "1000",
	  .help = "Maximum segments accepted from one client per calendar month; 0: no limit" },
	{ "policy", "sim_per_minute", INTEGER(policy.sim.per_minute, 0, 10000),
	  .live = true, .initial = "10",
	  .help = "Maximum messages submitted from one SIM per minute, for all clients\n"
		  "together; 0: no limit" },
	{ "policy", "sim_per_hour", INTEGER(policy.sim.per_hour, 0, 10000), .live = true,
	  .initial = "60",
	  .help = "Maximum messages submitted from one SIM per hour, for all clients\n"
		  "together; 0: no limit" },
	{ "policy", "sim_per_day", INTEGER(policy.sim.per_day, 0, 10000), .live = true,
	  .initial = "200",
	  .help = "Maximum messages submitted from one SIM per 24 hours, for all clients\n"
		  "together; 0: no limit" },
	{ "policy", "sim_segments_per_month",
	  INTEGER(policy.sim.segments_per_month, 0, 100000), .live = true,
	  .initial = "1000",
	  .help = "Maximum segments submitted from one SIM per calendar month, for all\n"
		  "clients together; 0: no limit" },
	{ "policy", "allow", LIST(policy.allow), .live = true,
	  .example = "+36201234567 +3630*",
	  .help = "The only phone numbers (or prefixes ending with *) that may receive\n"
		  "messages, separated by spaces; may be repeated. Default: all" },
	{ "policy", "deny", LIST(policy.deny), .live = true,
	  .example = "+36901234567 +3690*",
	  .help = "Phone numbers (or prefixes ending with *) that never receive messages;\n"
		  "may be repeated" },
	{ "policy", "countries", LIST(policy.countries), .live = true, .initial = "home",
	  .help = "home: only numbers of the sending SIM's country; any: all countries; or\n"
		  "prefixes such as +43, allowed in addition to home; may be repeated" },
	{ "policy", "premium", BOOLEAN(policy.premium), .live = true, .initial = "no",
	  .help = "Allow short codes and premium numbers; no: only those listed in full in\n"
		  "an allow list" },
	{ "policy", "quiet_hours", TEXT(policy.quiet_hours), .live = true,
	  .example = "22:00-07:00",
	  .help = "Accept no message that would be sent within these hours, local time" },
	{ "policy", "minimum_balance", LIST(policy.minimum_balance), .live = true,
	  .example = "500 2=10.50",
	  .help = "Accept no message for a SIM whose last known balance is below this;\n"
		  "2=10.50 is for the SIM with subscription_id 2. Needs balance_pattern;\n"
		  "may be repeated" },
	{ "policy", "balance_hours", INTEGER(policy.balance_hours, 1, 8760), .live = true,
	  .initial = "24",
	  .help = "Ignore a balance older than this for minimum_balance" },
	{ "ussd", "allow", LIST(ussd_allow), .live = true,
	  .example = "*100# (balance), *133*????# (top up with a voucher)",
	  .help = "The only USSD codes that agents may dial, separated by spaces or commas;\n"
		  "? stands for any digit. Agents read the purpose in parentheses. May be\n"
		  "repeated. Default: none, and agents have no tool send_ussd" },
	{ "ussd", "per_hour", INTEGER(ussd_per_hour, 1, 60), .live = true,
	  .initial = "10",
	  .help = "Maximum codes dialled per hour, for all agents and SIMs together" },
	{ "ussd", "replies", BOOLEAN(ussd_replies), .live = true, .initial = "no",
	  .help = "Let agents answer the network's questions after a code; an answer may\n"
		  "buy something. With \"no\" the gateway ends the dialogue" },
	{ "ussd", "balance_pattern", LIST(ussd_balance_pattern), .live = true,
	  .example = "*100# balance is ([-0-9., ]+) ?([A-Za-z]+)?",
	  .help = "A code, and a regular expression that finds the balance in its answer,\n"
		  "with a group around the amount and, if there is one, a group around the\n"
		  "currency; may be repeated" },
	{ "call", "place", BOOLEAN(policy.calls.place), .live = true, .initial = "no",
	  .help = "Let agents with the scope call place calls to numbers that [policy]\n"
		  "allows, and end their own calls" },
	{ "call", "max_seconds", INTEGER(policy.calls.max_seconds, 1, 1800), .live = true,
	  .initial = "120",
	  .help = "Maximum call length after dialling; calls are billed by the minute" },
	{ "call", "per_hour", INTEGER(policy.calls.per_hour, 1, 60), .live = true,
	  .initial = "4",
	  .help = "Maximum calls placed per hour, for all agents and SIMs together" },
	{ "call", "per_day", INTEGER(policy.calls.per_day, 1, 500), .live = true,
	  .initial = "20",
	  .help = "Maximum calls placed per 24 hours, for all agents and SIMs together" },
	{ "call", "hang_up_any", BOOLEAN(policy.calls.hang_up_any), .live = true,
	  .initial = "no",
	  .help = "Let an agent end calls that another agent placed; never anybody else's" },
	{ "incoming", "owner_numbers", LIST(owner_numbers), .live = true,
	  .example = "+36201234567, +36301234567",
	  .help = "The owner's own phone numbers, comma-separated: agents see which\n"
		  "messages are from them; may be repeated" },
	{ "incoming", "blocked_senders", LIST(blocked_senders), .live = true,
	  .example = "+3690*, +36201112233, Lottery",
	  .help = "Phone numbers and sender names, or beginnings followed by *,\n"
		  "comma-separated: their messages are stored but hidden from agents; may\n"
		  "be repeated" },
	{ "incoming", "stop_confirmation", TEXT(stop_confirmation), .live = true,
	  .example = "You will get no more messages from this number.",
	  .help = "Reply sent once to a number that texts STOP; it is billed. Default:\n"
		  "none" },
	{ "incoming", "loop_exchanges", INTEGER(loop_exchanges, 0, 50), .live = true,
	  .initial = "5",
	  .help = "Maximum replies to one number within loop_minutes that look like two\n"
		  "machines; the next one waits for your approval; 0: no limit" },
	{ "incoming", "loop_minutes", INTEGER(loop_minutes, 1, 1440), .live = true,
	  .initial = "10",
	  .help = "See loop_exchanges; a loop ends with your approval, or when no message\n"
		  "is exchanged for this long" },
	{ "agent", "owner_numbers", LIST(agent.owner_numbers), .live = true,
	  .example = "+36201234567, +36301234567",
	  .help = "Your own phone numbers, in international form, comma-separated: what they\n"
		  "text to this phone can be a command for an agent; may be repeated.\n"
		  "Default: none, so there are no commands. Anybody can forge a sender: see\n"
		  "code" },
	{ "agent", "word", TEXT(agent.word), .live = true, .initial = "agent",
	  .help = "Word with which a command begins; upper and lower case are the same" },
	{ "agent", "sim", INTEGER(agent.sim, 0, 1000000), .live = true, .initial = "0",
	  .help = "On the SIM with this subscription_id every message from you is a command,\n"
		  "with or without the word; 0: on none" },
	{ "agent", "code", TEXT(agent.code), .live = true, .initial = "none",
	  .help = "totp: a command counts only with a rolling code from your authenticator app,\n"
		  "right after the word or at the end: " PROGRAM_NAME
		  " agent enrol; none: the\n"
		  "sender alone counts, which anybody can forge" },
	{ "agent", "approvals", BOOLEAN(agent.approvals), .live = true, .initial = "no",
	  .help = "Text the first of your numbers when a message waits for approval, and let\n"
		  "it answer by SMS; needs code = totp. Each such text is billed" },
	{ "agent", "approvals_per_hour", INTEGER(agent.approvals_per_hour, 1, 60),
	  .live = true, .initial = "6",
	  .help = "Maximum number of messages announced by SMS per hour" },
	{ "agent", "approve_word", TEXT(agent.approve_word), .live = true,
	  .initial = "YES",
	  .help = "Word that approves, before the number and the code" },
	{ "agent", "reject_word", TEXT(agent.reject_word), .live = true, .initial = "NO",
	  .help = "Word that rejects" },
	{ "events", "receivers", LIST(event_receivers), .live = true,
	  .example = "https://hooks.example.org/agent",
	  .help = "URL that webhooks of agents may begin with, without your approval; also\n"
		  "on a private address or without TLS (http), which no other webhook may\n"
		  "use. May be repeated" },
	{ "contacts", "file", TEXT(contacts_file), .live = true,
	  .example = "/etc/" PROGRAM_NAME "/contacts.vcf",
	  .help = "vCard file of the owner's contacts, or a folder of such files: agents see\n"
		  "their names. It is read again when it changes, and never written" },
	{ "contacts", "desktop", BOOLEAN(contacts_of_desktop),
	  .program = CONFIG_KEY_OF_GATEWAY, .live = true, .initial = "yes",
	  .help = "Take the contacts that the owner's desktop sends, too" },
	{ "contacts", "sims", BOOLEAN(contacts_of_sims), .program = CONFIG_KEY_OF_GATEWAY,
	  .live = true, .initial = "yes", .help = "Read the contacts on SIM cards, too" },
	{ "log", "verbose", BOOLEAN(verbose), .live = true, .initial = "no",
	  .help = "Log every step, with full phone numbers" },
	{ "broker", "address", TEXT(broker_address), .program = CONFIG_KEY_OF_HUB,
	  .example = "127.0.0.1:1883",
	  .help = "HOST:PORT of the MQTT 5 broker that connects this hub with its phones" },
	{ "broker", "tls", BOOLEAN(broker_tls), .program = CONFIG_KEY_OF_HUB,
	  .initial = "no",
	  .help = "Connect to the broker with TLS; needed unless it runs on this machine" },
	{ "broker", "ca_file", TEXT(broker_ca_file), .program = CONFIG_KEY_OF_HUB,
	  .example = "/etc/mosquitto/ca.pem",
	  .help = "PEM file with the certificates to trust, also for phones: it is part of\n"
		  "their codes. Default: those of the system" },
	{ "broker", "user", TEXT(broker_user), .program = CONFIG_KEY_OF_HUB,
	  .initial = "hub", .help = "User name of the hub at the broker" },
	{ "broker", "password_file", TEXT(broker_password_file),
	  .program = CONFIG_KEY_OF_HUB,
	  .example = "/etc/" PROGRAM_NAME "/broker-password",
	  .help = "File whose first line is its password; must not be readable by everybody" },
	{ "broker", "prefix", TEXT(broker_prefix), .program = CONFIG_KEY_OF_HUB,
	  .initial = "ofono",
	  .help = "Beginning of all topics, so that several fleets can share a broker" },
	{ "broker", "phones_address", TEXT(broker_phones_address),
	  .program = CONFIG_KEY_OF_HUB, .example = "broker.example.org:8883",
	  .help = "HOST:PORT of the broker as phones reach it. Default: address" },
	{ "broker", "phones_tls", BOOLEAN(broker_phones_tls),
	  .program = CONFIG_KEY_OF_HUB, .initial = "yes",
	  .help = "Phones connect to the broker with TLS" },
};

const struct config_key *config_key_table_next(const struct config_key *key)
{
	const bool is_hub = strcmp(PROGRAM_NAME, "ofono-mcp-hub") == 0;
	const enum config_key_program other =
		is_hub ? CONFIG_KEY_OF_GATEWAY : CONFIG_KEY_OF_HUB;

	key = key ? key + 1 : config_key_table;
	while (key < config_key_table + CONFIG_KEY_COUNT && key->program == other)
		key++;
	return key < config_key_table + CONFIG_KEY_COUNT ? key : NULL;
}
