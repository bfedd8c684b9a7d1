/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp modem: lists oFono's modems, and switches them on and off.
 *
 * This program talks to oFono itself, as root: the gateway, which the network can reach, may not
 * switch modems.  All chosen modems are switched at the same time (cli/switching.h); the command
 * ends when each has reached the wanted state or failed, or when the time is over.
 *
 * A modem is named by its path, with or without the first slash, by the last part of it, or by
 * "all"; without a name, the only modem is meant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/cli_failure.h"
#include "cli/command.h"
#include "cli/modem_view.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/switching.h"
#include "ofono/ofono.h"

enum { MODEM_CHOICE_MAX = 32, MODEM_CHOICE_TEXT_BYTES = 1024 };

struct cmd_modem_choice {
	struct switching all[MODEM_CHOICE_MAX];
	unsigned count;
};

/* What is wrong with the given names of modems. */
struct cmd_modem_choice_error {
	const char *code;
	char message[MODEM_CHOICE_TEXT_BYTES];
	char fix[MODEM_CHOICE_TEXT_BYTES];
};

static const char *cmd_modem_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool cmd_modem_has_name(const struct modem *modem, const char *name)
{
	return strcmp(name, "all") == 0 || strcmp(modem->path, name) == 0 ||
	       strcmp(modem->path + 1, name) == 0 ||
	       strcmp(cmd_modem_last_part(modem->path), name) == 0;
}

static bool cmd_modem_is_chosen(const struct cmd_modem_choice *choice,
				const struct modem *modem)
{
	for (unsigned at = 0; at < choice->count; at++) {
		if (strcmp(choice->all[at].path, modem->path) == 0)
			return true;
	}
	return false;
}

/* False: no modem has this name. */
static bool cmd_modem_choose_named(struct cmd_modem_choice *choice, struct ofono *ofono,
				   const char *name, const struct switching_wish *wish)
{
	const struct modem *modem;
	bool found = false;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem) || !cmd_modem_has_name(modem, name))
			continue;
		found = true;
		if (!cmd_modem_is_chosen(choice, modem) &&
		    choice->count < MODEM_CHOICE_MAX)
			switching_begin(&choice->all[choice->count++], ofono, modem->path,
					wish);
	}
	return found;
}

/* "Name one, or all: /sim0, /sim1" */
static void cmd_modem_list_paths(struct cmd_modem_choice_error *error, const char *words,
				 const struct ofono *ofono)
{
	const size_t size = sizeof(error->fix);
	const struct modem *modem;
	const char *between = "";
	size_t length = (size_t)snprintf(error->fix, size, "%s: ", words);

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem) || length >= size)
			continue;
		length += (size_t)snprintf(error->fix + length, size - length, "%s%s",
					   between, modem->path);
		between = ", ";
	}
}

static bool cmd_modem_choose(struct cmd_modem_choice *choice, struct ofono *ofono,
			     char **names, int count, const struct switching_wish *wish,
			     struct cmd_modem_choice_error *error)
{
	choice->count = 0;
	for (int at = 0; at < count; at++) {
		if (cmd_modem_choose_named(choice, ofono, names[at], wish))
			continue;
		error->code = "no_such_modem";
		snprintf(error->message, sizeof(error->message),
			 "there is no modem \"%.200s\"", names[at]);
		cmd_modem_list_paths(error, "The modems are", ofono);
		return false;
	}
	if (!count)
		cmd_modem_choose_named(choice, ofono, "all", wish);
	if (count || choice->count == 1)
		return true;
	error->code = "modem_required";
	snprintf(error->message, sizeof(error->message), "there is more than one modem");
	cmd_modem_list_paths(error, "Name one, or use all", ofono);
	return false;
}

static void cmd_modem_end_choice(struct cmd_modem_choice *choice)
{
	for (unsigned at = 0; at < choice->count; at++)
		switching_end(&choice->all[at]);
}

/* The command */

enum {
	LISTEN_S = 10,
	TIMEOUT_S = 60,
	TIMEOUT_MAX_S = 600,
	FIX_BYTES = 512,
	OPTION_REGISTERED = 1,
	OPTION_TIMEOUT,
	OPTION_JSON,
	OPTION_HELP,
};

static const char cmd_modem_help[] =
	"Usage: ofono-mcp modem [OPTION]... [list]\n"
	"       ofono-mcp modem [OPTION]... on|off [MODEM]...\n"
	"List oFono's modems, or switch them off, or on, which also ends flight mode.\n"
	"\n"
	"MODEM is the path of a modem in oFono, or its last part, or \"all\"; it may be\n"
	"left out if there is only one. Switching needs root. It does not involve the\n"
	"gateway, which need not run.\n"
	"\n"
	"  --registered  with on: also wait until a network has registered the SIM card\n"
	"  --timeout S   wait S seconds at most (default 60, maximum 600)\n"
	"  --json        as a JSON object\n"
	"  --help        show this help\n"
	"\n"
	"The bus is the system bus, or DBUS_SYSTEM_BUS_ADDRESS.\n"
	"Exit codes: 0 listed, or all are in the wanted state; 1 at least one is not, "
	"and\n"
	"standard error says why; 2 wrong options.\n";

static const struct option cmd_modem_options[] = {
	{ "registered", no_argument, NULL, OPTION_REGISTERED },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct cmd_modem_arguments {
	bool switches; /* false: list */
	struct switching_wish wish;
	int timeout_s;
	bool json;
	char **names;
	int name_count;
};

/* {"modems": [...]}. False: no memory. */
static bool cmd_modem_print_modems(const void *data,
				   void (*write)(struct json_writer *writer,
						 const void *data))
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	bool written = false;

	if (writer) {
		json_open_object(writer);
		json_key(writer, "modems");
		json_open_array(writer);
		write(writer, data);
		json_close_array(writer);
		json_close_object(writer);
		json_writer_free(writer);
		written = !text.failed;
	}
	if (written)
		printf("%.*s\n", (int)text.length, text.data);
	buffer_deinit(&text);
	return written;
}

/* Errors */

static struct cli_failure cmd_modem_failure(const struct cmd_modem_arguments *arguments,
					    const char *code, const char *fix)
{
	return (struct cli_failure){ "modem", code, fix, arguments->json };
}

/* The same command with sudo. */
static void cmd_modem_fix_as_root(const struct cmd_modem_arguments *arguments,
				  char fix[FIX_BYTES])
{
	int length = snprintf(fix, FIX_BYTES, "Run it as root: sudo ofono-mcp modem%s",
			      !arguments->switches ? ""
			      : arguments->wish.on ? " on"
						   : " off");

	for (int at = 0; at < arguments->name_count && length < FIX_BYTES; at++)
		length += snprintf(fix + length, (size_t)(FIX_BYTES - length), " %s",
				   arguments->names[at]);
}

static int cmd_modem_fail_unreachable(const struct cmd_modem_arguments *arguments,
				      const struct ofono *ofono)
{
	char as_root[FIX_BYTES];
	const struct {
		const char *words; /* in ofono_condition() */
		const char *code;
		const char *fix;
	} rows[] = {
		{ "refuses", "refused", as_root },
		{ "no D-Bus", "no_bus", "Start the system bus: systemctl start dbus" },
		{ "not running", "ofono_unavailable", "Start it: systemctl start ofono" },
		{ "", "ofono_unavailable",
		  "Check the log of ofonod, then restart it: systemctl restart ofono" },
	};
	const char *condition = ofono_condition(ofono);
	struct cli_failure failure;
	size_t row = 0;

	cmd_modem_fix_as_root(arguments, as_root);
	while (!strstr(condition, rows[row].words))
		row++;
	failure = cmd_modem_failure(arguments, rows[row].code, rows[row].fix);
	return cli_failure_report(&failure, "%s", condition);
}

/* Switching */

static bool cmd_modem_are_over(void *data)
{
	struct cmd_modem_choice *choice = data;
	bool all = true;

	for (unsigned at = 0; at < choice->count; at++)
		all &= switching_is_over(&choice->all[at]);
	return all;
}

static void cmd_modem_write_choice(struct json_writer *writer, const void *data)
{
	const struct cmd_modem_choice *choice = data;

	for (unsigned at = 0; at < choice->count; at++)
		switching_write(&choice->all[at], writer);
}

static int cmd_modem_report(const struct cmd_modem_arguments *arguments,
			    const struct cmd_modem_choice *choice)
{
	int code = EXIT_CODE_OK;

	if (arguments->json && !cmd_modem_print_modems(choice, cmd_modem_write_choice))
		code = EXIT_CODE_FAILED;
	for (unsigned at = 0; at < choice->count; at++) {
		bool is_success = switching_is_success(&choice->all[at]);

		if (!arguments->json || !is_success)
			switching_print(&choice->all[at]);
		if (!is_success)
			code = EXIT_CODE_FAILED;
	}
	return code;
}

static int cmd_modem_switch(const struct cmd_modem_arguments *arguments,
			    struct ofono *ofono, sd_event *loop)
{
	static struct cmd_modem_choice choice; /* large, and only one */
	static struct cmd_modem_choice_error error;
	struct cli_failure failure;
	const struct progress_wait_loop wait_loop = {
		.loop = loop,
		.is_over = cmd_modem_are_over,
		.data = &choice,
		.timeout_ms = arguments->timeout_s * 1000,
		.words = arguments->wish.on ? "switching on" : "switching off",
	};
	int code;

	if (!cmd_modem_choose(&choice, ofono, arguments->names, arguments->name_count,
			      &arguments->wish, &error)) {
		cmd_modem_end_choice(&choice);
		failure = cmd_modem_failure(arguments, error.code, error.fix);
		return cli_failure_report(&failure, "%s", error.message);
	}
	if (!progress_wait_loop_run(&wait_loop)) {
		for (unsigned at = 0; at < choice.count; at++)
			switching_give_up(&choice.all[at]);
	}
	code = cmd_modem_report(arguments, &choice);
	cmd_modem_end_choice(&choice);
	return code;
}

/* Listing */

static void cmd_modem_write_list(struct json_writer *writer, const void *data)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(data), link) {
		if (modem_is_foreign(modem))
			continue;
		json_open_object(writer);
		modem_view_put(writer, modem);
		json_close_object(writer);
	}
}

static bool cmd_modem_has_any(const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (!modem_is_foreign(modem))
			return true;
	}
	return false;
}

static bool cmd_modem_is_settled(void *data)
{
	return ofono_is_settled(data);
}

static int cmd_modem_run_with(const struct cmd_modem_arguments *arguments,
			      struct ofono *ofono, sd_event *loop)
{
	const struct cli_failure none =
		cmd_modem_failure(arguments, "no_modem",
				  "Check that it is plugged in, and the log of ofonod");
	const struct progress_wait_loop wait_loop = {
		.loop = loop,
		.is_over = cmd_modem_is_settled,
		.data = ofono,
		.timeout_ms = arguments->timeout_s < LISTEN_S
				      ? arguments->timeout_s * 1000
				      : LISTEN_S * 1000,
		.words = "asking oFono",
	};

	progress_wait_loop_run(&wait_loop);
	if (!ofono_is_available(ofono))
		return cmd_modem_fail_unreachable(arguments, ofono);
	if (!cmd_modem_has_any(ofono))
		return cli_failure_report(&none, "oFono has no modem");
	if (arguments->switches)
		return cmd_modem_switch(arguments, ofono, loop);
	if (arguments->json)
		return cmd_modem_print_modems(ofono, cmd_modem_write_list)
			       ? EXIT_CODE_OK
			       : EXIT_CODE_FAILED;
	modem_view_print_table(ofono_modems(ofono));
	return EXIT_CODE_OK;
}

/* Options */

static bool cmd_modem_parse_timeout(const char *text, int *seconds_out)
{
	char *end;
	long seconds = strtol(text, &end, 10);

	*seconds_out = (int)seconds;
	return *text && !*end && seconds >= 1 && seconds <= TIMEOUT_MAX_S;
}

/* Returns 0, or an exit code; -1: print help. */
static int cmd_modem_read_options(int argc, char **argv,
				  struct cmd_modem_arguments *arguments)
{
	int option;

	while ((option = options_next(argc, argv, cmd_modem_options)) != -1) {
		if (option == '?')
			return EXIT_CODE_USAGE;
		if (option == OPTION_HELP)
			return -1;
		if (option == OPTION_TIMEOUT &&
		    !cmd_modem_parse_timeout(optarg, &arguments->timeout_s))
			return options_fail("--timeout takes 1 to 600 seconds");
		arguments->wish.registered |= option == OPTION_REGISTERED;
		arguments->json |= option == OPTION_JSON;
	}
	return 0;
}

static int cmd_modem_read_verb(int argc, char **argv,
			       struct cmd_modem_arguments *arguments)
{
	const char *verb = optind < argc ? argv[optind++] : "list";

	arguments->wish.on = strcmp(verb, "on") == 0;
	arguments->switches = arguments->wish.on || strcmp(verb, "off") == 0;
	arguments->names = argv + optind;
	arguments->name_count = argc - optind;
	if (!arguments->switches && strcmp(verb, "list") != 0)
		return options_fail("the argument is list, on or off");
	if (!arguments->switches && arguments->name_count)
		return options_fail("unexpected argument \"%s\"", arguments->names[0]);
	if (arguments->wish.registered && !arguments->wish.on)
		return options_fail("--registered needs on");
	for (int at = 0; at < arguments->name_count; at++) {
		if (!utf8_valid(arguments->names[at], strlen(arguments->names[at])))
			return options_fail("an argument is not UTF-8");
	}
	return 0;
}

static int cmd_modem_run(int argc, char **argv)
{
	struct cmd_modem_arguments arguments = { .timeout_s = TIMEOUT_S };
	int code = cmd_modem_read_options(argc, argv, &arguments);
	struct ofono *ofono = NULL;
	sd_event *loop = NULL;

	if (code < 0) {
		fputs(cmd_modem_help, stdout);
		return EXIT_CODE_OK;
	}
	if (!code)
		code = cmd_modem_read_verb(argc, argv, &arguments);
	if (code)
		return code;
	log_set_level(LOG_LEVEL_ERROR);
	if (sd_event_new(&loop) >= 0 && ofono_new(loop, NULL, &ofono) == 0) {
		code = cmd_modem_run_with(&arguments, ofono, loop);
	} else {
		fputs("ofono-mcp modem: out of memory\n", stderr);
		code = EXIT_CODE_FAILED;
	}
	ofono_free(ofono);
	sd_event_unref(loop);
	return code;
}

const struct command cmd_modem = {
	.name = "modem",
	.summary = "list modems, switch them on or off",
	.run = cmd_modem_run,
};
