/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp status: how the gateway is, on one page.
 */
#include <stdio.h>
#include <string.h>

#include "cli/balance_lines.h"
#include "cli/client_table.h"
#include "cli/colour.h"
#include "cli/command.h"
#include "cli/member.h"
#include "cli/owner_command.h"
#include "cli/shown.h"
#include "cli/shown_time.h"

#define OFONO "oFono "

enum { LABEL_COLUMNS = 10 };

static const char help[] =
	"Usage: ofono-mcp status [OPTION]...\n"
	"Tell how the gateway is: whether a message could be sent now, and if not, why;\n"
	"oFono, the SIMs, what waits, what is left of the limits, when nothing could be\n"
	"heard, which agents are paired, and what is left of the limits of each.\n"
	"\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           as a JSON object: what get_gateway_status tells agents, and\n"
	"                   version, advertised, advertisement, waiting_approval and\n"
	"                   clients\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run; \"ofono-mcp doctor\" helps when it does not.\n"
	"Exit codes: 0 told; 1 could not; 2 wrong options.\n";

static void label(const char *name)
{
	printf("%-*s", LABEL_COLUMNS, name);
}

static void print_sending(const struct json *status)
{
	label("sending");
	if (member_is_true(status, "paused"))
		printf("%spaused%s; to go on: ofono-mcp resume\n",
		       colour_on(COLOUR_WARNING), colour_off());
	else if (member_is_true(status, "can_send"))
		printf("%scan send now%s\n", colour_on(COLOUR_GOOD), colour_off());
	else
		printf("%scannot send now%s: %s\n", colour_on(COLOUR_BAD), colour_off(),
		       member_text(status, "why_not"));
}

static void print_advertisement(const struct json *status)
{
	bool told = member_is_true(status, "advertised");

	label("mDNS");
	printf("%s%s\n", told ? "advertised as " : "not advertised: ",
	       member_text(status, "advertisement"));
}

static void print_ofono(const struct json *status)
{
	enum colour colour =
		member_is_true(status, "ofono_available") ? COLOUR_GOOD : COLOUR_BAD;
	const char *words = member_text(status, "ofono");

	if (strncmp(words, OFONO, strlen(OFONO)) == 0)
		words += strlen(OFONO); /* that is the label */
	label("oFono");
	printf("%s%s%s\n", colour_on(colour), words, colour_off());
}

/* "SIM 1     ready: Telekom HU, slot 0, +36201234567, signal 60 %, roaming" */
static void print_sim(const struct json *sim)
{
	enum colour colour = member_is_true(sim, "can_send") ? COLOUR_GOOD : COLOUR_BAD;
	const char *name = member_text(sim, "display_name");
	const char *number = member_text(sim, "own_number");
	const char *signal = member_text(sim, "signal_percent");
	char head[LABEL_COLUMNS + 24];

	snprintf(head, sizeof(head), "SIM %s ", member_text(sim, "subscription_id"));
	label(head);
	printf("%s%s%s: ", colour_on(colour), member_text(sim, "state"), colour_off());
	shown_print(stdout, *name ? name : "no name");
	printf(", slot %s", member_text(sim, "sim_slot_index"));
	if (*number)
		printf(", %s", number);
	if (strcmp(signal, "0") != 0)
		printf(", signal %s %%", signal);
	if (member_is_true(sim, "default"))
		fputs(", the phone's default", stdout);
	puts(member_is_true(sim, "roaming") ? ", roaming" : "");
}

static void print_sims(const struct json *sims)
{
	const struct json *list = member_list(sims, "subscriptions");

	if (!list->count) {
		label("SIMs");
		puts("none");
		return;
	}
	json_foreach (sim, list)
		print_sim(sim);
}

static void print_balances(const struct json *balances)
{
	json_foreach (balance, balances) {
		label("balance");
		balance_line_print(balance);
	}
}

static void print_warnings(const struct json *modems)
{
	json_foreach (modem, modems) {
		if (!*member_text(modem, "warning"))
			continue;
		label("");
		printf("%smodem %s: %s%s\n", colour_on(COLOUR_WARNING),
		       member_text(modem, "modem"), member_text(modem, "warning"),
		       colour_off());
	}
}

static void print_queue(const struct json *status)
{
	const struct json *queue = json_member(status, "queue");
	const char *unstored = member_text(queue, "unstored_received");
	const char *waiting = member_text(status, "waiting_approval");

	label("queue");
	printf("%s of %s wait to be sent\n", member_text(queue, "waiting"),
	       member_text(queue, "limit"));
	if (strcmp(unstored, "0") != 0) {
		label("");
		printf("%s%s came in and could not be stored yet%s\n",
		       colour_on(COLOUR_BAD), unstored, colour_off());
	}
	label("approvals");
	if (strcmp(waiting, "0") == 0)
		puts("none waits for your yes");
	else
		printf("%s%s wait for your yes%s: ofono-mcp approvals\n",
		       colour_on(COLOUR_WARNING), waiting, colour_off());
}

static void print_limit(const struct json *limit)
{
	const char *sim = member_text(limit, "subscription_id");
	const char *frees_at = member_text(limit, "frees_at");
	const char *unit = member_text(limit, "per");
	bool is_budget = strcmp(unit, "month") == 0;

	printf("%s of %s %s a%s %s left", member_text(limit, "left"),
	       member_text(limit, "limit"), is_budget ? "segments" : "messages",
	       strcmp(unit, "hour") ? "" : "n", unit);
	if (*sim)
		printf(" for SIM %s", sim);
	if (*frees_at)
		printf(", more at %s", shown_time(frees_at).text);
	putchar('\n');
}

static void print_limits(const struct json *limits)
{
	const char *name = "limits";

	if (!limits->count) {
		label(name);
		puts("none of a SIM");
		return;
	}
	json_foreach (limit, limits) {
		label(name);
		print_limit(limit);
		name = "";
	}
}

static void print_gaps(const struct json *gaps)
{
	const char *name = "blind";

	if (!gaps->count) {
		label(name);
		puts("never in the last week");
		return;
	}
	json_foreach (gap, gaps) {
		const char *until = member_text(gap, "until");

		label(name);
		printf("%s until %s (%s)\n", shown_time(member_text(gap, "from")).text,
		       *until ? shown_time(until).text : "now",
		       member_text(gap, "reason"));
		name = "";
	}
}

/* "laptop: 59 of 60 messages an hour, 200 of 200 a day" */
static void print_usage(const struct json *client)
{
	const struct json *usage = member_list(client, "usage");

	shown_print(stdout, member_text(client, "name"));
	fputs(usage->count ? ": " : ": no limit of a client", stdout);
	json_foreach (limit, usage) {
		const char *unit = member_text(limit, "per");
		bool is_budget = strcmp(unit, "month") == 0;
		bool is_used_up = strcmp(member_text(limit, "left"), "0") == 0;

		printf("%s%s%s of %s%s a%s %s%s", limit == usage->first ? "" : ", ",
		       is_used_up ? colour_on(COLOUR_BAD) : "",
		       member_text(limit, "left"), member_text(limit, "limit"),
		       is_budget ? " segments" : "", strcmp(unit, "hour") ? "" : "n",
		       unit, is_used_up ? colour_off() : "");
		if (is_used_up)
			printf(" (more at %s)",
			       shown_time(member_text(limit, "frees_at")).text);
	}
	putchar('\n');
}

static void print_usages(const struct json *clients)
{
	const char *name = "left";

	if (clients->count)
		putchar('\n');
	json_foreach (client, clients) {
		label(name);
		print_usage(client);
		name = "";
	}
}

static int show(const struct owner_call *call, const struct json *status)
{
	(void)call;
	label("gateway");
	printf("runs, version %s\n", member_text(status, "version"));
	print_sending(status);
	print_ofono(status);
	print_sims(json_member(status, "sims"));
	print_warnings(member_list(status, "modems"));
	print_balances(member_list(status, "balances"));
	print_advertisement(status);
	print_queue(status);
	print_limits(member_list(status, "limits"));
	print_gaps(member_list(status, "gaps"));
	putchar('\n');
	client_table_print(json_member(status, "clients"));
	print_usages(member_list(status, "clients"));
	return EXIT_CODE_OK;
}

static int run_status(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "status",
		.help = help,
		.show = show,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_status = {
	.name = "status",
	.summary = "tell how the gateway is",
	.run = run_status,
};
