/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp pair, change, rotate, revoke: the agents, and what each may do.
 */
#include <stdio.h>

#include "cli/client_table.h"
#include "cli/command.h"
#include "cli/owner_command.h"
#include "cli/pairing.h"
#include "gateway/client_name.h"

#define PERMISSIONS_HELP                                                              \
	"  --scope LIST     of read, send, codes, ussd, admin, metrics, call;\n"      \
	"                   commas between them\n"                                    \
	"  --sim LIST       ids of the SIMs that it may use, as agents see them\n"    \
	"                   (subscription_id); or \"any\"\n"                          \
	"  --allow LIST     numbers to which it may send, such as +36201234567, or\n" \
	"                   prefixes, such as +3620*; or \"any\"\n"                   \
	"  --ask WHEN       its messages wait for your yes: always, new-recipients\n" \
	"                   or never\n"                                               \
	"  --per-minute N, --per-hour N, --per-day N, --segments-per-month N\n"       \
	"                   it may send as much; \"none\": no limit of its own;\n"    \
	"                   \"default\": what the configuration says\n"

#define COMMON_HELP                                                                  \
	"  --config FILE    the gateway's configuration; else, where it is there,\n" \
	"                   " CONFIG_DEFAULT_PATH "\n"                               \
	"  --state-dir DIR  where the gateway keeps its clients\n"                   \
	"  --json           tell as JSON what was done\n"                            \
	"  --help           this text\n"

#define PERMISSION_OPTIONS                                                               \
	{ .name = "scope" }, { .name = "sim" }, { .name = "allow" }, { .name = "ask" },  \
		{ .name = "per-minute" }, { .name = "per-hour" }, { .name = "per-day" }, \
		{ .name = "segments-per-month" }

static const char *name_flaw(const struct owner_call *call)
{
	return client_name_flaw(call->operand);
}

/* With what stands before and behind the name of the client. */
static void print_named(const char *before, const struct json *client, const char *behind)
{
	const char *name = json_string(json_member(client, "name"));

	printf("%s%s%s\n", before, name ? name : "", behind);
}

/* pair */

static const char pair_help[] =
	"Usage: ofono-mcp pair [OPTION]... NAME\n"
	"Make a token for the agent NAME and print it, once, with what the agent needs.\n"
	"It may read and send unless told otherwise.\n"
	"\n" PERMISSIONS_HELP PAIRING_HELP COMMON_HELP "\n"
	"The gateway may run. Exit codes: 0 paired; 1 could not; 2 wrong options.\n";

static int show_pairing(const struct owner_call *call, const struct json *result)
{
	print_named("", json_member(result, "client"), " may now use this gateway.\n");
	pairing_print(call, result);
	return EXIT_CODE_OK;
}

static int run_pair(int argc, char **argv)
{
	static const struct owner_option options[] = { PERMISSION_OPTIONS,
						       PAIRING_OPTIONS,
						       { NULL } };
	static const struct owner_command command = {
		.name = "pair",
		.help = pair_help,
		.options = options,
		.operand = "name",
		.flaw = name_flaw,
		.show = show_pairing,
		.when_lost = "It may be paired, with a token that nobody saw: look with "
			     "ofono-mcp clients, and then ofono-mcp rotate NAME",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_pair = {
	.name = "pair",
	.summary = "give an agent a token",
	.run = run_pair,
};

/* change */

static const char change_help[] =
	"Usage: ofono-mcp change OPTION... NAME\n"
	"Change what the agent NAME may do. What is not given stays. A gateway that "
	"runs\n"
	"obeys at once.\n"
	"\n" PERMISSIONS_HELP COMMON_HELP "\n"
	"Exit codes: 0 changed; 1 could not; 2 wrong options.\n";

static int show_change(const struct owner_call *call, const struct json *result)
{
	(void)call;
	print_named("", json_member(result, "client"), " may now do this:\n");
	client_table_print_one(json_member(result, "client"));
	return EXIT_CODE_OK;
}

static int run_change(int argc, char **argv)
{
	static const struct owner_option options[] = { PERMISSION_OPTIONS, { NULL } };
	static const struct owner_command command = {
		.name = "change",
		.help = change_help,
		.options = options,
		.operand = "name",
		.show = show_change,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_change = {
	.name = "change",
	.summary = "change what an agent may do",
	.run = run_change,
};

/* rotate */

static const char rotate_help[] =
	"Usage: ofono-mcp rotate [OPTION]... NAME\n"
	"Make a new token for the agent NAME and print it as \"pair\" does. The one "
	"before\n"
	"is refused at once, and what the agent has under way ends.\n"
	"\n" PAIRING_HELP COMMON_HELP "\n"
	"Exit codes: 0 done; 1 could not; 2 wrong options.\n";

static int show_rotation(const struct owner_call *call, const struct json *result)
{
	print_named("", json_member(result, "client"),
		    " needs this token from now on; the one before is refused.\n");
	pairing_print(call, result);
	return EXIT_CODE_OK;
}

static int run_rotate(int argc, char **argv)
{
	static const struct owner_option options[] = { PAIRING_OPTIONS, { NULL } };
	static const struct owner_command command = {
		.name = "rotate",
		.help = rotate_help,
		.options = options,
		.operand = "name",
		.show = show_rotation,
		.when_lost = "Its token may be another now, which nobody saw: do "
			     "it once more",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_rotate = {
	.name = "rotate",
	.summary = "give an agent a new token",
	.run = run_rotate,
};

/* revoke */

static const char revoke_help[] =
	"Usage: ofono-mcp revoke [OPTION]... NAME\n"
	"Refuse the agent NAME from now on; what it has under way ends. Messages that "
	"the\n"
	"gateway accepted from it before still go out; how many wait is told.\n"
	"\n"
	"  --cancel         take back those that wait in the gateway, also scheduled "
	"ones\n" COMMON_HELP "\n"
	"Exit codes: 0 done; 1 could not; 2 wrong options.\n";

static int show_revocation(const struct owner_call *call, const struct json *result)
{
	int64_t waiting = 0, cancelled = 0;

	printf("%s may not use this gateway any more.\n", call->operand);
	json_integer(json_member(result, "waiting_messages"), &waiting);
	json_integer(json_member(result, "cancelled_messages"), &cancelled);
	if (cancelled)
		printf("Taken back, and not sent: %lld.\n", (long long)cancelled);
	if (waiting)
		printf("Accepted from it before, and still to go out: %lld. To hold back "
		       "everything: ofono-mcp pause\n",
		       (long long)waiting);
	if (!json_member(result, "kept"))
		return EXIT_CODE_OK;
	printf("That holds only until the gateway ends: it could not be written to the "
	       "disk.\nMake room there, then again: ofono-mcp revoke %s\n",
	       call->operand);
	return EXIT_CODE_FAILED;
}

static int run_revoke(int argc, char **argv)
{
	static const struct owner_option options[] = {
		{ .name = "cancel", .is_flag = true }, { NULL }
	};
	static const struct owner_command command = {
		.name = "revoke",
		.help = revoke_help,
		.options = options,
		.operand = "name",
		.show = show_revocation,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_revoke = {
	.name = "revoke",
	.summary = "refuse an agent from now on",
	.run = run_revoke,
};
