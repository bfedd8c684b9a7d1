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
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/switching.h"
#include "cli/terminal.h"
#include "ofono/ofono.h"

enum { MODEM_CHOICE_MAX = 32, MODEM_CHOICE_TEXT_BYTES = 1024 };

struct cmd_modem_choice {
	struct switching all[MODEM_CHOICE_MAX];
	unsigned count;
};

static bool cmd_modem_has_name(const struct modem *modem, const char *name)
{
	const char *slash = strrchr(modem->path, '/');

	return strcmp(name, "all") == 0 || strcmp(modem->path, name) == 0 ||
	       strcmp(modem->path + 1, name) == 0 ||
	       (slash && strcmp(slash + 1, name) == 0);
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

/* Returns false if no modem has this name. */
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

/* Reports what is wrong with the names, and "Name one, or use all: /sim0, /sim1". */
static int cmd_modem_fail_choice(const struct ofono *ofono, const char *code,
				 const char *words, const char *message)
{
	char fix[MODEM_CHOICE_TEXT_BYTES];
	const struct modem *modem;
	const char *between = "";
	size_t length = (size_t)snprintf(fix, sizeof(fix), "%s: ", words);

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem) || length >= sizeof(fix))
			continue;
		length += (size_t)snprintf(fix + length, sizeof(fix) - length, "%s%s",
					   between, modem->path);
		between = ", ";
	}
	return options_report_failure(code, fix, "%s", message);
}

/* Returns 0, or an exit code after reporting what is wrong with the names. */
static int cmd_modem_choose(struct cmd_modem_choice *choice, struct ofono *ofono,
			    char **names, int count, const struct switching_wish *wish)
{
	char message[MODEM_CHOICE_TEXT_BYTES];

	choice->count = 0;
	for (int at = 0; at < count; at++) {
		if (cmd_modem_choose_named(choice, ofono, names[at], wish))
			continue;
		snprintf(message, sizeof(message), "there is no modem \"%.200s\"",
			 names[at]);
		return cmd_modem_fail_choice(ofono, "no_such_modem", "The modems are",
					     message);
	}
	if (!count)
		cmd_modem_choose_named(choice, ofono, "all", wish);
	if (count || choice->count == 1)
		return 0;
	return cmd_modem_fail_choice(ofono, "modem_required", "Name one, or use all",
				     "there is more than one modem");
}

/* The command */

enum {
	LISTEN_S = 10,
	TIMEOUT_S = 60,
	TIMEOUT_MAX_S = 600,
	FIX_BYTES = 512,
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
	"Exit codes: 0 listed, or all are in the wanted state; 1 at least one is not, and\n"
	"standard error says why; 2 wrong options.\n";

struct cmd_modem_arguments {
	bool switches; /* false to list */
	struct switching_wish wish;
	int timeout_s;
	bool json;
	char **names;
	int name_count;
};

/* Prints {"modems": [...]}. Returns false if memory runs out. */
static bool cmd_modem_print_modems(const void *data,
				   void (*write)(struct json_writer *writer,
						 const void *data))
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_field_begin(&text);

	if (writer) {
		json_open_array_at(writer, "modems");
		write(writer, data);
		json_close_array(writer);
	}
	return json_field_end(writer, &text);
}

/* Errors */

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
	const char *code = "ofono_unavailable", *fix = as_root;

	cmd_modem_fix_as_root(arguments, as_root);
	if (ofono_is_refused(ofono)) {
		code = "refused";
	} else if (!ofono_has_bus(ofono)) {
		code = "no_bus";
		fix = "Start the system bus: systemctl start dbus";
	} else if (!*ofono_owner(ofono)) {
		fix = "Start it: systemctl start ofono";
	} else {
		fix = "Check the log of ofonod, then restart it: systemctl restart ofono";
	}
	return options_report_failure(code, fix, "%s", ofono_condition(ofono));
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
	const struct progress_wait_loop wait_loop = {
		.loop = loop,
		.is_over = cmd_modem_are_over,
		.data = &choice,
		.timeout_ms = arguments->timeout_s * 1000,
		.words = arguments->wish.on ? "switching on" : "switching off",
	};
	int code = cmd_modem_choose(&choice, ofono, arguments->names,
				    arguments->name_count, &arguments->wish);
	bool in_time = code || progress_wait_loop_run(&wait_loop);

	for (unsigned at = 0; at < choice.count && !in_time; at++)
		switching_give_up(&choice.all[at]);
	if (!code)
		code = cmd_modem_report(arguments, &choice);
	for (unsigned at = 0; at < choice.count; at++)
		switching_end(&choice.all[at]);
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
		switching_put_modem(writer, modem);
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

static int cmd_modem_run_with(const struct cmd_modem_arguments *arguments,
			      struct ofono *ofono, sd_event *loop)
{
	int seconds = arguments->timeout_s < LISTEN_S ? arguments->timeout_s : LISTEN_S;

	progress_wait_for_ofono(loop, ofono, seconds * 1000);
	if (!ofono_is_available(ofono))
		return cmd_modem_fail_unreachable(arguments, ofono);
	if (!cmd_modem_has_any(ofono))
		return options_report_failure(
			"no_modem", "Check that it is plugged in, and the log of ofonod",
			"oFono has no modem");
	if (arguments->switches)
		return cmd_modem_switch(arguments, ofono, loop);
	if (arguments->json)
		return cmd_modem_print_modems(ofono, cmd_modem_write_list)
			       ? EXIT_CODE_OK
			       : EXIT_CODE_FAILED;
	switching_print_table(ofono_modems(ofono));
	return EXIT_CODE_OK;
}

/* Options */

static const char *cmd_modem_read_timeout(void *data, const char *value)
{
	int *seconds = data;
	char *end;
	long number = strtol(value, &end, 10);

	*seconds = (int)number;
	return *value && !*end && number >= 1 && number <= TIMEOUT_MAX_S
		       ? NULL
		       : "--timeout takes 1 to 600 seconds";
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
	const struct options_row rows[] = {
		{ "registered", .flag = &arguments.wish.registered },
		{ "timeout", .read = cmd_modem_read_timeout,
		  .data = &arguments.timeout_s },
		{ "json", .flag = &arguments.json },
		{ NULL },
	};
	const struct options_table table = { cmd_modem_help, rows, 0, INT_MAX };
	struct ofono *ofono = NULL;
	sd_event *loop = NULL;
	int code;

	if (!options_read(&table, argc, argv, &code))
		return code;
	code = cmd_modem_read_verb(argc, argv, &arguments);
	if (code)
		return code;
	log_set_level(LOG_LEVEL_ERROR);
	if (sd_event_new(&loop) >= 0 && ofono_new(loop, NULL, &ofono) == 0)
		code = cmd_modem_run_with(&arguments, ofono, loop);
	else
		code = options_report_failure("internal", "", "out of memory");
	ofono_free(ofono);
	sd_event_unref(loop);
	return code;
}

const struct command cmd_modem = {
	.name = "modem",
	.verbs = "list|on|off",
	.group = COMMAND_SIMS,
	.summary = "list modems, switch them on or off",
	.example = "modem on --registered all",
	.run = cmd_modem_run,
};
