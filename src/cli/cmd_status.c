/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp status and balance: the state of the gateway on one page, and the known
 * balances.
 *
 * Each part of the page has a label in the first column. An answer that lacks a member
 * prints as if it were empty, so that a newer or older gateway can be asked.
 */
#include <stdio.h>
#include <string.h>

#include "cli/client_table.h"
#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/options.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

/* balance */

static const char cmd_status_balance_help[] =
	"Usage: ofono-mcp balance [OPTION]...\n"
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
	       terminal_time(json_field_text(balance, "read_at")).text,
	       json_field_text(balance, "code"));
	if (is_low)
		printf("; below %s nothing is sent until %s",
		       json_field_text(balance, "minimum"),
		       terminal_time(json_field_text(balance, "counts_until")).text);
	putchar('\n');
}

static int cmd_status_print_balance_list(const struct owner_command_call *call,
					 const struct json *result)
{
	const struct json *balances = json_field_list(result, "balances");
	const char *forgotten = json_field_text(result, "forgotten");

	(void)call;
	if (*forgotten)
		printf("The balance of SIM %s is deleted.\n", forgotten);
	else if (!balances->count)
		puts("No balance is known.");
	json_foreach (balance, balances)
		cmd_status_print_balance(balance);
	return EXIT_CODE_OK;
}

static int cmd_status_run_balance(int argc, char **argv)
{
	static const struct owner_command_option options[] = {
		{ .name = "forget", .is_number = true },
		{ NULL },
	};
	static const struct owner_command command = {
		.name = "balance",
		.help = cmd_status_balance_help,
		.options = options,
		.print = cmd_status_print_balance_list,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_balance = {
	.name = "balance",
	.summary = "list the known balances of SIMs, or delete one",
	.run = cmd_status_run_balance,
};

/* status */

#define OFONO "oFono "

enum { LABEL_COLUMNS = 10 };

static const char cmd_status_help[] =
	"Usage: ofono-mcp status [OPTION]...\n"
	"Show gateway status: whether a message could be sent now and if not, why; "
	"oFono,\n"
	"the SIMs, waiting messages, what is left of the limits, offline gaps, and the\n"
	"paired agents with what is left of their limits.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as a JSON object: what "
	"get_gateway_status gives agents, plus\n"
	"                   version, advertised, advertisement, waiting_approval and\n"
	"                   clients\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run; if it does not, try \"ofono-mcp doctor\".\n"
	"Exit codes: 0 shown; 1 failed; 2 wrong options.\n";

static void cmd_status_print_label(const char *name)
{
	printf("%-*s", LABEL_COLUMNS, name);
}

static void cmd_status_print_sending(const struct json *status)
{
	cmd_status_print_label("sending");
	if (json_field_is_true(status, "paused"))
		printf("%spaused%s; to resume: ofono-mcp resume\n",
		       terminal_colour_on(COLOUR_WARNING), terminal_colour_off());
	else if (json_field_is_true(status, "can_send"))
		printf("%scan send now%s\n", terminal_colour_on(COLOUR_GOOD),
		       terminal_colour_off());
	else
		printf("%scannot send now%s: %s\n", terminal_colour_on(COLOUR_BAD),
		       terminal_colour_off(), json_field_text(status, "why_not"));
}

static void cmd_status_print_advertisement(const struct json *status)
{
	bool advertised = json_field_is_true(status, "advertised");

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

/* "SIM 1     ready: Telekom HU, slot 0, +36201234567, signal 60 %, roaming" */
static void cmd_status_print_sim(const struct json *sim)
{
	enum terminal_colour colour =
		json_field_is_true(sim, "can_send") ? COLOUR_GOOD : COLOUR_BAD;
	const char *name = json_field_text(sim, "display_name");
	const char *number = json_field_text(sim, "own_number");
	const char *signal = json_field_text(sim, "signal_percent");
	char head[LABEL_COLUMNS + 24];

	snprintf(head, sizeof(head), "SIM %s ", json_field_text(sim, "subscription_id"));
	cmd_status_print_label(head);
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

static void cmd_status_print_sims(const struct json *sims)
{
	const struct json *list = json_field_list(sims, "subscriptions");

	if (!list->count) {
		cmd_status_print_label("SIMs");
		puts("none");
		return;
	}
	json_foreach (sim, list)
		cmd_status_print_sim(sim);
}

static void cmd_status_print_balances(const struct json *balances)
{
	json_foreach (balance, balances) {
		cmd_status_print_label("balance");
		cmd_status_print_balance(balance);
	}
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

static void cmd_status_print_queue(const struct json *status)
{
	const struct json *queue = json_member(status, "queue");
	const char *unstored = json_field_text(queue, "unstored_received");
	const char *waiting = json_field_text(status, "waiting_approval");

	cmd_status_print_label("queue");
	printf("%s of %s waiting to be sent\n", json_field_text(queue, "waiting"),
	       json_field_text(queue, "limit"));
	if (strcmp(unstored, "0") != 0) {
		cmd_status_print_label("");
		printf("%s%s incoming messages not stored yet%s\n",
		       terminal_colour_on(COLOUR_BAD), unstored, terminal_colour_off());
	}
	cmd_status_print_label("approvals");
	if (strcmp(waiting, "0") == 0)
		puts("none waiting for your approval");
	else
		printf("%s%s waiting for your approval%s: ofono-mcp approvals\n",
		       terminal_colour_on(COLOUR_WARNING), waiting,
		       terminal_colour_off());
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
		printf(", more at %s", terminal_time(frees_at).text);
	putchar('\n');
}

static void cmd_status_print_limits(const struct json *limits)
{
	const char *name = "limits";

	if (!limits->count) {
		cmd_status_print_label(name);
		puts("none for a SIM");
		return;
	}
	json_foreach (limit, limits) {
		cmd_status_print_label(name);
		cmd_status_print_limit(limit);
		name = "";
	}
}

static void cmd_status_print_gaps(const struct json *gaps)
{
	const char *name = "offline";

	if (!gaps->count) {
		cmd_status_print_label(name);
		puts("no gaps in 7 days");
		return;
	}
	json_foreach (gap, gaps) {
		const char *until = json_field_text(gap, "until");

		cmd_status_print_label(name);
		printf("%s until %s (%s)\n",
		       terminal_time(json_field_text(gap, "from")).text,
		       *until ? terminal_time(until).text : "now",
		       json_field_text(gap, "reason"));
		name = "";
	}
}

/* "laptop: 59 of 60 messages an hour, 200 of 200 a day" */
static void cmd_status_print_usage(const struct json *client)
{
	const struct json *usage = json_field_list(client, "usage");

	terminal_print_escaped(stdout, json_field_text(client, "name"));
	fputs(usage->count ? ": " : ": no limits of its own", stdout);
	json_foreach (limit, usage) {
		const char *unit = json_field_text(limit, "per");
		bool is_budget = strcmp(unit, "month") == 0;
		bool is_used_up = strcmp(json_field_text(limit, "left"), "0") == 0;

		printf("%s%s%s of %s%s a%s %s%s", limit == usage->first ? "" : ", ",
		       is_used_up ? terminal_colour_on(COLOUR_BAD) : "",
		       json_field_text(limit, "left"), json_field_text(limit, "limit"),
		       is_budget ? " segments" : "", strcmp(unit, "hour") ? "" : "n",
		       unit, is_used_up ? terminal_colour_off() : "");
		if (is_used_up)
			printf(" (more at %s)",
			       terminal_time(json_field_text(limit, "frees_at")).text);
	}
	putchar('\n');
}

static void cmd_status_print_usages(const struct json *clients)
{
	const char *name = "left";

	if (clients->count)
		putchar('\n');
	json_foreach (client, clients) {
		cmd_status_print_label(name);
		cmd_status_print_usage(client);
		name = "";
	}
}

static int cmd_status_print(const struct owner_command_call *call,
			    const struct json *status)
{
	(void)call;
	cmd_status_print_label("gateway");
	printf("running, version %s\n", json_field_text(status, "version"));
	cmd_status_print_sending(status);
	cmd_status_print_ofono(status);
	cmd_status_print_sims(json_member(status, "sims"));
	cmd_status_print_warnings(json_field_list(status, "modems"));
	cmd_status_print_balances(json_field_list(status, "balances"));
	cmd_status_print_advertisement(status);
	cmd_status_print_queue(status);
	cmd_status_print_limits(json_field_list(status, "limits"));
	cmd_status_print_gaps(json_field_list(status, "gaps"));
	putchar('\n');
	client_table_print(json_member(status, "clients"));
	cmd_status_print_usages(json_field_list(status, "clients"));
	return EXIT_CODE_OK;
}

static int cmd_status_run(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "status",
		.help = cmd_status_help,
		.print = cmd_status_print,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_status = {
	.name = "status",
	.summary = "show gateway status",
	.run = cmd_status_run,
};
