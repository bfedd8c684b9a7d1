/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp status, sim list, sim balance: the state of the gateway on one page, and parts of it;
 * pause, resume, reload: commands that change the whole gateway.
 *
 * Each part of the page has a label in the first column. An answer that lacks a member
 * prints as if it were empty, so that a newer or older gateway can be asked.
 */
#include <stdio.h>
#include <string.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "fleet/link_config.h"

enum {
	LABEL_COLUMNS = 10,
	LABEL_BYTES = 32,
	LOW_SHARE = 4,
	LINK_BYTES = 4096,
	LINK_ARENA_MAX = 32 * 1024,
};

/* sim list */

static const char cmd_status_sims_help[] =
	"Usage: " PROGRAM_NAME " sim list [OPTION]...\n"
	"List the SIM cards with their IDs, which --sim takes: whether each can send now,\n"
	"operator, slot, phone number and signal.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as JSON: what "
	"get_sms_subscriptions returns to agents\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

/* Prints "SIM 1     ready: Telekom HU, slot 0, +36201234567, signal 60 %, roaming" */
static void cmd_status_print_sim(const struct json *sim)
{
	enum terminal_colour colour =
		json_field_is_true(sim, "can_send") ? COLOUR_GOOD : COLOUR_BAD;
	const char *name = json_field_text(sim, "display_name");
	const char *number = json_field_text(sim, "own_number");
	const char *signal = json_field_text(sim, "signal_percent");
	char head[LABEL_BYTES];

	snprintf(head, sizeof(head), "SIM %s ", json_field_text(sim, "subscription_id"));
	printf("%-*s", LABEL_COLUMNS, head);
	printf("%s%s%s: ", terminal_colour_on(colour), json_field_text(sim, "state"),
	       terminal_colour_off());
	terminal_print_escaped(stdout, *name ? name : "no name");
	printf(", slot %s", json_field_text(sim, "sim_slot_index"));
	if (*number)
		printf(", %s", number);
	if (strcmp(signal, "0") != 0)
		printf(", signal %s %%", signal);
	if (json_field_is_true(sim, "default"))
		fputs(", default for sending", stdout);
	puts(json_field_is_true(sim, "roaming") ? ", roaming" : "");
}

static int cmd_status_print_sims(const struct owner_command_call *call,
				 const struct json *sims)
{
	const struct json *list = json_field_list(sims, "subscriptions");

	if (!list->count)
		puts("No SIM card is known. To see the modems: " PROGRAM_NAME " modem");
	json_foreach (sim, list)
		cmd_status_print_sim(sim);
	return EXIT_CODE_OK;
}

const struct command cmd_sims = {
	.name = "sims",
	.title = "sim list",
	.group = COMMAND_SIMS,
	.summary = "list the SIM cards",
	.example = "sim list",
	.owner = {
		.help = cmd_status_sims_help,
		.print = cmd_status_print_sims,
		.request = "status",
		.member = "sims",
	},
};

/* sim balance */

static const char cmd_status_balance_help[] =
	"Usage: " PROGRAM_NAME " sim balance [OPTION]...\n"
	"List the SIM balances that agents last read with send_ussd, by the gateway's\n"
	"balance_pattern. Nothing is dialled.\n"
	"\n"
	"  --forget ID      delete the balance of the SIM with this subscription_id, so\n"
	"                   that it no longer prevents sending\n" OPTIONS_STORE_HELP
	"  --json           as a JSON object\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static void cmd_status_print_balance(const struct json *balance)
{
	bool is_low = json_field_is_true(balance, "is_low");
	const char *currency = json_field_text(balance, "currency");

	fputs(is_low ? terminal_colour_on(COLOUR_BAD) : "", stdout);
	printf("%s%s", json_field_text(balance, "amount"), *currency ? " " : "");
	terminal_print_escaped(stdout, currency);
	printf("%s of SIM %s, read %s with %s", is_low ? terminal_colour_off() : "",
	       json_field_text(balance, "subscription_id"),
	       terminal_when(json_field_text(balance, "read_at")).text,
	       json_field_text(balance, "code"));
	if (is_low)
		printf("; below %s nothing is sent until %s",
		       json_field_text(balance, "minimum"),
		       terminal_time(json_field_text(balance, "counts_until")).text);
	putchar('\n');
}

static int cmd_status_print_balances(const struct owner_command_call *call,
				     const struct json *result)
{
	const struct json *balances = json_field_list(result, "balances");
	const char *forgotten = json_field_text(result, "forgotten");

	if (*forgotten)
		printf("The balance of SIM %s is deleted.\n", forgotten);
	else if (!balances->count)
		puts("No balance is known.");
	json_foreach (balance, balances)
		cmd_status_print_balance(balance);
	return EXIT_CODE_OK;
}

static const struct owner_command_option cmd_status_balance_options[] = {
	{ .name = "forget", .is_number = true },
	{ NULL },
};

const struct command cmd_balance = {
	.name = "balance",
	.title = "sim balance",
	.group = COMMAND_SIMS,
	.summary = "list the known balances of SIMs, or delete one",
	.example = "sim balance --forget 1",
	.owner = {
		.help = cmd_status_balance_help,
		.options = cmd_status_balance_options,
		.print = cmd_status_print_balances,
	},
};

/* status */

#define OFONO "oFono "

static const char cmd_status_help[] =
	"Usage: " PROGRAM_NAME " status [OPTION]...\n"
	"Show gateway status: whether a message could be sent now and if not, why; the\n"
	"SIMs, waiting messages, the offline gaps of the last 7 days, the paired agents,\n"
	"and each limit with a quarter or less left.\n"
	"\n" OPTIONS_STORE_HELP
	"  --json           as a JSON object: what get_gateway_status returns to agents,\n"
	"                   plus version, advertised, advertisement, waiting_approval,\n"
	"                   clients and agent\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run; if it does not, try \"" PROGRAM_NAME " doctor\".\n"
	"Exit codes: 0 shown; 1 failed; 2 wrong options.\n";

static void cmd_status_print_label(const char *name)
{
	printf("%-*s", LABEL_COLUMNS, name);
}

static void cmd_status_print_sending(const struct json *status)
{
	cmd_status_print_label("sending");
	if (json_field_is_true(status, "paused"))
		printf("%spaused%s; to resume: " PROGRAM_NAME " resume\n",
		       terminal_colour_on(COLOUR_WARNING), terminal_colour_off());
	else if (json_field_is_true(status, "can_send"))
		printf("%scan send now%s\n", terminal_colour_on(COLOUR_GOOD),
		       terminal_colour_off());
	else
		printf("%scannot send now%s: %s\n", terminal_colour_on(COLOUR_BAD),
		       terminal_colour_off(), json_field_text(status, "why_not"));
}

/* Prints nothing if it is not wanted, which the owner knows. */
static void cmd_status_print_advertisement(const struct json *status)
{
	bool advertised = json_field_is_true(status, "advertised");

	if (strcmp(json_field_text(status, "advertisement"), "advertise = no") == 0)
		return;
	cmd_status_print_label("mDNS");
	printf("%s%s\n", advertised ? "advertised as " : "not advertised: ",
	       json_field_text(status, "advertisement"));
}

static void cmd_status_print_ofono(const struct json *status)
{
	enum terminal_colour colour =
		json_field_is_true(status, "ofono_available") ? COLOUR_GOOD : COLOUR_BAD;
	const char *words = json_field_text(status, "ofono");

	if (strncmp(words, OFONO, strlen(OFONO)) == 0)
		words += strlen(OFONO); /* the label says it already */
	cmd_status_print_label("oFono");
	printf("%s%s%s\n", terminal_colour_on(colour), words, terminal_colour_off());
}

static void cmd_status_print_warnings(const struct json *modems)
{
	json_foreach (modem, modems) {
		if (!*json_field_text(modem, "warning"))
			continue;
		cmd_status_print_label("");
		printf("%smodem %s: %s%s\n", terminal_colour_on(COLOUR_WARNING),
		       json_field_text(modem, "modem"), json_field_text(modem, "warning"),
		       terminal_colour_off());
	}
}

static bool cmd_status_is_full(const struct json *queue)
{
	int64_t waiting = 0, most = 0;

	json_integer(json_member(queue, "waiting"), &waiting);
	json_integer(json_member(queue, "limit"), &most);
	return waiting * LOW_SHARE >= most * (LOW_SHARE - 1);
}

static void cmd_status_print_queue(const struct json *status)
{
	const struct json *queue = json_member(status, "queue");
	const char *queued = json_field_text(queue, "waiting");
	const char *unstored = json_field_text(queue, "unstored_received");
	const char *waiting = json_field_text(status, "waiting_approval");

	cmd_status_print_label("queue");
	printf("%s waiting to be sent", strcmp(queued, "0") ? queued : "none");
	if (cmd_status_is_full(queue))
		printf("; the limit is %s", json_field_text(queue, "limit"));
	putchar('\n');
	if (strcmp(unstored, "0") != 0) {
		cmd_status_print_label("");
		printf("%s%s incoming messages not stored yet%s\n",
		       terminal_colour_on(COLOUR_BAD), unstored, terminal_colour_off());
	}
	cmd_status_print_label("approvals");
	if (strcmp(waiting, "0") == 0)
		puts("none waiting");
	else
		printf("%s%s waiting for your approval%s: " PROGRAM_NAME " approvals\n",
		       terminal_colour_on(COLOUR_WARNING), waiting,
		       terminal_colour_off());
}

/* Prints "sms.received of laptop to https://hooks.example: suspended (timeout)" */
static void cmd_status_print_suspended(const struct json *webhook)
{
	const char *next = json_field_text(webhook, "next_attempt");

	printf("%s%s of ", terminal_colour_on(COLOUR_WARNING),
	       json_field_text(webhook, "type"));
	terminal_print_escaped(stdout, json_field_text(webhook, "client"));
	printf(" to %s: suspended (%s)%s%s%s\n", json_field_text(webhook, "receiver"),
	       json_field_text(webhook, "last_error"), *next ? ", next attempt " : "",
	       *next ? terminal_when(next).text : "", terminal_colour_off());
}

static void cmd_status_print_webhooks(const struct json *status)
{
	const struct json *webhooks = json_member(status, "webhooks");
	const char *held = json_field_text(webhooks, "held");

	if (strcmp(json_field_text(webhooks, "subscriptions"), "0") == 0)
		return;
	cmd_status_print_label("webhooks");
	printf("%s, of which %s deliver an event now\n",
	       json_field_text(webhooks, "subscriptions"),
	       json_field_text(webhooks, "delivering"));
	if (*held) {
		cmd_status_print_label("");
		printf("%sdeliveries wait: %s%s\n", terminal_colour_on(COLOUR_BAD), held,
		       terminal_colour_off());
	}
	json_foreach (one, json_field_list(webhooks, "suspended")) {
		cmd_status_print_label("");
		cmd_status_print_suspended(one);
	}
}

/* Is a quarter or less left? */
static bool cmd_status_is_low(const struct json *limit)
{
	int64_t left = 0, most = 0;

	json_integer(json_member(limit, "left"), &left);
	json_integer(json_member(limit, "limit"), &most);
	return left * LOW_SHARE <= most;
}

static void cmd_status_print_limit(const struct json *limit)
{
	const char *sim = json_field_text(limit, "subscription_id");
	const char *frees_at = json_field_text(limit, "frees_at");
	const char *unit = json_field_text(limit, "per");
	bool is_budget = strcmp(unit, "month") == 0;

	printf("%s of %s %s a%s %s left", json_field_text(limit, "left"),
	       json_field_text(limit, "limit"), is_budget ? "segments" : "messages",
	       strcmp(unit, "hour") ? "" : "n", unit);
	if (*sim)
		printf(" for SIM %s", sim);
	if (*frees_at)
		printf(", more %s", terminal_when(frees_at).text);
	putchar('\n');
}

static void cmd_status_print_gap(const struct json *gap)
{
	const char *until = json_field_text(gap, "until");

	printf("%s until %s (%s)\n", terminal_time(json_field_text(gap, "from")).text,
	       *until ? terminal_time(until).text : "now",
	       json_field_text(gap, "reason"));
}

/* Prints "laptop: 3 of 60 an hour, 0 of 200 a day (more in 22 s)", of what is low */
static void cmd_status_print_usage(const struct json *client)
{
	bool is_first = true;

	terminal_print_escaped(stdout, json_field_text(client, "name"));
	json_foreach (limit, json_field_list(client, "usage")) {
		const char *unit = json_field_text(limit, "per");
		bool is_budget = strcmp(unit, "month") == 0;
		bool is_used_up = strcmp(json_field_text(limit, "left"), "0") == 0;

		if (!cmd_status_is_low(limit))
			continue;
		printf("%s%s%s of %s%s a%s %s%s", is_first ? ": " : ", ",
		       is_used_up ? terminal_colour_on(COLOUR_BAD) : "",
		       json_field_text(limit, "left"), json_field_text(limit, "limit"),
		       is_budget ? " segments" : "", strcmp(unit, "hour") ? "" : "n",
		       unit, is_used_up ? terminal_colour_off() : "");
		if (is_used_up)
			printf(" (more %s)",
			       terminal_when(json_field_text(limit, "frees_at")).text);
		is_first = false;
	}
	putchar('\n');
}

static bool cmd_status_has_low(const struct json *client)
{
	json_foreach (limit, json_field_list(client, "usage")) {
		if (cmd_status_is_low(limit))
			return true;
	}
	return false;
}

/*
 * Prints one line for each row that `is_shown` accepts (all if it is NULL), the first with the
 * label.
 */
static void cmd_status_print_rows(const char *label, const struct json *rows,
				  bool (*is_shown)(const struct json *row),
				  void (*print)(const struct json *row))
{
	json_foreach (row, rows) {
		if (is_shown && !is_shown(row))
			continue;
		cmd_status_print_label(label);
		print(row);
		label = "";
	}
}

/* What ofono-mcp-link shows of itself; nothing if it does not run. */
static void cmd_status_print_link(void)
{
	struct arena *arena = arena_new(LINK_ARENA_MAX);
	FILE *file = fopen(LINK_CONFIG_STATE_PATH, "re");
	char text[LINK_BYTES];
	const struct json *state = NULL;

	if (file && arena)
		state = json_field_parse(arena, text, fread(text, 1, sizeof(text), file));
	if (state) {
		cmd_status_print_label("link");
		terminal_print_escaped(stdout, json_field_text(state, "state"));
		fputs(" as ", stdout);
		terminal_print_escaped(stdout, json_field_text(state, "phone"));
		fputs(", broker ", stdout);
		terminal_print_escaped(stdout, json_field_text(state, "broker"));
		if (*json_field_text(state, "why")) {
			fputs(": ", stdout);
			terminal_print_escaped(stdout, json_field_text(state, "why"));
		}
		putchar('\n');
	}
	if (file)
		fclose(file);
	arena_free(arena);
}

static int cmd_status_print(const struct owner_command_call *call,
			    const struct json *status)
{
	const struct json *clients = json_field_list(status, "clients");
	const struct json *sims =
		json_field_list(json_member(status, "sims"), "subscriptions");

	cmd_status_print_label("gateway");
	printf("running, version %s\n", json_field_text(status, "version"));
	cmd_status_print_sending(status);
	cmd_status_print_ofono(status);
	if (!sims->count) {
		cmd_status_print_label("SIMs");
		puts("none");
	}
	json_foreach (sim, sims)
		cmd_status_print_sim(sim);
	cmd_status_print_warnings(json_field_list(status, "modems"));
	json_foreach (balance, json_field_list(status, "balances")) {
		cmd_status_print_label("balance");
		cmd_status_print_balance(balance);
	}
	cmd_status_print_advertisement(status);
	cmd_status_print_link();
	cmd_status_print_queue(status);
	cmd_status_print_webhooks(status);
	cmd_status_print_rows("commands",
			      json_field_list(json_member(status, "agent"), "numbers"),
			      NULL, cmd_agent_print_number);
	cmd_status_print_rows("limits", json_field_list(status, "limits"),
			      cmd_status_is_low, cmd_status_print_limit);
	cmd_status_print_rows("offline", json_field_list(status, "gaps"), NULL,
			      cmd_status_print_gap);
	putchar('\n');
	client_table_print(clients);
	cmd_status_print_rows("left", clients, cmd_status_has_low,
			      cmd_status_print_usage);
	return EXIT_CODE_OK;
}

const struct command cmd_status = {
	.name = "status",
	.group = COMMAND_MAINTENANCE,
	.summary = "show gateway status",
	.example = "status",
	.owner = {
		.help = cmd_status_help,
		.print = cmd_status_print,
	},
};

#define PAUSE_OPTIONS_HELP                                                \
	"\n" OPTIONS_STORE_HELP                                           \
	"  --json           print the result as JSON\n" OPTIONS_HELP_HELP \
	"\nExit codes: 0 done; 1 failed; 2 wrong options.\n"

/* pause, resume */

static const char cmd_status_pause_help[] =
	"Usage: " PROGRAM_NAME " pause [OPTION]...\n"
	"Stop all sending until \"" PROGRAM_NAME
	" resume\", even across a restart. Incoming\n"
	"messages are still received and stored.\n" PAUSE_OPTIONS_HELP;

static const char cmd_status_resume_help[] =
	"Usage: " PROGRAM_NAME " resume [OPTION]...\n"
	"Allow sending again, after \"" PROGRAM_NAME " pause\".\n" PAUSE_OPTIONS_HELP;

static int cmd_status_print_pause(const struct owner_command_call *call,
				  const struct json *result)
{
	const char *was = json_field_is_true(result, "changed") ? "" : "already ";

	if (json_member(result, "kept")) { /* "kept": false */
		puts("Sending is paused, but only until the gateway stops, because the "
		     "pause could not be\n"
		     "written to disk. Free space, then run again: " PROGRAM_NAME
		     " pause");
		return EXIT_CODE_FAILED;
	}
	if (json_field_is_true(result, "paused"))
		printf("Sending is %spaused. To resume: " PROGRAM_NAME " resume\n", was);
	else
		printf("Sending is %sallowed.\n", was);
	return EXIT_CODE_OK;
}

const struct command cmd_pause = {
	.name = "pause",
	.group = COMMAND_MAINTENANCE,
	.summary = "stop all sending",
	.example = "pause",
	.owner = {
		.help = cmd_status_pause_help,
		.print = cmd_status_print_pause,
	},
};

const struct command cmd_resume = {
	.name = "resume",
	.group = COMMAND_MAINTENANCE,
	.summary = "allow sending again",
	.example = "resume",
	.owner = {
		.help = cmd_status_resume_help,
		.print = cmd_status_print_pause,
	},
};

/* reload */

static const char cmd_status_reload_help[] =
	"Usage: " PROGRAM_NAME " reload [OPTION]...\n"
	"Make the gateway read its configuration again, as SIGHUP does, and print what\n"
	"changed. An invalid configuration changes nothing. Contacts are read again too.\n" PAUSE_OPTIONS_HELP;

static int cmd_status_print_reload(const struct owner_command_call *call,
				   const struct json *result)
{
	const struct json *changed = json_field_list(result, "changed");
	const char *problem = json_field_text(result, "contacts_problem");

	if (*problem)
		printf("Contacts: %s.\n", problem);
	if (!changed->count) {
		puts("Nothing changed.");
		return EXIT_CODE_OK;
	}
	json_foreach (change, changed)
		printf("%s: %s\n", json_field_text(change, "key"),
		       json_field_is_true(change, "needs_restart")
			       ? "changed, but needs a restart"
			       : "changed");
	return EXIT_CODE_OK;
}

const struct command cmd_reload = {
	.name = "reload",
	.group = COMMAND_SETUP,
	.summary = "reload the configuration",
	.example = "reload",
	.owner = {
		.help = cmd_status_reload_help,
		.print = cmd_status_print_reload,
	},
};
