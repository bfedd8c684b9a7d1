/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp doctor: what is wrong, and what to do about it. The gateway may run or not.
 */
#include "cli/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "base/explanation.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/colour.h"
#include "cli/command.h"
#include "cli/failing.h"
#include "cli/usage.h"

enum {
	TEXT_BYTES = 1024,
	OPTION_CONFIG = 1,
	OPTION_STATE_DIR,
	OPTION_JSON,
	OPTION_HELP,
};

static const char help[] =
	"Usage: ofono-mcp doctor [OPTION]...\n"
	"Look at everything that has to be right, and tell what to do about what is "
	"not:\n"
	"configuration, D-Bus and its policy, oFono, each modem, clock, storage, "
	"gateway,\n"
	"tokens, the last message, certificate, ports.\n"
	"The gateway may run or not; without it less can be told. As root it sees most.\n"
	"\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           as a JSON object\n"
	"  --help           this text\n"
	"\n"
	"Exit codes: 0 no problem; 1 there is at least one; 2 wrong options.\n";

static const struct option options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static const struct {
	const char *name;
	enum colour colour;
} levels[] = {
	[DOCTOR_OK] = { "ok", COLOUR_GOOD },
	[DOCTOR_WARNING] = { "warning", COLOUR_WARNING },
	[DOCTOR_PROBLEM] = { "problem", COLOUR_BAD },
};

static void write_finding(struct json_writer *writer, const struct finding *finding,
			  const struct buffer *text)
{
	json_open_object(writer);
	json_put_string(writer, "level", levels[finding->level].name);
	json_put_string(writer, "about", finding->about);
	json_key(writer, "message");
	json_write_text(writer, text->data ? text->data : "", text->length);
	if (finding->fix)
		json_put_string(writer, "fix", finding->fix);
	json_close_object(writer);
}

static void print_finding(const struct finding *finding, const struct buffer *text)
{
	printf("%s%-8s%s %s: %.*s\n", colour_on(levels[finding->level].colour),
	       levels[finding->level].name, colour_off(), finding->about,
	       (int)text->length, text->data ? text->data : "");
	if (finding->fix)
		printf("%9s%s%s\n", "", finding->fix, failing_stop(finding->fix));
	fflush(stdout);
}

/* Names in it come from networks and cards. */
void doctor_tell(struct doctor *doctor, const struct finding *finding, const char *format,
		 ...)
{
	struct buffer shown = BUFFER_INIT;
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	escape_line(&shown, utf8_valid(text, strlen(text)) ? text : "?");
	doctor->counts[finding->level]++;
	if (doctor->writer)
		write_finding(doctor->writer, finding, &shown);
	else
		print_finding(finding, &shown);
	buffer_deinit(&shown);
}

struct asked {
	const char *config;
	const char *state_dir;
	bool json;
};

static bool look_at_config(struct doctor *doctor, const struct asked *asked)
{
	struct explanation problem = { "" };
	struct config *config = &doctor->config;

	if (config_load_for(config, asked->config, asked->state_dir, &problem) == 0 &&
	    config_check(config, &problem) == 0) {
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "configuration" },
			    "%s is good",
			    asked->config ? asked->config : "it is read, and");
		return true;
	}
	doctor_tell(doctor,
		    &(struct finding){ DOCTOR_PROBLEM, "configuration",
				       "Mend it; ofono-mcp serve --check-config tells "
				       "whether it is good" },
		    "%s", problem.text);
	return false;
}

static void look(struct doctor *doctor, const struct asked *asked)
{
	if (!look_at_config(doctor, asked))
		return;
	doctor_look_at_phone(doctor);
	doctor_look_at_gateway(doctor);
	doctor_look_at_certificate(doctor);
	doctor_look_at_secrets(doctor);
	doctor_look_at_network(doctor);
}

static void look_and_print(struct doctor *doctor, const struct asked *asked)
{
	look(doctor, asked);
	if (doctor->counts[DOCTOR_PROBLEM] + doctor->counts[DOCTOR_WARNING] == 0)
		puts("\nAll is well.");
	else
		printf("\nProblems: %u. Warnings: %u.\n", doctor->counts[DOCTOR_PROBLEM],
		       doctor->counts[DOCTOR_WARNING]);
}

static void look_and_write(struct doctor *doctor, const struct asked *asked)
{
	struct buffer text = BUFFER_INIT;

	doctor->writer = json_writer_new(&text);
	if (!doctor->writer) {
		doctor->counts[DOCTOR_PROBLEM]++;
		return;
	}
	json_open_object(doctor->writer);
	json_key(doctor->writer, "findings");
	json_open_array(doctor->writer);
	look(doctor, asked);
	json_close_array(doctor->writer);
	json_put_integer(doctor->writer, "problems", doctor->counts[DOCTOR_PROBLEM]);
	json_put_integer(doctor->writer, "warnings", doctor->counts[DOCTOR_WARNING]);
	json_close_object(doctor->writer);
	json_writer_free(doctor->writer);
	printf("%.*s\n", (int)text.length, text.data ? text.data : "");
	buffer_deinit(&text);
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
		if (option == OPTION_CONFIG)
			asked->config = optarg;
		if (option == OPTION_STATE_DIR)
			asked->state_dir = optarg;
		asked->json |= option == OPTION_JSON;
	}
	if (optind == argc)
		return 0;
	return usage_fail("that is one argument too many");
}

static int run_doctor(int argc, char **argv)
{
	static struct doctor doctor; /* large, and one */
	struct asked asked = { NULL };
	int code = read_options(argc, argv, &asked);

	if (code < 0) {
		fputs(help, stdout);
		return EXIT_CODE_OK;
	}
	if (code)
		return code;
	log_set_level(LOG_LEVEL_ERROR);
	if (asked.json)
		look_and_write(&doctor, &asked);
	else
		look_and_print(&doctor, &asked);
	return doctor.counts[DOCTOR_PROBLEM] ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "tell what is wrong, and what to do about it",
	.run = run_doctor,
};
