/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tool's error has advice for an agent. The owner can do more, so the fix is
 * replaced: by the command that makes the modem able to send, where there is one, else
 * by the row of tool_command_fixes.
 */
#include "gateway/command.h"

#include <string.h>

#include "base/arena.h"
#include "tools/obstacle.h"
#include "tools/services.h"

const struct client tool_command_owner = {
	.id = CLIENT_OWNER,
	.name = CLIENT_OWNER_NAME,
	.scopes = CLIENT_SCOPES_ALL,
	.ask = CLIENT_ASK_NEVER,
	.limits = { 0, 0, 0, 0 },
};

/* One call; in the arena of its control call. */
struct tool_command {
	struct control_call *control_call;
	struct tool_call tool_call;
	const struct request_waiting *waiting;
	void *waiting_data;
};

/* What the owner can do about an error. */
static const struct {
	const char *code;
	const char *fix;
} tool_command_fixes[] = {
	{ "invalid_arguments", "See --help" },
	{ "invalid_number", "Give it with + and the country code, for example "
			    "+36201234567; to find a number: " PROGRAM_NAME " contacts" },
	{ "subscription_required",
	  "Choose one with --sim; " PROGRAM_NAME " status lists the SIMs" },
	{ "subscription_unknown", PROGRAM_NAME " status lists the SIMs" },
	{ "sim_absent", "Insert the SIM, or switch on its modem; " PROGRAM_NAME
			" status lists the SIMs" },
	{ "sim_restricted", "Turn that off in another phone, with the PIN2 of the card" },
	{ "paused_by_owner", "To resume: " PROGRAM_NAME " resume" },
	{ "premium_number_blocked", "To allow it, set premium or allow in [policy] of "
				    "the configuration, then: " PROGRAM_NAME " reload" },
	{ "international_blocked", "To allow it, set countries in [policy] of the "
				   "configuration, then: " PROGRAM_NAME " reload" },
	{ "recipient_not_allowed", "To allow it, change allow or deny in [policy] of the "
				   "configuration, then: " PROGRAM_NAME " reload" },
	{ "emergency_number_blocked", "Call the number instead" },
	{ "rate_limited",
	  "Wait until then; the limits are in [policy] of the configuration" },
	{ "budget_exhausted", "The budget is in [policy] of the configuration" },
	{ "quiet_hours", "Try again then, or give a later time with --at" },
	{ "storage_full", "Free space on the phone; sending then works again by itself" },
	{ "not_found", "To list the messages: " PROGRAM_NAME " list" },
	{ "unknown_outcome",
	  "It may have been delivered: ask the recipient before you send it again" },
	{ "stale_hub",
	  "Stop one of the two hubs; if it is the other one, restart this one" },
	{ "not_delivered",
	  "The network accepted it, so it was billed; check the number" },
	{ "ofono_unavailable", "Start oFono: systemctl start ofono" },
	{ "ofono_access_denied",
	  "Add the gateway's user to the group sailfish-radio and restart the gateway, "
	  "or allow the user in /etc/ofono/dbusaccess.conf and restart oFono; for "
	  "details, run " PROGRAM_NAME " doctor" },
	{ "internal", "Check the log of the gateway, then try again" },
};

/* Errors that a command for one modem can resolve. */
static const char *const tool_command_by_command[] = { "modem_off", "sim_locked",
						       "sim_duplicate", "modem_stuck" };

/* Returns the modem of the named SIM; else the first one that a command can make able to send. */
static const struct modem *tool_command_find_modem(const struct control_call *call)
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

/* Returns for example "Run as root: ofono-mcp modem on /sim0"; NULL if no command helps. */
static const char *tool_command_modem_fix(const struct control_call *call)
{
	const struct modem *modem = tool_command_find_modem(call);
	const struct obstacle_modem *obstacle =
		modem ? obstacle_of_modem(call->control->services, modem) : NULL;

	if (!obstacle || !obstacle->command)
		return NULL;
	return arena_printf(call->arena, "Run%s%s: %s %s", obstacle->step ? ", " : "",
			    obstacle->step ? obstacle->step : "", obstacle->command,
			    modem->path);
}

static const char *tool_command_fix(const struct control_call *call,
				    const struct tool_error *error)
{
	const struct services *services = call->control->services;
	const char *command = NULL;

	if (strcmp(error->code, "ofono_unavailable") == 0 &&
	    ofono_is_refused(services->ofono))
		return OFONO_REFUSED_FIX;
	for (size_t at = 0;
	     at < sizeof(tool_command_by_command) / sizeof(tool_command_by_command[0]);
	     at++) {
		if (strcmp(error->code, tool_command_by_command[at]) == 0)
			command = tool_command_modem_fix(call);
	}
	if (command)
		return command;
	for (size_t at = 0;
	     at < sizeof(tool_command_fixes) / sizeof(tool_command_fixes[0]); at++) {
		if (strcmp(tool_command_fixes[at].code, error->code) == 0)
			return tool_command_fixes[at].fix;
	}
	return error->fix;
}

/* Tools' sentences end with a full stop; the owner's program adds its own. */
static const char *tool_command_without_stop(struct arena *arena, const char *text)
{
	size_t length = strlen(text);
	const char *copy;

	if (!length || text[length - 1] != '.')
		return text;
	copy = arena_copy(arena, text, length - 1);
	return copy ? copy : text;
}

static void tool_command_on_succeeded(void *data, const struct buffer *structured)
{
	const struct tool_command *command = data;

	control_call_answer(command->control_call, structured);
}

static void tool_command_on_failed(void *data, const struct tool_error *error)
{
	const struct tool_command *command = data;
	struct control_call *call = command->control_call;
	const char *code = error->code;

	if (strcmp(code, "invalid_arguments") == 0)
		code = CONTROL_INVALID_ARGUMENT;
	control_call_fail(
		call, code,
		tool_command_without_stop(call->arena, tool_command_fix(call, error)),
		"%s", tool_command_without_stop(call->arena, error->message));
}

/* The owner's program left; what the tool began goes on. */
static void tool_command_on_abandoned(struct control_call *control_call)
{
	const struct tool_command *command = control_call->state;

	command->waiting->abandoned(command->waiting_data);
}

static void tool_command_on_waits(void *data, const struct request_waiting *waiting,
				  void *waiting_data)
{
	struct tool_command *command = data;

	command->waiting = waiting;
	command->waiting_data = waiting_data;
	command->control_call->state = command;
	command->control_call->abandoned = tool_command_on_abandoned;
}

static void tool_command_on_progressed(void *data, const char *message)
{
	const struct tool_command *command = data;

	control_call_progress(command->control_call, message);
}

static const struct tool_caller tool_command_caller = {
	.succeeded = tool_command_on_succeeded,
	.failed = tool_command_on_failed,
	.waits = tool_command_on_waits,
	.progressed = tool_command_on_progressed,
};

void tool_command_run(struct control_call *control_call, const struct tool *tool)
{
	struct tool_command *command = arena_alloc(control_call->arena, sizeof(*command));

	if (!command) {
		control_call_fail(control_call, "internal", "Try again later",
				  "out of memory");
		return;
	}
	command->control_call = control_call;
	command->tool_call = (struct tool_call){
		.tool = tool,
		.client = &tool_command_owner,
		.arguments = control_call->arguments,
		.services = control_call->control->services,
		.arena = control_call->arena,
		.caller = &tool_command_caller,
		.caller_data = command,
	};
	tool_call_run(&command->tool_call);
}
