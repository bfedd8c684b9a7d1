/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/owner_command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/owner_answer.h"
#include "cli/owner_arguments.h"

enum { NAME_BYTES = 32 };

const char *owner_call_value(const struct owner_call *call, const char *option)
{
	for (unsigned at = 0; at < owner_options_count(call->command); at++) {
		if (strcmp(call->command->options[at].name, option) == 0)
			return call->values[at];
	}
	return NULL;
}

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
	for (unsigned at = 0; at < owner_options_count(command); at++)
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

static int run(const struct owner_call *call)
{
	struct buffer request = BUFFER_INIT;
	int code = write_request(call, &request);

	if (!code)
		code = owner_answer_await(call, &request,
					  call->json ? NULL : call->command->show);
	buffer_wipe(&request); /* there may be a PIN in it */
	return code;
}

int owner_command_run(const struct owner_command *command, int argc, char **argv)
{
	struct owner_call call = { .command = command };
	int code;

	return owner_arguments_read(&call, argc, argv, &code) ? run(&call) : code;
}
