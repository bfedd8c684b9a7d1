/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drain, sims, resend: what the owner of a hub decides and sees of the routing of messages. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

/* drain */

static const char cmd_routing_drain_help[] =
	"Usage: " PROGRAM_NAME " drain [OPTION]... PHONE|SIM\n"
	"Route no new message to a SIM, by its ID, or to the SIMs of a phone. Messages\n"
	"that wait for them move to other SIMs; where there is no other SIM, they are\n"
	"still sent from their own, as are those that name it.\n"
	"\n"
	"  --undo           route messages to it again\n" OPTIONS_STORE_HELP
	"  --json           print JSON lines instead of text\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_routing_drain_options[] = {
	{ .name = "undo", .is_flag = true },
	{ 0 },
};

static int cmd_routing_print_drained(const struct owner_command_call *call,
				     const struct json *result)
{
	json_foreach (sim, json_field_list(result, "subscription_ids"))
		printf("SIM %s gets %s.\n", sim->text,
		       json_field_is_true(result, "drained") ? "no new messages"
							     : "messages again");
	return EXIT_CODE_OK;
}

const struct command cmd_drain = {
	.name = "drain",
	.group = COMMAND_SIMS,
	.summary = "route no new messages to a phone or SIM",
	.example = "drain shop-1",
	.owner = {
		.help = cmd_routing_drain_help,
		.options = cmd_routing_drain_options,
		.operand = "target",
		.print = cmd_routing_print_drained,
	},
};

/* sims */

static const char cmd_routing_sims_help[] =
	"Usage: " PROGRAM_NAME " sims [OPTION]...\n"
	"List the SIMs in the order in which a message would be sent from them, with the\n"
	"phone, number and state of each; and why the others would not send it now.\n"
	"\n"
	"  --to NUMBER      a message to this number\n"
	"  --pool NAME      from this pool\n"
	"  --client NAME    of this agent\n" OPTIONS_STORE_HELP
	"  --json           print JSON lines instead of text\n" OPTIONS_HELP_HELP "\n"
	"What else the SIMs report: " PROGRAM_NAME " sim list\n"
	"Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_routing_sims_options[] = {
	{ .name = "to" },
	{ .name = "pool" },
	{ .name = "client" },
	{ 0 },
};

/* Prints "SIM 3  shop-1, +36201234567, ready: would send" */
static void cmd_routing_print_sim(const struct owner_command_call *call,
				  const struct json *sim)
{
	const char *refused = json_field_text(sim, "refused");
	const char *until = json_field_text(sim, "until");
	const char *number = json_field_text(sim, "own_number");

	printf("SIM %-5s %s%s%s, %s: %s%s%s%s%s\n",
	       json_field_text(sim, "subscription_id"), json_field_text(sim, "phone"),
	       *number ? ", " : "", number, json_field_text(sim, "state"),
	       terminal_colour_on(*refused ? COLOUR_BAD : COLOUR_GOOD),
	       *refused ? refused : "would send it", terminal_colour_off(),
	       *until ? ", until " : "", *until ? terminal_time(until).text : "");
}

static int cmd_routing_print_choice(const struct owner_command_call *call,
				    const struct json *result)
{
	const char *sim = json_field_text(result, "subscription_id");

	if (strcmp(json_field_text(result, "sims"), "0") == 0)
		puts("No phone is connected. To see the phones: " PROGRAM_NAME " phones");
	else if (*sim)
		printf("SIM %s would be chosen now: %s.\n", sim,
		       json_field_text(result, "route"));
	else
		puts("No SIM can send this now.");
	return EXIT_CODE_OK;
}

const struct command cmd_routes = {
	.name = "sims",
	.group = COMMAND_SIMS,
	.summary = "list which SIMs would send a message, and why",
	.example = "sims --to +36201234567 --pool alerts",
	.owner = {
		.help = cmd_routing_sims_help,
		.options = cmd_routing_sims_options,
		.print_item = cmd_routing_print_sim,
		.print = cmd_routing_print_choice,
	},
};

/* resend */

enum { CMD_ROUTING_LINE_BYTES = 64 };

static const char cmd_routing_resend_help[] =
	"Usage: " PROGRAM_NAME " resend [OPTION]... ID\n"
	"Send a message whose outcome is unknown or in doubt again. It may arrive twice;\n"
	"on a terminal this asks first. It is sent even if its validity has expired.\n"
	"\n"
	"  --yes            do not ask\n" OPTIONS_STORE_HELP
	"  --json           print JSON lines instead of text; needs "
	"--yes\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 it is queued; 1 failed, or you said no; 2 wrong options.\n";

static const struct owner_command_option cmd_routing_resend_options[] = {
	{ .name = "yes", .is_flag = true, .is_local = true },
	{ 0 },
};

static const char *cmd_routing_check_resend(const struct owner_command_call *call)
{
	if (owner_command_value(call, "yes") ||
	    (isatty(STDIN_FILENO) && !call->store.json))
		return NULL;
	return "the message may arrive twice: if you want that, give --yes";
}

/* Returns 0, or an exit code after printing that nothing is sent. */
static int cmd_routing_confirm(const struct owner_command_call *call,
			       struct json_writer *arguments)
{
	char line[CMD_ROUTING_LINE_BYTES];

	if (owner_command_value(call, "yes"))
		return EXIT_CODE_OK;
	printf("Message %s may have been sent, and would arrive twice.\n"
	       "Send it again? [y/N] ",
	       call->operand);
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) && (*line == 'y' || *line == 'Y'))
		return EXIT_CODE_OK;
	puts("Nothing is sent.");
	return EXIT_CODE_FAILED;
}

static int cmd_routing_print_resent(const struct owner_command_call *call,
				    const struct json *result)
{
	const char *id = json_field_text(result, "message_id");

	printf("Message %s is queued again. To check it: " PROGRAM_NAME " show %s\n", id,
	       id);
	return EXIT_CODE_OK;
}

const struct command cmd_resend = {
	.name = "resend",
	.group = COMMAND_MESSAGES,
	.summary = "send a message again whose outcome is unknown",
	.example = "resend 12",
	.owner = {
		.help = cmd_routing_resend_help,
		.options = cmd_routing_resend_options,
		.operand = "message_id",
		.operand_is_number = true,
		.check = cmd_routing_check_resend,
		.add = cmd_routing_confirm,
		.print = cmd_routing_print_resent,
		.fix_if_lost = "It may be queued: check with " PROGRAM_NAME
			       " show ID before you send it again",
	},
};
