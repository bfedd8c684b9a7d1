/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent: the owner's numbers whose commands by SMS prove themselves by a rolling code.
 *
 *   {"action":"enrol","number":"+36201234567"}  ->  "number", "url" (otpauth://)
 *   {"action":"list"}                           ->  "numbers", each with its state
 *   {"action":"remove","number":"+36201234567"} ->  "number"
 *
 * enrol needs no number where only one is configured. Only its answer ever contains the secret.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/totp.h"
#include "config/config.h"
#include "gateway/command.h"
#include "gateway/control.h"
#include "numbers/phone_number.h"
#include "store/store_command.h"
#include "tools/view.h"

enum { COMMAND_AGENT_URL_BYTES = 256 };

/* ---- the list */

static void command_agent_write_sender(struct json_writer *writer,
				       const struct store_command_sender *sender)
{
	json_put_boolean(writer, "enrolled", true);
	view_put_time(writer, "enrolled_at", sender->enrolled_ms);
	if (sender->used_ms)
		view_put_time(writer, "used_at", sender->used_ms);
	if (*sender->refusal) {
		json_put_string(writer, "refusal", sender->refusal);
		view_put_time(writer, "refused_at", sender->refused_ms);
	}
	if (sender->locked_until_ms)
		view_put_time(writer, "locked_until", sender->locked_until_ms);
}

/* Writes the state of one configured number. Returns 0 or -errno. */
static int command_agent_write_number(struct json_writer *writer, struct store *store,
				      const char *number)
{
	struct store_command_sender sender;
	int error = store_command_find(store, number, &sender);

	if (error && error != STORE_E_NOT_FOUND)
		return error;
	json_open_object(writer);
	json_put_string(writer, "number", number);
	if (error)
		json_put_boolean(writer, "enrolled", false);
	else
		command_agent_write_sender(writer, &sender);
	json_close_object(writer);
	return 0;
}

int command_agent_write_numbers(struct json_writer *writer, const struct control *control)
{
	const struct config_agent *agent = &control->config->agent;
	char number[CONFIG_AGENT_NUMBER_BYTES];
	int error = 0;

	json_open_array_at(writer, "numbers");
	for (size_t i = 0; !error && config_agent_number(agent, i, number); i++)
		error = command_agent_write_number(writer, control->store, number);
	json_close_array(writer);
	json_put_boolean(writer, "needs_code", config_agent_needs_code(agent));
	json_put_boolean(writer, "approvals", agent->approvals);
	return error;
}

static int command_agent_write_list(struct control_call *call, struct json_writer *writer)
{
	return command_agent_write_numbers(writer, call->control);
}

/* ---- enrol, remove */

/* Returns NULL if there is none, or more than one. */
static const char *command_agent_only_number(const struct control_call *call,
					     char number[CONFIG_AGENT_NUMBER_BYTES])
{
	const struct config_agent *agent = &call->control->config->agent;
	char second[CONFIG_AGENT_NUMBER_BYTES];

	return config_agent_number(agent, 0, number) &&
			       !config_agent_number(agent, 1, second)
		       ? number
		       : NULL;
}

/* As it was typed: "+36 20 123 4567". Returns false if the call has been answered. */
static bool command_agent_read_number(struct control_call *call,
				      char number_out[CONFIG_AGENT_NUMBER_BYTES])
{
	const char *typed = control_call_argument(call, "number");
	char number[PHONE_NUMBER_BYTES];

	if (!typed && command_agent_only_number(call, number_out))
		return true;
	if (!typed)
		control_call_fail(
			call, CONTROL_INVALID_ARGUMENT,
			"Give one of owner_numbers under [agent] in the configuration",
			"which number is meant");
	else if (phone_number_parse(typed, number) != PHONE_NUMBER_OK || *number != '+')
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Give it in international form, such as +36201234567",
				  "that is not a phone number");
	else
		strcpy(number_out, number);
	return typed && !call->is_over;
}

static bool command_agent_is_configured(const struct control_call *call,
					const char *number)
{
	const struct config_agent *agent = &call->control->config->agent;
	char other[CONFIG_AGENT_NUMBER_BYTES];

	for (size_t i = 0; config_agent_number(agent, i, other); i++) {
		if (strcmp(other, number) == 0)
			return true;
	}
	return false;
}

/* Label and issuer are as authenticator apps show them. */
static void command_agent_answer_secret(struct control_call *call, const char *number,
					const uint8_t *secret)
{
	struct json_writer *writer = control_call_open_result(call);
	char text[TOTP_SECRET_TEXT_BYTES], url[COMMAND_AGENT_URL_BYTES];

	if (!writer)
		return;
	totp_write_secret(secret, text);
	snprintf(url, sizeof(url),
		 "otpauth://totp/" PROGRAM_NAME ":%%2B%s?secret=%s&issuer=" PROGRAM_NAME
		 "&algorithm=SHA1&digits=%d&period=%d",
		 number + 1, text, TOTP_DIGITS, TOTP_STEP_MS / 1000);
	json_put_string(writer, "number", number);
	json_put_string(writer, "url", url);
	json_put_boolean(writer, "needs_code",
			 config_agent_needs_code(&call->control->config->agent));
	control_call_close(call);
	explicit_bzero(text, sizeof(text));
	explicit_bzero(url, sizeof(url));
}

static void command_agent_enrol(struct control_call *call, const char *number)
{
	uint8_t secret[TOTP_SECRET_BYTES];
	int error;

	if (!command_agent_is_configured(call, number)) {
		control_call_fail(call, "unknown_number",
				  "Add it to owner_numbers under [agent] in the "
				  "configuration first, then: " PROGRAM_NAME " reload",
				  "%s is not one of owner_numbers", number);
		return;
	}
	if (!totp_make_secret(secret)) {
		control_call_fail(call, "internal", "Try again later",
				  "no random numbers are available");
		return;
	}
	error = store_command_enrol(call->control->store, number, secret);
	if (error)
		control_call_fail_store(call, error);
	else
		command_agent_answer_secret(call, number, secret);
	explicit_bzero(secret, sizeof(secret));
}

static void command_agent_remove(struct control_call *call, const char *number)
{
	int error = store_command_remove(call->control->store, number);
	struct json_writer *writer;

	if (error == STORE_E_NOT_FOUND) {
		control_call_fail(call, "not_found",
				  "To list the numbers: " PROGRAM_NAME " agent list",
				  "%s is not enrolled", number);
	} else if (error) {
		control_call_fail_store(call, error);
	} else if ((writer = control_call_open_result(call))) {
		json_put_string(writer, "number", number);
		control_call_close(call);
	}
}

static void command_agent_run(struct control_call *call)
{
	const char *action = control_call_argument(call, "action");
	char number[CONFIG_AGENT_NUMBER_BYTES];

	if (action && strcmp(action, "list") == 0)
		control_call_write_result(call, command_agent_write_list);
	else if (!action ||
		 (strcmp(action, "enrol") != 0 && strcmp(action, "remove") != 0))
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Use enrol, list or remove", "the argument is missing");
	else if (!command_agent_read_number(call, number))
		return;
	else if (*action == 'e')
		command_agent_enrol(call, number);
	else
		command_agent_remove(call, number);
}

const struct control_command command_agent = {
	.name = "agent",
	.run = command_agent_run,
};
