/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/tool_command.h"

#include <string.h>

#include "base/arena.h"
#include "tools/obstacle.h"
#include "tools/services.h"

const struct client owner_client = {
	.id = CLIENT_OWNER,
	.name = CLIENT_OWNER_NAME,
	.scopes = CLIENT_SCOPES_ALL,
	.ask = CLIENT_ASK_NEVER,
	.limits = { 0, 0, 0, 0 },
};

/* one call; lives in the arena of its control call */
struct tool_command {
	struct control_call *control_call;
	struct tool_call tool_call;
	const struct request_waiting *waiting;
	void *waiting_data;
};

/* What an agent is told to have its owner do. */
static const struct {
	const char *code;
	const char *fix;
} fixes[] = {
	{ "invalid_arguments", "Look at --help" },
	{ "invalid_number",
	  "Give it as + and country code, for example +36201234567; ofono-mcp contacts "
	  "lists those of people" },
	{ "subscription_required",
	  "Name one with --sim; ofono-mcp status lists the SIMs" },
	{ "subscription_unknown", "ofono-mcp status lists the SIMs" },
	{ "sim_absent",
	  "Insert the SIM, or switch its modem on; ofono-mcp status lists those that are "
	  "there" },
	{ "sim_restricted",
	  "Switch that off in another phone, with the PIN2 of the card" },
	{ "paused_by_owner", "To go on: ofono-mcp resume" },
	{ "premium_number_blocked",
	  "To allow it: premium or allow in section [policy] of the configuration, then "
	  "ofono-mcp reload" },
	{ "international_blocked",
	  "To allow it: countries in section [policy] of the configuration, then "
	  "ofono-mcp reload" },
	{ "recipient_not_allowed",
	  "To allow it: allow or deny in section [policy] of the configuration, then "
	  "ofono-mcp reload" },
	{ "emergency_number_blocked", "Call the number instead" },
	{ "rate_limited",
	  "Wait until then; section [policy] of the configuration has the limits" },
	{ "budget_exhausted", "Section [policy] of the configuration has the budget" },
	{ "quiet_hours", "Try again then, or give a later time with --at" },
	{ "storage_full", "Free space on the phone; it works again by itself then" },
	{ "not_found", "ofono-mcp list shows the messages that there are" },
	{ "unknown_outcome",
	  "It may have been delivered: ask whom you wrote to before you send it again" },
	{ "not_delivered", "The network took it, so it was paid for; check the number" },
	{ "ofono_unavailable", "Start oFono: systemctl start ofono" },
	{ "ofono_access_denied",
	  "Add the gateway's user to the group sailfish-radio and restart the gateway, "
	  "or "
	  "allow the user in /etc/ofono/dbusaccess.conf and restart oFono; ofono-mcp "
	  "doctor says how" },
	{ "internal", "Look into the log of the gateway, then try again" },
};

/* What a command for one modem ends. */
static const char *const by_command[] = { "modem_off", "sim_locked", "sim_duplicate",
					  "modem_stuck" };

/* The modem of the SIM that was named; else the first that a command makes able to send. */
static const struct modem *modem_meant(const struct control_call *call)
{
	const struct services *services = call->control->services;
	const struct json *named = json_member(call->arguments, "subscription_id");
	const struct modem *modem;
	const struct sim *sim;
	int64_t id;

	if (named && json_integer(named, &id)) {
		sim = sims_find(services->sims, id);
		return sim ? sim->modem : NULL;
	}
	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		const struct obstacle_modem *obstacle =
			modem_is_foreign(modem) ? NULL
						: obstacle_of_modem(services, modem);

		if (obstacle && obstacle->command)
			return modem;
	}
	return NULL;
}

/* "As root: ofono-mcp modem on /sim0"; NULL: no command does it. */
static const char *command_for(const struct control_call *call)
{
	const struct modem *modem = modem_meant(call);
	const struct obstacle_modem *obstacle =
		modem ? obstacle_of_modem(call->control->services, modem) : NULL;

	if (!obstacle || !obstacle->command)
		return NULL;
	return arena_printf(call->arena, "Run%s%s: %s %s", obstacle->step ? ", " : "",
			    obstacle->step ? obstacle->step : "", obstacle->command,
			    modem->path);
}

static const char *fix_of(const struct control_call *call, const struct tool_error *error)
{
	const struct services *services = call->control->services;
	const char *command = NULL;

	if (strcmp(error->code, "ofono_unavailable") == 0 &&
	    ofono_is_refused(services->ofono))
		return OFONO_REFUSED_FIX;
	for (size_t at = 0; at < sizeof(by_command) / sizeof(by_command[0]); at++) {
		if (strcmp(error->code, by_command[at]) == 0)
			command = command_for(call);
	}
	if (command)
		return command;
	for (size_t at = 0; at < sizeof(fixes) / sizeof(fixes[0]); at++) {
		if (strcmp(fixes[at].code, error->code) == 0)
			return fixes[at].fix;
	}
	return error->fix;
}

/* Sentences of tools end with a full stop; those of commands get theirs when shown. */
static const char *without_stop(struct arena *arena, const char *text)
{
	size_t length = strlen(text);
	const char *copy;

	if (!length || text[length - 1] != '.')
		return text;
	copy = arena_copy(arena, text, length - 1);
	return copy ? copy : text;
}

static void on_succeeded(void *data, const struct buffer *structured)
{
	const struct tool_command *command = data;

	control_answer(command->control_call, structured);
}

static void on_failed(void *data, const struct tool_error *error)
{
	const struct tool_command *command = data;
	struct control_call *call = command->control_call;
	const char *code = error->code;

	if (strcmp(code, "invalid_arguments") == 0)
		code = CONTROL_INVALID_ARGUMENT;
	control_fail(call, code, without_stop(call->arena, fix_of(call, error)), "%s",
		     without_stop(call->arena, error->message));
}

/* The owner left; what was asked for goes on. */
static void on_abandoned(struct control_call *control_call)
{
	const struct tool_command *command = control_call->state;

	command->waiting->abandoned(command->waiting_data);
}

static void on_waits(void *data, const struct request_waiting *waiting,
		     void *waiting_data)
{
	struct tool_command *command = data;

	command->waiting = waiting;
	command->waiting_data = waiting_data;
	command->control_call->state = command;
	command->control_call->abandoned = on_abandoned;
}

static void on_progressed(void *data, const char *message)
{
	const struct tool_command *command = data;

	control_progress(command->control_call, message);
}

static const struct tool_caller caller = {
	.succeeded = on_succeeded,
	.failed = on_failed,
	.waits = on_waits,
	.progressed = on_progressed,
};

void tool_command_run(struct control_call *control_call, const struct tool *tool)
{
	struct tool_command *command = arena_alloc(control_call->arena, sizeof(*command));

	if (!command) {
		control_fail(control_call, "internal_error", "Try again later",
			     "out of memory");
		return;
	}
	command->control_call = control_call;
	command->tool_call = (struct tool_call){
		.tool = tool,
		.client = &owner_client,
		.arguments = control_call->arguments,
		.services = control_call->control->services,
		.arena = control_call->arena,
		.caller = &caller,
		.caller_data = command,
	};
	tool_call_run(&command->tool_call);
}
