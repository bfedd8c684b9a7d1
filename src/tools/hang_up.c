/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hang_up: ends a call that place_call placed. Incoming calls and calls that the owner placed
 * can't be ended through the gateway.
 *
 * The dialler knows calls that go on and some that ended recently. For older ones the message
 * store says how they ended, so hanging up again gives the same answer.
 */
#include "base/log.h"
#include "config/config.h"
#include "phone/dialler.h"
#include "store/store_audit.h"
#include "tools/argument.h"
#include "tools/event_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

enum { HANG_UP_WAIT_SECONDS = 10 };

static const struct schema_field hang_up_input[] = {
	{ "call_id", SCHEMA_INTEGER, true, "From place_call" },
	{ 0 },
};

static const struct schema_field hang_up_output[] = {
	{ "call_id", SCHEMA_INTEGER, true, "The call" },
	{ "over", SCHEMA_BOOLEAN, true,
	  "false: the modem has not confirmed it yet; it is asked again every 5 seconds" },
	{ "state", SCHEMA_STRING, true, "As place_call returns it" },
	{ 0 },
};

/* One tool call; lives in its arena. */
struct hang_up {
	struct tool_call *call;
	enum call_state state; /* last known */
	struct tool_wait_call wait;
};

static void hang_up_answer(void *data)
{
	const struct hang_up *hang_up = data;
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = page_open(hang_up->call, &structured);

	if (!writer)
		return;
	json_put_integer(writer, "call_id", hang_up->wait.call_id);
	json_put_boolean(writer, "over", !store_event_call_is_ongoing(hang_up->state));
	json_put_string(writer, "state", store_event_call_state_name(hang_up->state));
	page_close(hang_up->call, writer, &structured, NULL);
}

static bool hang_up_on_change(void *data, const struct dialler_call *placed)
{
	struct hang_up *hang_up = data;

	hang_up->state = placed->state;
	return false;
}

static void hang_up_answer_from_store(struct hang_up *hang_up)
{
	struct tool_call *call = hang_up->call;
	struct event row;
	int error = event_view_find_row(call->services->store, EVENT_CALL,
					hang_up->wait.call_id, call->arena, &row);

	if (error == STORE_E_NOT_FOUND) {
		tool_failure_answer(call, FAILURE_CALL_NOT_FOUND,
				    "There is no call with this ID.");
	} else if (error) {
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The calls could not be read.");
	} else if (!store_event_call_was_placed(row.state)) {
		tool_failure_answer(
			call, FAILURE_CALL_COMES_IN,
			"That is an incoming call; no tool answers or rejects those.");
	} else {
		hang_up->state = (enum call_state)row.state;
		hang_up_answer(hang_up);
	}
}

static bool hang_up_is_allowed(const struct tool_call *call,
			       const struct dialler_call *placed)
{
	return placed->client_id == call->client->id ||
	       call->client->id == CLIENT_OWNER ||
	       call->services->config->policy.calls.hang_up_any;
}

static void hang_up_audit(const struct hang_up *hang_up)
{
	const struct client *client = hang_up->call->client;

	if (store_audit_record(hang_up->call->services->store, AUDIT_CALL_HUNG_UP,
			       (struct audit_event_fact[]){
				       { "call_id", NULL, hang_up->wait.call_id },
				       { "client_id", NULL, client->id },
				       { "client", client->name },
				       { NULL },
			       }))
		log_warning("audit: hanging up a call could not be recorded");
}

static void hang_up_end_call(struct hang_up *hang_up)
{
	struct tool_call *call = hang_up->call;
	struct dialler *dialler = call->services->dialler;
	int64_t call_id = hang_up->wait.call_id;

	hang_up->wait.changed = hang_up_on_change;
	hang_up->wait.wait.answer = hang_up_answer;
	hang_up->wait.wait.data = hang_up;
	hang_up_audit(hang_up);
	/* a failed start finishes the call, and hang_up is gone, but hanging up goes on */
	if (!tool_wait_for_call(&hang_up->wait, call, HANG_UP_WAIT_SECONDS))
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
	dialler_hang_up(dialler, call_id, "hung_up");
}

static void hang_up_run(struct tool_call *call)
{
	struct hang_up *hang_up = tool_wait_alloc(call, sizeof(*hang_up));
	const struct dialler_call *placed;

	if (!hang_up)
		return;
	*hang_up = (struct hang_up){ .call = call };
	hang_up->wait.call_id = argument_integer(call, "call_id", 0);
	placed = dialler_find(call->services->dialler, hang_up->wait.call_id);
	if (!placed) {
		hang_up_answer_from_store(hang_up);
		return;
	}
	hang_up->state = placed->state;
	if (!hang_up_is_allowed(call, placed))
		tool_failure_answer(call, FAILURE_NOT_YOUR_CALL,
				    "Another client placed that call.");
	else if (!store_event_call_is_ongoing(placed->state))
		hang_up_answer(hang_up);
	else
		hang_up_end_call(hang_up);
}

/* Stays usable if the owner forbids new calls while one goes on. */
static bool hang_up_is_usable(const struct services *services)
{
	return services->dialler && (dialler_is_busy(services->dialler) ||
				     (services->config->policy.calls.place &&
				      dialler_is_possible(services->dialler)));
}

const struct tool tool_hang_up = {
	.name = "hang_up",
	.title = "End a call",
	.description =
		"End a call that you placed, and answer when the modem confirms it. It "
		"ends no other call.",
	.input = hang_up_input,
	.output = hang_up_output,
	.listed = (const char *const[]){ "over", "state", NULL },
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT | TOOL_OPEN_WORLD,
	.scopes = CLIENT_CALL,
	.usable = hang_up_is_usable,
	.run = hang_up_run,
	.audit_refusal = audit_call_refused,
};
