/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of a call:
 *
 *   request -> parsed -> row found -> (waits until the bus admits the gateway) -> run
 *           -> items and progress -> result or error -> over
 *
 * Each line of the answer is one JSON object, written into a buffer and handed to send_line().
 * If memory runs out midway, the peer receives an error as the last line, and what the command
 * still answers is dropped.
 *
 * Right after an installation the bus may not have read the gateway's D-Bus policy.  A command
 * that needs oFono then waits, at most BUS_WAIT_MS: the bus is asked again at once and every
 * BUS_RETRY_US, and the command runs when the bus admits the gateway and its modems are known,
 * or when it keeps refusing (tests/integration/test_refusing_bus.py).
 */
#include "gateway/control.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_reader.h"
#include "base/log.h"
#include "base/escape.h"
#include "gateway/command.h"
#include "tools/services.h"

enum { BUS_RETRY_US = 200 * 1000, BUS_WAIT_MS = 12 * 1000 };

const char *control_call_argument(const struct control_call *call, const char *name)
{
	return json_string(json_member(call->arguments, name));
}

bool control_call_flag(const struct control_call *call, const char *name)
{
	const struct json *value = json_member(call->arguments, name);

	return value && value->type == JSON_BOOLEAN && value->boolean;
}

const char *control_call_who(const struct control_call *call)
{
	return arena_printf(call->arena, "owner (uid %lld)", (long long)call->peer_uid);
}

/* Answers */

static void control_call_send(struct control_call *call, const char *line, size_t length,
			      bool is_last)
{
	call->is_over |= is_last;
	call->send_line(call->send_line_data, line, length, is_last);
}

static void control_call_send_no_memory(struct control_call *call)
{
	static const char line[] = "{\"error\":{\"code\":\"internal\",\"message\":"
				   "\"out of memory\",\"fix\":\"Try again later\"}}";

	call->is_cut = !call->is_last;
	control_call_send(call, line, sizeof(line) - 1, true);
}

/* Writes the beginning of a line: {"kind": */
static struct json_writer *control_call_open_line(struct control_call *call,
						  const char *kind, bool is_last)
{
	assert(!call->writer && (!call->is_over || call->is_cut));
	if (call->is_cut) {
		call->is_cut = !is_last;
		return NULL;
	}
	buffer_clear(&call->line);
	call->is_last = is_last;
	call->writer = json_writer_new(&call->line);
	if (!call->writer) {
		control_call_send_no_memory(call);
		return NULL;
	}
	json_open_object(call->writer);
	json_key(call->writer, kind);
	return call->writer;
}

static void control_call_close_line(struct control_call *call)
{
	struct buffer *line = &call->line;

	json_close_object(call->writer);
	json_writer_free(call->writer);
	call->writer = NULL;
	if (line->failed)
		control_call_send_no_memory(call);
	else
		control_call_send(call, line->data, line->length, call->is_last);
}

static struct json_writer *control_call_open_object(struct control_call *call,
						    const char *kind, bool is_last)
{
	struct json_writer *writer = control_call_open_line(call, kind, is_last);

	if (writer)
		json_open_object(writer);
	return writer;
}

struct json_writer *control_call_open_result(struct control_call *call)
{
	return control_call_open_object(call, "result", true);
}

struct json_writer *control_call_open_item(struct control_call *call)
{
	return control_call_open_object(call, "item", false);
}

void control_call_close(struct control_call *call)
{
	json_close_object(call->writer);
	control_call_close_line(call);
}

void control_call_answer(struct control_call *call, const struct buffer *result)
{
	struct json_writer *writer = control_call_open_line(call, "result", true);

	if (!writer)
		return;
	json_write_raw(writer, result->data, result->length);
	control_call_close_line(call);
}

void control_call_progress(struct control_call *call, const char *message)
{
	struct json_writer *writer = control_call_open_object(call, "progress", false);

	if (!writer)
		return;
	json_put_string(writer, "message", message);
	control_call_close(call);
}

void control_call_fail(struct control_call *call, const char *code, const char *fix,
		       const char *message, ...)
{
	struct json_writer *writer = control_call_open_object(call, "error", true);
	char text[1024], printable[sizeof(text)];
	va_list arguments;

	if (!writer)
		return;
	va_start(arguments, message);
	vsnprintf(text, sizeof(text), message, arguments);
	va_end(arguments);
	escape_message(text, printable, sizeof(printable));
	json_put_string(writer, "code", code);
	json_put_string(writer, "message", printable);
	json_put_string(writer, "fix", fix);
	control_call_close(call);
}

void control_call_fail_store(struct control_call *call, int error)
{
	if (error == STORE_E_FULL)
		control_call_fail(call, "storage_full",
				  "Free space on the disk, then try again",
				  "the disk is full; nothing was changed");
	else
		control_call_fail(
			call, "internal", "Check the log of the gateway, then try again",
			"the message store cannot be used: %s", strerror(-error));
}

void control_call_write_result(struct control_call *call,
			       int (*write)(struct control_call *call,
					    struct json_writer *writer))
{
	struct buffer result = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&result);
	int error = -ENOMEM;

	if (writer) {
		json_open_object(writer);
		error = write(call, writer);
		json_close_object(writer);
		json_writer_free(writer);
	}
	if (!error && result.failed)
		error = -ENOMEM;
	if (error)
		control_call_fail_store(call, error);
	else
		control_call_answer(call, &result);
	buffer_deinit(&result);
}

/* Commands that need oFono */

/* In the arena of its call. */
struct control_call_wait {
	struct control_call *call;
	sd_event_source *timer;
	int64_t until_ms;
};

static void control_call_start(struct control_call *call)
{
	if (call->command->tool)
		tool_command_run(call, call->command->tool);
	else
		call->command->run(call);
}

static bool control_call_wait_is_over(const struct control_call_wait *wait)
{
	struct ofono *ofono = wait->call->control->services->ofono;

	if (clock_monotonic_ms() >= wait->until_ms)
		return true;
	return ofono_is_refused(ofono) ? !ofono_may_be_allowed_soon(ofono)
				       : ofono_is_settled(ofono);
}

static void control_call_on_wait_abandoned(struct control_call *call)
{
	struct control_call_wait *wait = call->state;

	wait->timer = sd_event_source_disable_unref(wait->timer);
}

static int control_call_on_wait_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct control_call_wait *wait = data;
	struct control_call *call = wait->call;

	if (!control_call_wait_is_over(wait)) {
		ofono_retry_now(call->control->services->ofono);
		sd_event_source_set_time_relative(source, BUS_RETRY_US);
		return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	}
	wait->timer = sd_event_source_disable_unref(wait->timer);
	call->state = NULL;
	call->abandoned = NULL;
	control_call_start(call);
	return 0;
}

static bool control_call_begin_wait(struct control_call *call)
{
	struct control_call_wait *wait = arena_alloc(call->arena, sizeof(*wait));

	if (!wait)
		return false;
	*wait = (struct control_call_wait){
		.call = call,
		.until_ms = clock_monotonic_ms() + BUS_WAIT_MS,
	};
	if (sd_event_add_time_relative(call->control->services->loop, &wait->timer,
				       CLOCK_MONOTONIC, BUS_RETRY_US, 0,
				       control_call_on_wait_timer, wait) < 0)
		return false;
	call->state = wait;
	call->abandoned = control_call_on_wait_abandoned;
	return true;
}

/* Runs at once unless the bus refuses the gateway. */
static void control_call_run_when_admitted(struct control_call *call)
{
	struct ofono *ofono = call->control->services->ofono;

	if (ofono_is_refused(ofono)) {
		ofono_retry_now(ofono);
		if (control_call_begin_wait(call)) {
			control_call_progress(
				call,
				"waiting for the bus to read the gateway's D-Bus policy");
			return;
		}
	}
	control_call_start(call);
}

/* Requests */

static void control_call_refuse(struct control_call *call, const char *message)
{
	control_call_fail(call, "invalid_request",
			  "Send one line: {\"command\":NAME,\"arguments\":{...}}", "%s",
			  message);
}

const struct control_command *control_call_find_command(
	const struct control_command *const *commands, const char *name)
{
	while (*commands && strcmp((*commands)->name, name) != 0)
		commands++;
	return *commands;
}

static void control_call_run_command(struct control_call *call, const char *name)
{
	const struct control *control = call->control;
	const struct control_command *command =
		control_call_find_command(control->commands, name);

	if (!command) {
		control_call_fail(call, "unknown_command",
				  "Use an " PROGRAM_NAME
				  " of the same version as the gateway",
				  "the gateway does not know this command");
		return;
	}
	if (command->needs_gateway && !control->running) {
		control_call_fail(call, "not_running",
				  "Start it: systemctl start " PROGRAM_NAME
				  "; or by hand: " PROGRAM_NAME " serve",
				  "the gateway is not running");
		return;
	}
	if (control->running)
		log_info("control: %s by uid %lld", command->name,
			 (long long)call->peer_uid);
	call->command = command;
	if (command->needs_ofono && control->running)
		control_call_run_when_admitted(call);
	else
		control_call_start(call);
	assert(call->is_over || (call->abandoned && control->running));
}

void control_call_run(struct control_call *call, const char *request, size_t length)
{
	static const struct json no_arguments = { .type = JSON_OBJECT };
	const struct json *root = NULL, *arguments;
	const char *name;
	int error;

	error = json_reader_read(call->arena, request, length, &root);
	if (error < 0) {
		control_call_send_no_memory(call);
		return;
	}
	if (error) {
		control_call_refuse(call, json_reader_error_text(error));
		return;
	}
	name = json_string(json_member(root, "command"));
	arguments = json_member(root, "arguments");
	call->arguments = arguments ? arguments : &no_arguments;
	if (!name || call->arguments->type != JSON_OBJECT)
		control_call_refuse(call, "the request is not a command");
	else
		control_call_run_command(call, name);
}

bool control_call_init(struct control_call *call, const struct control *control,
		       control_call_line *send_line, void *data)
{
	*call = (struct control_call){
		.control = control,
		.arena = arena_new(CONTROL_ARENA_MAX),
		.send_line = send_line,
		.send_line_data = data,
		.line.secret = true, /* it may hold a new token */
	};
	return call->arena;
}

void control_call_deinit(struct control_call *call)
{
	if ((!call->is_over || call->is_cut) && call->abandoned)
		call->abandoned(call);
	call->is_over = true;
	buffer_deinit(&call->line);
	arena_wipe(call->arena); /* it may hold a PIN */
	call->arena = NULL;
}
