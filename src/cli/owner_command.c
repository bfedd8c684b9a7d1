/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/owner_command.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/utf8.h"
#include "cli/ask_gateway.h"
#include "cli/command.h"
#include "cli/failing.h"
#include "cli/progress.h"
#include "cli/usage.h"
#include "control/control_call.h"

enum {
	NAME_BYTES = 32,
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

static unsigned count_options(const struct owner_command *command)
{
	unsigned count = 0;

	while (command->options && command->options[count].name)
		count++;
	assert(count <= OWNER_OPTIONS_MAX);
	return count;
}

const char *owner_call_value(const struct owner_call *call, const char *option)
{
	for (unsigned at = 0; at < count_options(call->command); at++) {
		if (strcmp(call->command->options[at].name, option) == 0)
			return call->values[at];
	}
	return NULL;
}

/* Options */

struct given {
	const char *config;
	const char *state_dir;
	bool help;
};

static void fill_options(const struct owner_command *command, struct option *options)
{
	unsigned count = count_options(command);

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
	for (unsigned at = 0; !code && at < count_options(command); at++) {
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

/* The request */

/* "per-minute" -> "per_minute" */
static void name_argument(const char *option, char name[NAME_BYTES])
{
	size_t at;

	for (at = 0; at < NAME_BYTES - 1 && option[at]; at++)
		name[at] = option[at] == '-' ? '_' : option[at];
	name[at] = '\0';
}

static void put_option(struct json_writer *writer, const struct owner_option *option,
		       const char *value)
{
	char name[NAME_BYTES];

	if (!value || option->is_local)
		return;
	name_argument(option->argument ? option->argument : option->name, name);
	if (option->is_flag)
		json_put_boolean(writer, name, true);
	else if (option->is_number)
		json_put_integer(writer, name, strtoll(value, NULL, 10));
	else
		json_put_string(writer, name, value);
}

static int write_arguments(const struct owner_call *call, struct json_writer *writer)
{
	const struct owner_command *command = call->command;

	if (call->operand && command->operand_is_number)
		json_put_integer(writer, command->operand,
				 strtoll(call->operand, NULL, 10));
	else if (call->operand)
		json_put_string(writer, command->operand, call->operand);
	for (unsigned at = 0; at < count_options(command); at++)
		put_option(writer, &command->options[at], call->values[at]);
	return command->add ? command->add(call, writer) : 0;
}

static int write_request(const struct owner_call *call, struct buffer *request)
{
	struct json_writer *writer = json_writer_new(request);
	int code;

	if (!writer)
		return EXIT_CODE_FAILED;
	json_open_object(writer);
	json_put_string(writer, "command", call->command->name);
	json_key(writer, "arguments");
	json_open_object(writer);
	code = write_arguments(call, writer);
	json_close_object(writer);
	json_close_object(writer);
	json_writer_free(writer);
	return !code && request->failed ? EXIT_CODE_FAILED : code;
}

/* The answer */

struct answer {
	const struct owner_call *call;
	int (*show)(const struct owner_call *call, const struct json *result);
	struct progress progress;
	bool json; /* printed as it is, in place of being shown */
	int code;
	bool is_over;
};

static const char *text_of(const struct json *object, const char *name)
{
	const char *text = json_string(json_member(object, name));

	return text ? text : "";
}

static int show_error(const struct owner_call *call, const struct json *error)
{
	const char *fix = text_of(error, "fix");

	fflush(stdout); /* what was told before stands before */
	fprintf(stderr, "ofono-mcp %s: %s.\n", call->command->name,
		text_of(error, "message"));
	if (*fix)
		fprintf(stderr, "%s.\n", fix);
	return strcmp(text_of(error, "code"), CONTROL_INVALID_ARGUMENT) == 0
		       ? EXIT_CODE_USAGE
		       : EXIT_CODE_FAILED;
}

static void show_line(struct answer *answer, const struct json *line)
{
	const struct owner_call *call = answer->call;
	const struct json *item = json_member(line, "item");
	const struct json *result = json_member(line, "result");
	const struct json *error = json_member(line, "error");

	if (item) {
		if (!answer->json && call->command->show_item)
			call->command->show_item(call, item);
		return;
	}
	answer->is_over = true;
	if (error)
		answer->code = show_error(call, error);
	else if (result && answer->json)
		answer->code = call->command->judge ? call->command->judge(result)
						    : EXIT_CODE_OK;
	else if (result)
		answer->code = answer->show(call, result);
}

static const struct json *read_line(struct arena *arena, const char *text, size_t length)
{
	struct json_reader *reader = json_reader_new(arena);
	const struct json *root = NULL;

	if (!reader)
		return NULL;
	if (json_reader_feed(reader, text, length) || json_reader_finish(reader, &root))
		root = NULL;
	json_reader_free(reader);
	return root;
}

/* {"result":X} -> X; an error stays what it is. */
static void print_json(const char *line, size_t length)
{
	static const char *const wrappings[] = { "{\"result\":", "{\"item\":" };

	for (size_t at = 0; at < sizeof(wrappings) / sizeof(wrappings[0]); at++) {
		size_t wrapping = strlen(wrappings[at]);

		if (length > wrapping && strncmp(line, wrappings[at], wrapping) == 0) {
			line += wrapping;
			length -= wrapping + 1;
		}
	}
	printf("%.*s\n", (int)length, line);
}

/* False: nobody hears any more what has no end. */
static bool on_told(void *data, const char *text, size_t length)
{
	struct arena *arena = arena_new(2 * CONTROL_ANSWER_MAX);
	const struct json *line = arena ? read_line(arena, text, length) : NULL;
	const struct json *progress = json_member(line, "progress");
	struct answer *answer = data;

	if (progress) {
		progress_note(&answer->progress, text_of(progress, "message"));
		line = NULL;
	} else {
		progress_clear(&answer->progress);
	}
	if (line && (answer->json || (answer->call->json && json_member(line, "error"))))
		print_json(text, length);
	if (line)
		show_line(answer, line);
	arena_free(arena);
	return !answer->call->command->is_endless || fflush(stdout) == 0;
}

static void on_second(void *data)
{
	struct answer *answer = data;

	progress_tick(&answer->progress);
}

/* Nobody answered to the end. */
static int fail_unanswered(const struct owner_call *call, bool was_asked,
			   const char *problem)
{
	const char *when_lost = was_asked ? call->command->when_lost : NULL;
	const struct failing failing = {
		call->command->name,
		was_asked ? "no_answer" : "not_reachable",
		when_lost ? when_lost : "More tells: sudo ofono-mcp doctor",
		call->json,
	};

	return failing_tell(&failing, "%s", problem);
}

static int ask(struct answer *answer, const struct buffer *request)
{
	const struct owner_call *call = answer->call;
	bool was_asked = false;
	const struct gateway_question question = {
		.config = &call->config,
		.command = call->command->name,
		.line = request->data,
		.length = request->length,
		.told = on_told,
		.second = on_second,
		.data = answer,
		.was_asked = &was_asked,
		.is_endless = call->command->is_endless,
	};
	struct explanation problem = { "" };
	bool answered;

	progress_begin(&answer->progress, call->command->meanwhile
						  ? call->command->meanwhile
						  : "asking the gateway");
	answered = ask_gateway(&question, &problem);
	progress_clear(&answer->progress);
	if (!answered)
		return fail_unanswered(call, was_asked, problem.text);
	if (!answer->is_over)
		return fail_unanswered(
			call, was_asked,
			call->command->is_endless
				? "the gateway has ended"
				: "the gateway ended before it had answered");
	return answer->code;
}

int owner_call_ask(const struct owner_call *call, const struct buffer *request,
		   int (*show)(const struct owner_call *call, const struct json *result))
{
	struct answer answer = { .call = call, .show = show, .code = EXIT_CODE_FAILED };

	return ask(&answer, request);
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

static int run(struct owner_call *call)
{
	struct answer answer = {
		.call = call,
		.show = call->command->show,
		.json = call->json,
		.code = EXIT_CODE_FAILED,
	};
	struct buffer request = BUFFER_INIT;
	int code = write_request(call, &request);

	if (!code)
		code = ask(&answer, &request);
	buffer_wipe(&request); /* there may be a PIN in it */
	return code;
}

int owner_command_run(const struct owner_command *command, int argc, char **argv)
{
	struct owner_call call = { .command = command };
	struct given given = { NULL };
	const char *flaw;
	int code;

	if (!is_utf8(argc, argv))
		return usage_fail("an argument is not UTF-8");
	code = read_options(&call, argc, argv, &given);
	if (code)
		return code;
	if (given.help) {
		fputs(command->help, stdout);
		return EXIT_CODE_OK;
	}
	code = read_operand(&call, argc, argv);
	if (!code)
		code = check_values(&call);
	if (!code && command->flaw && (flaw = command->flaw(&call)))
		code = usage_fail("%s", flaw);
	if (!code)
		code = read_config(&call, &given);
	return code ? code : run(&call);
}
