/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/control_call.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/log.h"
#include "base/utf8.h"
#include "gateway/control_command.h"
#include "gateway/policy_wait.h"

const char *control_argument(const struct control_call *call, const char *name)
{
	return json_string(json_member(call->arguments, name));
}

/* Answers */

static void tell(struct control_call *call, const char *line, size_t length, bool last)
{
	call->is_over |= last;
	call->carrier->told(call->carrier_data, line, length, last);
}

static void tell_no_memory(struct control_call *call)
{
	static const char line[] =
		"{\"error\":{\"code\":\"internal_error\",\"message\":\"out of memory\","
		"\"fix\":\"Try again later\"}}";

	call->is_cut = !call->is_last;
	tell(call, line, sizeof(line) - 1, true);
}

/* {"kind": */
static struct json_writer *open_line(struct control_call *call, const char *kind,
				     bool last)
{
	assert(!call->writer && (!call->is_over || call->is_cut));
	if (call->is_cut) {
		call->is_cut = !last;
		return NULL;
	}
	buffer_clear(&call->line);
	call->is_last = last;
	call->writer = json_writer_new(&call->line);
	if (!call->writer) {
		tell_no_memory(call);
		return NULL;
	}
	json_open_object(call->writer);
	json_key(call->writer, kind);
	return call->writer;
}

static struct json_writer *open_object(struct control_call *call, const char *kind,
				       bool last)
{
	struct json_writer *writer = open_line(call, kind, last);

	if (writer)
		json_open_object(writer);
	return writer;
}

struct json_writer *control_result_open(struct control_call *call)
{
	return open_object(call, "result", true);
}

struct json_writer *control_item_open(struct control_call *call)
{
	return open_object(call, "item", false);
}

static void close_line(struct control_call *call)
{
	struct buffer *line = &call->line;

	json_close_object(call->writer);
	json_writer_free(call->writer);
	call->writer = NULL;
	if (line->failed)
		tell_no_memory(call);
	else
		tell(call, line->data, line->length, call->is_last);
}

void control_close(struct control_call *call)
{
	json_close_object(call->writer);
	close_line(call);
}

void control_answer(struct control_call *call, const struct buffer *result)
{
	struct json_writer *writer = open_line(call, "result", true);

	if (!writer)
		return;
	json_write_raw(writer, result->data, result->length);
	close_line(call);
}

void control_progress(struct control_call *call, const char *message)
{
	struct json_writer *writer = open_object(call, "progress", false);

	if (!writer)
		return;
	json_put_string(writer, "message", message);
	control_close(call);
}

/* A path need not be UTF-8, and what was cut may end in half a character. */
static void mend(char *text)
{
	if (utf8_valid(text, strlen(text)))
		return;
	for (; *text; text++) {
		if ((unsigned char)*text >= 0x80)
			*text = '?';
	}
}

void control_fail(struct control_call *call, const char *code, const char *fix,
		  const char *message, ...)
{
	struct json_writer *writer = open_object(call, "error", true);
	char text[1024];
	va_list arguments;

	if (!writer)
		return;
	va_start(arguments, message);
	vsnprintf(text, sizeof(text), message, arguments);
	va_end(arguments);
	mend(text);
	json_put_string(writer, "code", code);
	json_put_string(writer, "message", text);
	json_put_string(writer, "fix", fix);
	control_close(call);
}

void control_fail_store(struct control_call *call, int error)
{
	if (error == STORE_E_FULL)
		control_fail(call, "storage_full",
			     "Make room on the disk, then try again",
			     "there is no room on the disk; nothing was changed");
	else
		control_fail(call, "internal_error",
			     "Look into the log of the gateway, then try again",
			     "the ledger cannot be used: %s", strerror(-error));
}

/* Requests */

static const struct json *read_request(struct control_call *call, const char *request,
				       size_t length, int *error_out)
{
	struct json_reader *reader = json_reader_new(call->arena);
	const struct json *root = NULL;

	*error_out = -1;
	if (!reader)
		return NULL;
	*error_out = json_reader_feed(reader, request, length);
	if (!*error_out)
		*error_out = json_reader_finish(reader, &root);
	json_reader_free(reader);
	return *error_out ? NULL : root;
}

static void refuse(struct control_call *call, const char *message)
{
	control_fail(call, "invalid_request",
		     "Send one line: {\"command\":NAME,\"arguments\":{...}}", "%s",
		     message);
}

static void run_command(struct control_call *call, const char *name)
{
	const struct control_command *command = control_command_find(call->control, name);

	if (!command) {
		control_fail(call, "unknown_command",
			     "Use an ofono-mcp of the same version as the gateway",
			     "the gateway knows no such command");
		return;
	}
	if (command->needs_gateway && !call->control->gateway) {
		control_fail(
			call, "not_running",
			"Start it first: ofono-mcp serve; the service: systemctl start "
			"ofono-mcp",
			"the gateway does not run");
		return;
	}
	if (call->control->gateway)
		log_info("control: %s, asked by uid %lld", command->name,
			 (long long)call->asker_uid);
	if (command->asks_ofono && call->control->gateway)
		policy_wait_run(call, command->run);
	else
		command->run(call);
	assert(call->is_over || (call->abandoned && call->control->gateway));
}

void control_call_run(struct control_call *call, const char *request, size_t length)
{
	static const struct json no_arguments = { .type = JSON_OBJECT };
	const struct json *root, *arguments;
	const char *name;
	int error;

	root = read_request(call, request, length, &error);
	if (error < 0) {
		tell_no_memory(call);
		return;
	}
	if (error) {
		refuse(call, json_reader_error_text(error));
		return;
	}
	name = json_string(json_member(root, "command"));
	arguments = json_member(root, "arguments");
	call->arguments = arguments ? arguments : &no_arguments;
	if (!name || call->arguments->type != JSON_OBJECT)
		refuse(call, "this is no request of a command");
	else
		run_command(call, name);
}

bool control_call_init(struct control_call *call, const struct control *control,
		       const struct control_carrier *carrier, void *carrier_data)
{
	*call = (struct control_call){
		.control = control,
		.arena = arena_new(CONTROL_ARENA_MAX),
		.carrier = carrier,
		.carrier_data = carrier_data,
		.line.secret = true, /* a new token may be in it */
	};
	return call->arena;
}

void control_call_deinit(struct control_call *call)
{
	if ((!call->is_over || call->is_cut) && call->abandoned)
		call->abandoned(call);
	call->is_over = true;
	buffer_deinit(&call->line);
	arena_wipe(call->arena); /* there may have been a PIN */
	call->arena = NULL;
}
