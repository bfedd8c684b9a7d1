/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What owner_command_run() does:
 *
 *   options and operands -> checked as far as possible here -> request, one line of JSON
 *   -> control_client_run() -> each line of the answer: item, progress, result or error
 *
 * An item is printed at once.  Progress replaces the words of the progress line.  The result or
 * the error is the last line and decides the exit code.
 */
#include "cli/owner_command.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "gateway/control.h"

enum {
	NAME_BYTES = 32,
	NUMBER_DIGITS = 18,
	WORDS_BYTES = 128,
};

static unsigned owner_command_count_options(const struct owner_command *command)
{
	unsigned count = 0;

	while (command->options && command->options[count].name)
		count++;
	assert(count <= OWNER_COMMAND_OPTIONS_MAX);
	return count;
}

const char *owner_command_value(const struct owner_command_call *call, const char *option)
{
	for (unsigned at = 0; at < owner_command_count_options(call->command); at++) {
		if (strcmp(call->command->options[at].name, option) == 0)
			return call->flags[at] ? "" : call->values[at];
	}
	return NULL;
}

/* The command line. These functions return 0, or an exit code after reporting an error. */

static bool owner_command_read_options(struct owner_command_call *call, int argc,
				       char **argv, int *code_out)
{
	const struct owner_command *command = call->command;
	struct options_row rows[OWNER_COMMAND_OPTIONS_MAX + 4] = { { NULL } };
	const struct options_row store[] = { OPTIONS_STORE_ROWS(&call->store) };
	const struct options_table table = {
		.help = command->help,
		.rows = rows,
		.operands_least = (command->takes_operands || command->operand) &&
				  !command->operand_is_optional,
		.operands_most =
			command->takes_operands ? argc : command->operand != NULL,
	};
	unsigned count = owner_command_count_options(command);

	for (unsigned at = 0; at < count; at++)
		rows[at] = (struct options_row){
			.name = command->options[at].name,
			.flag = command->options[at].is_flag ? &call->flags[at] : NULL,
			.text = &call->values[at],
			.may_be_empty = command->options[at].may_be_empty,
		};
	memcpy(rows + count, store, sizeof(store));
	if (!options_read(&table, argc, argv, code_out))
		return false;
	call->operands = argv + optind;
	call->operand_count = argc - optind;
	if (command->operand)
		call->operand = argv[optind];
	return true;
}

static bool owner_command_is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= NUMBER_DIGITS && !text[digits];
}

/* The IDs of messages begin at 1. */
static bool owner_command_is_id(const char *text)
{
	return owner_command_is_number(text) && strspn(text, "0") < strlen(text);
}

static int owner_command_check_number(const struct owner_command_option *option,
				      const char *value)
{
	bool is_bound = option->most;
	int64_t number = owner_command_is_number(value) ? strtoll(value, NULL, 10) : -1;

	if (number < 0 && !is_bound)
		return options_fail("--%s takes a whole number", option->name);
	if (is_bound && (number < option->least || number > option->most))
		return options_fail("--%s takes a whole number from %lld to %lld",
				    option->name, (long long)option->least,
				    (long long)option->most);
	return 0;
}

static int owner_command_check_word(const struct owner_command_option *option,
				    const char *value)
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
	return options_fail("--%s takes %s", option->name, words);
}

static int owner_command_check_values(const struct owner_command_call *call)
{
	const struct owner_command *command = call->command;
	int code = 0;

	if (command->operand_is_number && call->operand &&
	    !owner_command_is_id(call->operand))
		return options_fail("\"%s\" is not a whole number from 1 to %lld",
				    call->operand, (long long)OWNER_COMMAND_NUMBER_MAX);
	for (unsigned at = 0; !code && at < owner_command_count_options(command); at++) {
		const struct owner_command_option *option = &command->options[at];

		if (option->is_number && call->values[at])
			code = owner_command_check_number(option, call->values[at]);
		else if (option->words && call->values[at])
			code = owner_command_check_word(option, call->values[at]);
	}
	return code;
}

/* Returns false if help or an error has been printed; exit with *code_out. */
static bool owner_command_read_arguments(struct owner_command_call *call, int argc,
					 char **argv, int *code_out)
{
	const struct owner_command *command = call->command;
	const char *error = NULL;
	int code = 0;

	for (int at = 0; at < argc && !code; at++) {
		if (!utf8_valid(argv[at], strlen(argv[at]))) /* JSON takes nothing else */
			code = options_fail("an argument is not UTF-8");
	}
	if (!code && !owner_command_read_options(call, argc, argv, code_out))
		return false;
	if (!code)
		code = owner_command_check_values(call);
	if (!code && command->check && (error = command->check(call)))
		code = options_fail("%s", error);
	if (!code)
		code = options_load(&call->store, call->config);
	*code_out = code;
	return !code;
}

/* The request */

static void owner_command_put_option(const struct owner_command_call *call,
				     const struct owner_command_option *option,
				     struct json_writer *writer)
{
	const char *value = owner_command_value(call, option->name);
	char name[NAME_BYTES], *dash;

	if (!value || option->is_local)
		return;
	snprintf(name, sizeof(name), "%s",
		 option->argument ? option->argument : option->name);
	while ((dash = strchr(name, '-'))) /* "per-minute" -> "per_minute" */
		*dash = '_';
	if (option->is_flag)
		json_put_boolean(writer, name, true);
	else if (option->is_number)
		json_put_integer(writer, name, strtoll(value, NULL, 10));
	else
		json_put_string(writer, name, value);
}

static int owner_command_write_arguments(const struct owner_command_call *call,
					 struct json_writer *writer)
{
	const struct owner_command *command = call->command;

	if (call->operand && command->operand_is_number)
		json_put_integer(writer, command->operand,
				 strtoll(call->operand, NULL, 10));
	else if (call->operand)
		json_put_string(writer, command->operand, call->operand);
	for (unsigned at = 0; at < owner_command_count_options(command); at++)
		owner_command_put_option(call, &command->options[at], writer);
	return command->add ? command->add(call, writer) : 0;
}

static int owner_command_write_request(const struct owner_command_call *call,
				       struct buffer *request)
{
	struct json_writer *writer = json_writer_new(request);
	int code;

	if (!writer)
		return EXIT_CODE_FAILED;
	json_open_object(writer);
	json_put_string(writer, "command", call->name);
	json_open_object_at(writer, "arguments");
	code = owner_command_write_arguments(call, writer);
	json_close_object(writer);
	json_close_object(writer);
	json_writer_free(writer);
	return !code && request->failed ? EXIT_CODE_FAILED : code;
}

/* The answer */

struct owner_command_answer {
	const struct owner_command_call *call;
	owner_command_handler *handler; /* NULL if lines are printed as they are */
	struct progress progress;
	int code;
	bool is_over;
};

static int owner_command_print_error(const struct json *error)
{
	options_print_failure(json_field_text(error, "message"),
			      json_field_text(error, "fix"));
	return strcmp(json_field_text(error, "code"), CONTROL_INVALID_ARGUMENT) == 0
		       ? EXIT_CODE_USAGE
		       : EXIT_CODE_FAILED;
}

/* Returns what is shown of a result. */
static const struct json *owner_command_member(const struct owner_command_call *call,
					       const struct json *result)
{
	return call->command->member ? json_member(result, call->command->member)
				     : result;
}

static void owner_command_handle_line(struct owner_command_answer *answer,
				      const struct json *line)
{
	const struct owner_command_call *call = answer->call;
	const struct json *item = json_member(line, "item");
	const struct json *result = json_member(line, "result");
	const struct json *error = json_member(line, "error");

	if (item) {
		if (answer->handler && call->command->print_item)
			call->command->print_item(call, item);
		return;
	}
	answer->is_over = true;
	if (error)
		answer->code = owner_command_print_error(error);
	else if (result && !answer->handler)
		answer->code = call->command->judge ? call->command->judge(result)
						    : EXIT_CODE_OK;
	else if (result)
		answer->code = answer->handler(call, owner_command_member(call, result));
}

/* Prints X of {"result":X} and {"item":X}, and an error as it is. */
static void owner_command_print_json(const char *line, size_t length)
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

static void owner_command_print_member(const struct json *member)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	if (writer)
		json_write_canonical(writer, member);
	json_writer_free(writer);
	printf("%.*s\n", (int)text.length, text.data ? text.data : "{}");
	buffer_deinit(&text);
}

static void owner_command_print_line(const struct owner_command_call *call,
				     const struct json *line, const char *text,
				     size_t length)
{
	const struct json *result = json_member(line, "result");

	if (call->command->member && result)
		owner_command_print_member(owner_command_member(call, result));
	else
		owner_command_print_json(text, length);
}

/* Returns whether only an error ends the answer. */
static bool owner_command_is_endless(const struct owner_command_call *call)
{
	return call->command->is_endless ||
	       owner_command_value(call, OWNER_COMMAND_FOLLOW);
}

/* Returns false if an endless answer has lost its reader. */
static bool owner_command_on_line(void *data, const char *text, size_t length)
{
	struct arena *arena = arena_new(2 * CONTROL_ANSWER_MAX);
	const struct json *line = arena ? json_field_parse(arena, text, length) : NULL;
	const struct json *progress = json_member(line, "progress");
	struct owner_command_answer *answer = data;

	if (progress) {
		progress_set_words(&answer->progress,
				   json_field_text(progress, "message"));
		line = NULL;
	} else {
		progress_clear(&answer->progress);
	}
	if (line && (!answer->handler ||
		     (answer->call->store.json && json_member(line, "error"))))
		owner_command_print_line(answer->call, line, text, length);
	if (line)
		owner_command_handle_line(answer, line);
	arena_free(arena);
	return !owner_command_is_endless(answer->call) || fflush(stdout) == 0;
}

static int owner_command_fail_unanswered(const struct owner_command_call *call,
					 bool was_sent, const char *problem)
{
	const char *fix = was_sent ? call->command->fix_if_lost : NULL;

	return options_report_failure(
		was_sent ? "no_answer" : "not_reachable",
		fix ? fix : "For details, run: sudo " PROGRAM_NAME " doctor", "%s",
		problem);
}

/* If `handler` is NULL, the lines are printed as they are. Returns the exit code. */
static int owner_command_request(const struct owner_command_call *call,
				 const struct buffer *request,
				 owner_command_handler *handler)
{
	const struct owner_command *command = call->command;
	struct owner_command_answer answer = {
		.call = call,
		.handler = handler,
		.code = EXIT_CODE_FAILED,
	};
	bool was_sent = false;
	const struct control_client_request control_request = {
		.config = call->config,
		.command = call->name,
		.line = request->data,
		.length = request->length,
		.on_line = owner_command_on_line,
		.progress = &answer.progress,
		.data = &answer,
		.was_sent = &was_sent,
		.is_endless = owner_command_is_endless(call),
	};
	struct explanation problem = { "" };
	bool answered;

	progress_begin(&answer.progress, command->waiting_for ? command->waiting_for
							      : "asking the gateway");
	answered = control_client_run(&control_request, &problem);
	progress_clear(&answer.progress);
	if (!answered)
		return owner_command_fail_unanswered(call, was_sent, problem.text);
	if (!answer.is_over)
		return owner_command_fail_unanswered(
			call, was_sent,
			control_request.is_endless
				? "the gateway has stopped"
				: "the gateway stopped before it answered");
	return answer.code;
}

static int owner_command_print_nothing(const struct owner_command_call *call,
				       const struct json *result)
{
	return EXIT_CODE_OK;
}

int owner_command_ask(const struct owner_command_call *call, const char *name,
		      const struct owner_command_argument *arguments,
		      owner_command_handler *handler)
{
	struct buffer request = BUFFER_INIT;
	struct json_writer *writer = json_field_begin(&request);
	int code;

	if (writer) {
		json_put_string(writer, "command", name);
		json_open_object_at(writer, "arguments");
		for (; arguments->name; arguments++) {
			if (arguments->text)
				json_put_string(writer, arguments->name, arguments->text);
			else if (arguments->is_true)
				json_put_boolean(writer, arguments->name, true);
		}
		json_close_object(writer);
		json_close_object(writer);
	}
	json_writer_free(writer);
	code = !writer || request.failed
		       ? options_report_failure("internal", "Try again", "out of memory")
		       : owner_command_request(call, &request,
					       handler ? handler
						       : owner_command_print_nothing);
	buffer_deinit(&request);
	return code;
}

int owner_command_run(const struct command *command, int argc, char **argv)
{
	struct config config;
	struct owner_command_call call = {
		.name = command->owner.request ? command->owner.request : command->name,
		.command = &command->owner,
		.config = &config,
	};
	owner_command_handler *handler =
		call.command->print ? call.command->print : owner_command_print_nothing;
	struct buffer request = BUFFER_INIT;
	int code;

	if (!owner_command_read_arguments(&call, argc, argv, &code))
		return code;
	code = owner_command_write_request(&call, &request);
	if (!code)
		code = owner_command_request(&call, &request,
					     call.store.json ? NULL : handler);
	buffer_wipe(&request); /* it may hold a PIN */
	return code;
}
