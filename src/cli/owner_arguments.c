/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/owner_arguments.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/usage.h"
#include "base/explanation.h"

enum {
	NUMBER_DIGITS = 18,
	WORDS_BYTES = 64,
	/* codes of getopt_long(); an option of the command has its place */
	OPTION_CONFIG = OWNER_OPTIONS_MAX + 1,
	OPTION_STATE_DIR,
	OPTION_JSON,
	OPTION_HELP,
};

static const struct option common_options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

enum { COMMON_OPTIONS = sizeof(common_options) / sizeof(common_options[0]) };

unsigned owner_options_count(const struct owner_command *command)
{
	unsigned count = 0;

	while (command->options && command->options[count].name)
		count++;
	assert(count <= OWNER_OPTIONS_MAX);
	return count;
}

struct given {
	const char *config;
	const char *state_dir;
	bool help;
};

static void fill_options(const struct owner_command *command, struct option *options)
{
	unsigned count = owner_options_count(command);

	for (unsigned at = 0; at < count; at++) {
		const struct owner_option *option = &command->options[at];

		options[at] = (struct option){
			.name = option->name,
			.has_arg = option->is_flag ? no_argument : required_argument,
			.val = (int)at,
		};
	}
	memcpy(options + count, common_options, sizeof(common_options));
}

/* 0, or an exit code: all has been said. */
static int read_options(struct owner_call *call, int argc, char **argv,
			struct given *given)
{
	struct option options[OWNER_OPTIONS_MAX + COMMON_OPTIONS];
	int code;

	fill_options(call->command, options);
	while ((code = usage_next_option(argc, argv, options)) != -1) {
		if (code == '?')
			return EXIT_CODE_USAGE;
		if (code < OWNER_OPTIONS_MAX)
			call->values[code] = optarg ? optarg : "";
		if (code == OPTION_CONFIG)
			given->config = optarg;
		if (code == OPTION_STATE_DIR)
			given->state_dir = optarg;
		call->json |= code == OPTION_JSON;
		given->help |= code == OPTION_HELP;
	}
	return 0;
}

static int read_operands(struct owner_call *call, int argc, char **argv)
{
	call->operands = argv + optind;
	call->operand_count = argc - optind;
	return call->operand_count ? 0 : usage_fail("an argument is missing");
}

static int read_operand(struct owner_call *call, int argc, char **argv)
{
	const struct owner_command *command = call->command;

	if (command->operands_are_many)
		return read_operands(call, argc, argv);
	if (optind < argc && command->operand)
		call->operand = argv[optind++];
	if (optind < argc)
		return usage_fail("that is one argument too many");
	if (call->operand && !*call->operand)
		return usage_fail("an empty argument says nothing");
	if (command->operand && !command->operand_is_optional && !call->operand)
		return usage_fail("an argument is missing");
	return 0;
}

static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= NUMBER_DIGITS && !text[digits];
}

static int check_number(const struct owner_option *option, const char *value)
{
	bool is_bound = option->most;
	int64_t number = is_number(value) ? strtoll(value, NULL, 10) : -1;

	if (number < 0 && !is_bound)
		return usage_fail("--%s takes a whole number", option->name);
	if (is_bound && (number < option->least || number > option->most))
		return usage_fail("--%s takes a whole number from %lld to %lld",
				  option->name, (long long)option->least,
				  (long long)option->most);
	return 0;
}

static int check_word(const struct owner_option *option, const char *value)
{
	char words[WORDS_BYTES] = "";
	size_t length = 0;

	for (const char *const *word = option->words; *word; word++) {
		if (strcmp(*word, value) == 0)
			return 0;
		length += (size_t)snprintf(words + length, sizeof(words) - length, "%s%s",
					   !length   ? ""
					   : word[1] ? ", "
						     : " or ",
					   *word);
		assert(length < sizeof(words));
	}
	return usage_fail("--%s takes %s", option->name, words);
}

/* What can be told of them without the gateway. */
static int check_values(const struct owner_call *call)
{
	const struct owner_command *command = call->command;
	int code = 0;

	if (command->operand_is_number && call->operand && !is_number(call->operand))
		return usage_fail("that is no whole number");
	for (unsigned at = 0; !code && at < owner_options_count(command); at++) {
		const struct owner_option *option = &command->options[at];

		if (option->is_number && call->values[at])
			code = check_number(option, call->values[at]);
		else if (option->words && call->values[at])
			code = check_word(option, call->values[at]);
	}
	return code;
}

static int read_config(struct owner_call *call, const struct given *given)
{
	struct explanation problem = { "" };

	if (config_load_for(&call->config, given->config, given->state_dir, &problem) ==
	    0)
		return 0;
	return usage_fail_config(problem.text);
}

/* All that was given goes into JSON. */
static bool is_utf8(int argc, char **argv)
{
	for (int at = 0; at < argc; at++) {
		if (!utf8_valid(argv[at], strlen(argv[at])))
			return false;
	}
	return true;
}

static int check_all(struct owner_call *call, const struct given *given)
{
	const struct owner_command *command = call->command;
	const char *flaw = NULL;
	int code = check_values(call);

	if (!code && command->flaw && (flaw = command->flaw(call)))
		code = usage_fail("%s", flaw);
	return code ? code : read_config(call, given);
}

bool owner_arguments_read(struct owner_call *call, int argc, char **argv, int *code_out)
{
	struct given given = { NULL };
	int code;

	if (!is_utf8(argc, argv)) {
		*code_out = usage_fail("an argument is not UTF-8");
		return false;
	}
	code = read_options(call, argc, argv, &given);
	if (!code && given.help) {
		fputs(call->command->help, stdout);
		*code_out = EXIT_CODE_OK;
		return false;
	}
	if (!code)
		code = read_operand(call, argc, argv);
	if (!code)
		code = check_all(call, &given);
	*code_out = code;
	return !code;
}
