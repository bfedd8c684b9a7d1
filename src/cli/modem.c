/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp modem: which modems there are, and switching them on and off.
 *
 * This program does it itself, as root: the gateway is not asked and may not. Where the
 * phone's own software switches its modems nobody needs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/failing.h"
#include "cli/modem_choice.h"
#include "cli/modem_view.h"
#include "cli/turns.h"
#include "cli/usage.h"
#include "ofono/ofono.h"

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

static const char help[] =
	"Usage: ofono-mcp modem [OPTION]... [list]\n"
	"       ofono-mcp modem [OPTION]... on|off [MODEM]...\n"
	"List the modems that oFono knows, or switch them on, which takes them out of\n"
	"flight mode, too, or off.\n"
	"\n"
	"MODEM is the path of a modem in oFono, or the last part of it, or \"all\"; it "
	"may\n"
	"be left out where there is only one. To switch takes root; the gateway is not\n"
	"asked, and need not run.\n"
	"\n"
	"  --registered  with on: wait until a network took its SIM card, too\n"
	"  --timeout S   wait S seconds at most, 60 when left out, 600 at most\n"
	"  --json        as a JSON object\n"
	"  --help        this text\n"
	"\n"
	"The bus is the system bus, or DBUS_SYSTEM_BUS_ADDRESS.\n"
	"Exit codes: 0 listed; all are as they were to be, whether by this or before;\n"
	"1 at least one is not, and standard error tells why; 2 wrong options.\n";

static const struct option options[] = {
	{ "registered", no_argument, NULL, OPTION_REGISTERED },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct asked {
	bool switches; /* false: only a list */
	struct switching_wish wish;
	int timeout_s;
	bool json;
	char **names;
	int name_count;
};

/* {"modems": [...]}. False: no memory. */
static bool print_modems(const void *data,
			 void (*write)(struct json_writer *writer, const void *data))
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

/* Failing */

static struct failing failing(const struct asked *asked, const char *code,
			      const char *fix)
{
	return (struct failing){ "modem", code, fix, asked->json };
}

/* The same command. */
static void say_as_root(const struct asked *asked, char fix[FIX_BYTES])
{
	int length = snprintf(fix, FIX_BYTES, "Run it as root: sudo ofono-mcp modem%s",
			      !asked->switches ? ""
			      : asked->wish.on ? " on"
					       : " off");

	for (int at = 0; at < asked->name_count && length < FIX_BYTES; at++)
		length += snprintf(fix + length, (size_t)(FIX_BYTES - length), " %s",
				   asked->names[at]);
}

static int fail_unreachable(const struct asked *asked, const struct ofono *ofono)
{
	char as_root[FIX_BYTES];
	const struct {
		const char *words; /* of ofono_condition() */
		const char *code;
		const char *fix;
	} rows[] = {
		{ "refuses", "refused", as_root },
		{ "no D-Bus", "no_bus", "Start the system bus: systemctl start dbus" },
		{ "not running", "ofono_unavailable", "Start it: systemctl start ofono" },
		{ "", "ofono_unavailable",
		  "Look into the log of ofonod, then restart it: systemctl restart "
		  "ofono" },
	};
	const char *condition = ofono_condition(ofono);
	struct failing it;
	size_t row = 0;

	say_as_root(asked, as_root);
	while (!strstr(condition, rows[row].words))
		row++;
	it = failing(asked, rows[row].code, rows[row].fix);
	return failing_tell(&it, "%s", condition);
}

/* Switching */

static bool are_over(void *data)
{
	struct modem_choice *choice = data;
	bool all = true;

	for (unsigned at = 0; at < choice->count; at++)
		all &= switching_is_over(&choice->all[at]);
	return all;
}

static void write_choice(struct json_writer *writer, const void *data)
{
	const struct modem_choice *choice = data;

	for (unsigned at = 0; at < choice->count; at++)
		switching_write(&choice->all[at], writer);
}

static int tell(const struct asked *asked, const struct modem_choice *choice)
{
	int code = EXIT_CODE_OK;

	if (asked->json && !print_modems(choice, write_choice))
		code = EXIT_CODE_FAILED;
	for (unsigned at = 0; at < choice->count; at++) {
		bool is_success = switching_is_success(&choice->all[at]);

		if (!asked->json || !is_success)
			switching_print(&choice->all[at]);
		if (!is_success)
			code = EXIT_CODE_FAILED;
	}
	return code;
}

static int switch_them(const struct asked *asked, struct ofono *ofono, sd_event *loop)
{
	static struct modem_choice choice; /* large, and one */
	static struct modem_choice_flaw flaw;
	struct failing it;
	const struct turns turns = {
		.loop = loop,
		.is_over = are_over,
		.data = &choice,
		.limit_ms = asked->timeout_s * 1000,
		.words = asked->wish.on ? "switching on" : "switching off",
	};
	int code;

	if (!modem_choice_begin(&choice, ofono, asked->names, asked->name_count,
				&asked->wish, &flaw)) {
		modem_choice_end(&choice);
		it = failing(asked, flaw.code, flaw.fix);
		return failing_tell(&it, "%s", flaw.message);
	}
	if (!turns_run(&turns)) {
		for (unsigned at = 0; at < choice.count; at++)
			switching_give_up(&choice.all[at]);
	}
	code = tell(asked, &choice);
	modem_choice_end(&choice);
	return code;
}

/* Listing */

static void write_list(struct json_writer *writer, const void *data)
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

static bool has_any(const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (!modem_is_foreign(modem))
			return true;
	}
	return false;
}

static bool is_settled(void *data)
{
	return ofono_is_settled(data);
}

static int run_on(const struct asked *asked, struct ofono *ofono, sd_event *loop)
{
	const struct failing none =
		failing(asked, "no_modem",
			"Look whether it is plugged in, and into the log of ofonod");
	const struct turns turns = {
		.loop = loop,
		.is_over = is_settled,
		.data = ofono,
		.limit_ms = asked->timeout_s < LISTEN_S ? asked->timeout_s * 1000
							: LISTEN_S * 1000,
		.words = "asking oFono",
	};

	turns_run(&turns);
	if (!ofono_is_available(ofono))
		return fail_unreachable(asked, ofono);
	if (!has_any(ofono))
		return failing_tell(&none, "oFono knows no modem");
	if (asked->switches)
		return switch_them(asked, ofono, loop);
	if (asked->json)
		return print_modems(ofono, write_list) ? EXIT_CODE_OK : EXIT_CODE_FAILED;
	modem_view_print_table(ofono_modems(ofono));
	return EXIT_CODE_OK;
}

/* Options */

static bool parse_timeout(const char *text, int *seconds_out)
{
	char *end;
	long seconds = strtol(text, &end, 10);

	*seconds_out = (int)seconds;
	return *text && !*end && seconds >= 1 && seconds <= TIMEOUT_MAX_S;
}

/* 0, or an exit code. -1: only help is wanted. */
static int read_options(int argc, char **argv, struct asked *asked)
{
	int option;

	while ((option = usage_next_option(argc, argv, options)) != -1) {
		if (option == '?')
			return EXIT_CODE_USAGE;
		if (option == OPTION_HELP)
			return -1;
		if (option == OPTION_TIMEOUT && !parse_timeout(optarg, &asked->timeout_s))
			return usage_fail("--timeout takes 1 to 600 seconds");
		asked->wish.registered |= option == OPTION_REGISTERED;
		asked->json |= option == OPTION_JSON;
	}
	return 0;
}

static int read_verb(int argc, char **argv, struct asked *asked)
{
	const char *verb = optind < argc ? argv[optind++] : "list";

	asked->wish.on = strcmp(verb, "on") == 0;
	asked->switches = asked->wish.on || strcmp(verb, "off") == 0;
	asked->names = argv + optind;
	asked->name_count = argc - optind;
	if (!asked->switches && strcmp(verb, "list") != 0)
		return usage_fail("say list, on or off");
	if (!asked->switches && asked->name_count)
		return usage_fail("that is one argument too many");
	if (asked->wish.registered && !asked->wish.on)
		return usage_fail("--registered goes with on");
	for (int at = 0; at < asked->name_count; at++) {
		if (!utf8_valid(asked->names[at], strlen(asked->names[at])))
			return usage_fail("an argument is not UTF-8");
	}
	return 0;
}

static int run_modem(int argc, char **argv)
{
	struct asked asked = { .timeout_s = TIMEOUT_S };
	int code = read_options(argc, argv, &asked);
	struct ofono *ofono = NULL;
	sd_event *loop = NULL;

	if (code < 0) {
		fputs(help, stdout);
		return EXIT_CODE_OK;
	}
	if (!code)
		code = read_verb(argc, argv, &asked);
	if (code)
		return code;
	log_set_level(LOG_LEVEL_ERROR);
	if (sd_event_new(&loop) >= 0 && ofono_new(loop, NULL, &ofono) == 0) {
		code = run_on(&asked, ofono, loop);
	} else {
		fputs("ofono-mcp modem: out of memory\n", stderr);
		code = EXIT_CODE_FAILED;
	}
	ofono_free(ofono);
	sd_event_unref(loop);
	return code;
}

const struct command command_modem = {
	.name = "modem",
	.summary = "list modems, switch them on or off",
	.run = run_modem,
};
