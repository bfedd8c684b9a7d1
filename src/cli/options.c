/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * getopt_long() reads the options, silently; the errors are ours.  A wrong option is reported
 * with the options that it may stand for, or with the most similar one.
 */
#include "cli/command.h"

#include <assert.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/explanation.h"
#include "base/escape.h"
#include "base/spelling.h"
#include "cli/json_field.h"
#include "config/config.h"

enum {
	TEXT_BYTES = 1024,
	NAME_BYTES = 32,
	SHORTEST_JSON = 3, /* "--j" */
	ROWS_MAX = 24,	   /* below '?' and ':', which getopt_long() may return */
};

/* Of this process; set once, by options_begin(). */
static struct {
	const char *title, *example; /* of the command; NULL before it is known */
	bool json;
} options_process;

/* Found without getopt_long(), because the options may be what is wrong. */
static bool options_have_json(int argc, char **argv)
{
	for (int at = 0; at < argc && strcmp(argv[at], "--") != 0; at++) {
		size_t length = strlen(argv[at]);

		if (length >= SHORTEST_JSON && strncmp("--json", argv[at], length) == 0)
			return true;
	}
	return false;
}

void options_begin(const struct command *command, int argc, char **argv)
{
	options_process.title = command ? options_title(command) : NULL;
	options_process.example = command ? command->example : NULL;
	options_process.json = options_have_json(argc, argv);
}

const char *options_title(const struct command *command)
{
	return command->title ? command->title : command->name;
}

/* Reporting what is wrong */

static void options_print_json(const char *code, const char *message, const char *fix)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_field_begin(&text);

	if (writer) {
		json_open_object_at(writer, "error");
		json_put_string(writer, "code", code);
		json_put_string(writer, "message", message);
		json_put_string(writer, "fix", fix);
		json_close_object(writer);
	}
	json_field_end(writer, &text);
}

void options_print_name(void)
{
	const char *title = options_process.title;

	fflush(stdout); /* earlier output comes before the error */
	fprintf(stderr, PROGRAM_NAME "%s%s: ", title ? " " : "", title ? title : "");
}

void options_print_failure(const char *message, const char *fix)
{
	options_print_name();
	fprintf(stderr, "%s.\n", message);
	if (*fix)
		fprintf(stderr, "%s%s\n", fix, options_full_stop(fix));
}

int options_fail_command(const char *message, const char *fix)
{
	if (options_process.json)
		options_print_json("invalid_argument", message, fix);
	options_print_name();
	fprintf(stderr, "%s\n%s\n", message, fix);
	return EXIT_CODE_USAGE;
}

int options_fail(const char *format, ...)
{
	char text[TEXT_BYTES], message[TEXT_BYTES], fix[2 * NAME_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	snprintf(fix, sizeof(fix), "Try: " PROGRAM_NAME " %s --help",
		 options_process.title);
	escape_message(text, message, sizeof(message));
	return options_fail_command(message, fix);
}

const char *options_full_stop(const char *sentence)
{
	const char *command = strstr(sentence, PROGRAM_NAME " ");
	const char *last = strrchr(sentence, ' ');

	return command && last[1] == '/' ? "" : ".";
}

int options_report_failure(const char *code, const char *fix, const char *format, ...)
{
	char text[TEXT_BYTES], message[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	escape_message(text, message, sizeof(message));
	if (options_process.json)
		options_print_json(code, message, fix);
	options_print_failure(message, fix);
	return EXIT_CODE_FAILED;
}

int options_fail_configuration(const struct explanation *problem)
{
	if (options_process.json)
		options_print_json("invalid_configuration", problem->text, "");
	options_print_name();
	fprintf(stderr, "%s\n", problem->text);
	return EXIT_CODE_USAGE;
}

int options_load(const struct options_store *store, struct config *config_out)
{
	struct explanation problem = { "" };

	if (config_load_for(config_out, store->file, store->state_dir, &problem) == 0)
		return EXIT_CODE_OK;
	return options_fail_configuration(&problem);
}

/* Wrong options */

/* Writes "--scope or --sim" for "--s"; "" if no option begins so. */
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

/* Returns NULL if no option is similar. */
static const char *options_find_similar(const char *given, const struct option *options)
{
	const char *best = NULL;

	for (; options->name; options++) {
		if (spelling_is_better(given, options->name, best))
			best = options->name;
	}
	return best;
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

/*
 * Works like getopt_long(), for long options only. Returns '?' for a wrong one, which has been
 * reported.
 */
static int options_next(int argc, char **argv, const struct option *options)
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

const char *options_read_folder(void *data, const char *value)
{
	static char folder[PATH_MAX];
	const char **path_out = data;
	char *here;
	int length;

	*path_out = value;
	if (*value == '/')
		return NULL;
	here = getcwd(NULL, 0);
	if (!here)
		return "--state-dir is not absolute, and the current folder is gone";
	length = snprintf(folder, sizeof(folder), "%s/%s", here, value);
	free(here);
	*path_out = folder;
	return length < PATH_MAX ? NULL : "--state-dir is too long";
}

/* Stores one value. Returns what is wrong with it, or NULL. */
static const char *options_store_value(const struct options_row *row)
{
	if (row->read)
		return row->read(row->data, optarg);
	if (row->flag)
		*row->flag = true;
	else
		*row->text = optarg;
	return NULL;
}

/* "" is most often a variable of a script that is not set. */
static bool options_is_empty(const struct options_row *row)
{
	return !row->flag && !row->may_be_empty && !*optarg;
}

static void options_print_help(const char *help)
{
	fputs(help, stdout);
	if (options_process.example)
		printf("\nExample:\n  " PROGRAM_NAME " %s\n", options_process.example);
}

/* The usage line, "Usage: NAME [OPTION]... ID... [REASON]", names the operand that is missing. */
static int options_fail_missing(const char *help, int count)
{
	const char *word = strstr(help, "OPTION") + strlen("OPTION");

	for (word += strcspn(word, " "); count > 0; count--)
		word += 1 + strcspn(word + 1, " \n");
	return options_fail("%.*s is missing",
			    (int)strspn(word + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
			    word + 1);
}

static int options_check_operands(const struct options_table *table, int count,
				  char **operands)
{
	if (count < table->operands_least)
		return options_fail_missing(table->help, count);
	if (count > table->operands_most)
		return options_fail("unexpected argument \"%s\"",
				    operands[table->operands_most]);
	if (count && table->operands_most == 1 && !**operands)
		return options_fail("an argument is empty");
	return EXIT_CODE_OK;
}

bool options_read(const struct options_table *table, int argc, char **argv, int *code_out)
{
	struct option options[ROWS_MAX + 2] = { { NULL } };
	const char *error;
	int count = 0, code;

	for (; table->rows[count].name; count++) {
		assert(count < ROWS_MAX);
		options[count] = (struct option){
			.name = table->rows[count].name,
			.has_arg =
				table->rows[count].flag ? no_argument : required_argument,
			.val = count,
		};
	}
	options[count] = (struct option){ "help", no_argument, NULL, count };
	*code_out = EXIT_CODE_USAGE;
	while ((code = options_next(argc, argv, options)) != -1) {
		if (code == '?')
			return false;
		if (code == count) {
			options_print_help(table->help);
			*code_out = EXIT_CODE_OK;
			return false;
		}
		if (options_is_empty(&table->rows[code])) {
			options_fail("--%s needs a value that is not empty",
				     table->rows[code].name);
			return false;
		}
		error = options_store_value(&table->rows[code]);
		if (error) {
			options_fail("%s", error);
			return false;
		}
	}
	*code_out = options_check_operands(table, argc - optind, argv + optind);
	return *code_out == EXIT_CODE_OK;
}
