/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * getopt_long() reads the options, silently; the errors are ours.  A wrong option is reported
 * with the options that it may stand for, or with the most similar one.
 */
#include "cli/options.h"
#include "cli/options_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/explanation.h"
#include "cli/cli_failure.h"
#include "cli/command.h"

enum {
	TEXT_BYTES = 1024,
	NAME_BYTES = 32,
	SHORTEST_JSON = 3, /* "--j" */
	WORD_LETTERS_MAX = 31,
	LETTERS_PER_TYPO = 3,
	TYPOS_MAX = 2,
};

/* Of this process; set once, by options_begin(). */
static struct {
	char command[NAME_BYTES];
	bool json;
} options_process;

/* Found without getopt_long(), because the options may be what is wrong. */
static bool options_have_json(int argc, char **argv)
{
	for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++) {
		size_t length = strlen(argv[at]);

		if (length >= SHORTEST_JSON && strncmp("--json", argv[at], length) == 0)
			return true;
	}
	return false;
}

void options_begin(int argc, char **argv)
{
	snprintf(options_process.command, sizeof(options_process.command), "%s", argv[0]);
	options_process.json = options_have_json(argc, argv);
}

int options_fail(const char *format, ...)
{
	char message[TEXT_BYTES], fix[2 * NAME_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	snprintf(fix, sizeof(fix), "Try: ofono-mcp %s --help", options_process.command);
	cli_failure_make_valid(message);
	if (options_process.json)
		cli_failure_write_json("invalid_argument", message, fix);
	fprintf(stderr, "ofono-mcp %s: %s\n%s\n", options_process.command, message, fix);
	return EXIT_CODE_USAGE;
}

int options_fail_config(const char *message)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s", message);
	cli_failure_make_valid(text);
	if (options_process.json)
		cli_failure_write_json("invalid_configuration", text, "");
	fprintf(stderr, "ofono-mcp %s: %s\n", options_process.command, text);
	return EXIT_CODE_USAGE;
}

/* Similar words */

static unsigned options_min(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

/* The Levenshtein distance, computed one row at a time. */
static unsigned options_distance(const char *given, const char *word)
{
	size_t length = strlen(word);
	unsigned row[WORD_LETTERS_MAX + 1];

	for (unsigned at = 0; at <= length; at++)
		row[at] = at;
	for (unsigned line = 1; *given; given++, line++) {
		unsigned before = row[0];

		row[0] = line;
		for (size_t at = 1; at <= length; at++) {
			unsigned changed = before + (word[at - 1] != *given);

			before = row[at];
			row[at] = options_min(changed,
					      options_min(row[at], row[at - 1]) + 1);
		}
	}
	return row[length];
}

bool options_are_similar(const char *given, const char *word)
{
	size_t length = strlen(word);
	unsigned typos = options_min(TYPOS_MAX, (unsigned)length / LETTERS_PER_TYPO);

	return length <= WORD_LETTERS_MAX && strlen(given) <= WORD_LETTERS_MAX &&
	       options_distance(given, word) <= typos;
}

/* Wrong options */

/* "--s" -> "--scope or --sim"; "" if no option begins so. */
static void options_list_matches(const char *given, const struct option *options,
				 char text[TEXT_BYTES])
{
	size_t given_length = strlen(given), length = 0;

	*text = '\0';
	for (; options->name && length < TEXT_BYTES; options++) {
		if (strncmp(options->name, given, given_length) == 0)
			length += (size_t)snprintf(text + length, TEXT_BYTES - length,
						   "%s--%s", length ? " or " : "",
						   options->name);
	}
}

/* NULL: no option is similar. */
static const char *options_find_similar(const char *given, const struct option *options)
{
	for (; options->name; options++) {
		if (options_are_similar(given, options->name))
			return options->name;
	}
	return NULL;
}

/* After getopt_long() returned '?'. */
static void options_fail_option(const char *given, const struct option *options)
{
	char matches[TEXT_BYTES];
	const char *similar;

	if (strncmp(given, "--", 2) == 0 && optopt) {
		options_fail("%.*s takes no value", (int)strcspn(given, "="), given);
		return;
	}
	if (optopt) {
		options_fail("there is no option -%c", optopt);
		return;
	}
	options_list_matches(given + 2, options, matches);
	similar = options_find_similar(given + 2, options);
	if (*matches)
		options_fail("%s can mean %s", given, matches);
	else if (similar)
		options_fail("there is no option %s; did you mean --%s?", given, similar);
	else
		options_fail("there is no option %s", given);
}

int options_next(int argc, char **argv, const struct option *options)
{
	int code;

	opterr = 0;
	optopt = 0;
	code = getopt_long(argc, argv, ":", options, NULL);
	if (code == '?')
		options_fail_option(argv[optind - 1], options);
	if (code != ':')
		return code;
	options_fail("%s needs a value", argv[optind - 1]);
	return '?';
}

/* Commands that work on the message store without the gateway */

static bool options_end(int *code_out, int code)
{
	*code_out = code;
	return false;
}

/* Returns what is wrong with the operands, or NULL. */
static int options_check_operands(const struct options_store_command *command, int count,
				  char **operands)
{
	if (count == 0 && command->argument_is_optional)
		return 0;
	if (count == 0 || !**operands)
		return options_fail("an argument is missing");
	return count > 1 ? options_fail("unexpected argument \"%s\"", operands[1]) : 0;
}

bool options_read_store(const struct options_store_command *command, int argc,
			char **argv, struct options_store *store_out, int *code_out)
{
	const char *file = NULL, *state_dir = NULL, *error;
	struct explanation problem = { "" };
	int option, code;

	*store_out = (struct options_store){ 0 };
	while ((option = options_next(argc, argv, command->options)) != -1) {
		if (option == OPTIONS_HELP) {
			fputs(command->help, stdout);
			return options_end(code_out, EXIT_CODE_OK);
		}
		if (option == '?')
			return options_end(code_out, EXIT_CODE_USAGE);
		if (option == OPTIONS_CONFIG)
			file = optarg;
		if (option == OPTIONS_STATE_DIR)
			state_dir = optarg;
		store_out->force |= option == OPTIONS_FORCE;
		store_out->json |= option == OPTIONS_JSON;
		if (option >= OPTIONS_OTHER &&
		    (error = command->read(command->data, option, optarg)))
			return options_end(code_out, options_fail("%s", error));
	}
	code = options_check_operands(command, argc - optind, argv + optind);
	if (code)
		return options_end(code_out, code);
	store_out->argument = argv[optind];
	if (config_load_for(&store_out->config, file, state_dir, &problem) == 0)
		return true;
	return options_end(code_out, options_fail_config(problem.text));
}
