/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hang_up: the end of a call that place_call placed. Calls that come in, and those that the
 * owner placed, are nobody's to end here.
 */
#include "base/log.h"
#include "config/config.h"
#include "phone/dialler.h"
#include "store/store_audit.h"
#include "tools/argument.h"
#include "tools/call_watch.h"
#include "tools/failure.h"
#include "tools/tool_table.h"

enum { WAIT_SECONDS = 10 };

static const struct schema_field input[] = {
	{ "call_id", SCHEMA_INTEGER, true, "As place_call answered it" },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "call_id", SCHEMA_INTEGER, true, "The call" },
	{ "over", SCHEMA_BOOLEAN, true,
	  "false: the modem has not confirmed it yet, and is told again every 5 "
	  "seconds" },
	{ "state", SCHEMA_STRING, true, "As place_call tells it" },
	{ 0 },
};

/* one call of the tool; lives in its arena */
struct hanging_up {
	struct tool_call *call;
	enum call_state state; /* as last known */
	struct call_watch watch;
};

static const struct services *services_of(const struct hanging_up *hanging)
{
	return hanging->call->services;
}

static void answer(void *data)
{
	const struct hanging_up *hanging = data;
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (writer) {
		json_open_object(writer);
		json_put_integer(writer, "call_id", hanging->watch.id);
		json_put_boolean(writer, "over",
				 !store_event_call_is_ongoing(hanging->state));
		json_put_string(writer, "state",
				store_event_call_state_name(hanging->state));
		json_close_object(writer);
		json_writer_free(writer);
	} else {
		structured.failed = true;
	}
	tool_call_succeed_with_json(hanging->call, &structured);
}

static bool hear(void *data, const struct placed_call *placed)
{
	struct hanging_up *hanging = data;

	hanging->state = placed->state;
	return false;
}

static void refuse(const struct hanging_up *hanging, enum failure failure,
		   const char *message)
{
	failure_answer(hanging->call, failure, message);
}

/* Of what the dialler has forgotten the ledger knows the end. */
struct look {
	int64_t id;
	int state; /* -1: there is none */
};

static void see(void *data, const struct event *event)
{
	struct look *look = data;

	if (event->id == look->id)
		look->state = event->state;
}

static void answer_for_old(struct hanging_up *hanging)
{
	struct look look = { hanging->watch.id, -1 };
	const struct store_event_query question = {
		.kind = EVENT_CALL,
		.before_id = look.id < INT64_MAX ? look.id + 1 : 0,
		.state = -1,
		.limit = 1,
		.visit = see,
		.data = &look,
	};

	if (look.id > 0 && store_event_list(services_of(hanging)->store, &question)) {
		refuse(hanging, FAILURE_INTERNAL, "The calls could not be read.");
	} else if (look.state < 0) {
		refuse(hanging, FAILURE_CALL_NOT_FOUND, "There is no call of that id.");
	} else if (!store_event_call_was_placed(look.state)) {
		refuse(hanging, FAILURE_CALL_COMES_IN,
		       "That call came in, and no tool answers or rejects one.");
	} else {
		hanging->state = (enum call_state)look.state;
		answer(hanging);
	}
}

static bool may_end(const struct hanging_up *hanging, const struct placed_call *placed)
{
	const struct client *client = hanging->call->client;

	return placed->client_id == client->id || client->id == CLIENT_OWNER ||
	       services_of(hanging)->config->policy.calls.hang_up_any;
}

static void note(const struct hanging_up *hanging)
{
	const struct client *client = hanging->call->client;

	if (store_audit_record(services_of(hanging)->store, AUDIT_CALL_HUNG_UP,
			       (struct audit_event_fact[]){
				       { "call_id", NULL, hanging->watch.id },
				       { "client_id", NULL, client->id },
				       { "client", client->name },
				       { NULL },
			       }))
		log_warning("audit: who hung up cannot be noted now");
}

static void end_it(struct hanging_up *hanging)
{
	struct dialler *dialler = services_of(hanging)->dialler;
	int64_t id = hanging->watch.id;

	hanging->watch.hear = hear;
	hanging->watch.wait.answer = answer;
	hanging->watch.wait.data = hanging;
	note(hanging);
	if (!call_watch_start(&hanging->watch, hanging->call, WAIT_SECONDS))
		refuse(hanging, FAILURE_INTERNAL, NULL);
	dialler_hang_up(dialler, id, "hung_up");
}

static void run(struct tool_call *call)
{
	struct hanging_up *hanging = arena_alloc(call->arena, sizeof(*hanging));
	const struct placed_call *placed;

	if (!hanging) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	*hanging = (struct hanging_up){ .call = call };
	hanging->watch.id = argument_integer(call, "call_id", 0);
	placed = dialler_find(services_of(hanging)->dialler, hanging->watch.id);
	if (!placed) {
		answer_for_old(hanging);
		return;
	}
	hanging->state = placed->state;
	if (!may_end(hanging, placed))
		refuse(hanging, FAILURE_NOT_YOUR_CALL,
		       "Another client placed that call.");
	else if (!store_event_call_is_ongoing(placed->state))
		answer(hanging);
	else
		end_it(hanging);
}

/* Also when the owner lets no more be placed: what goes on is to end. */
static bool usable(const struct services *services)
{
	return services->dialler && (dialler_is_at_it(services->dialler) ||
				     (services->config->policy.calls.place &&
				      dialler_is_possible(services->dialler)));
}

const struct tool tool_hang_up = {
	.name = "hang_up",
	.title = "End a call",
	.description =
		"Ends a call that you placed with place_call, and answers when the modem "
		"says that it is over. Asked again it answers the same. It ends no call "
		"of somebody else: neither one that comes in nor one that the owner has "
		"on the phone. Costs nothing, and cannot be undone.",
	.input = input,
	.output = output,
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT | TOOL_OPEN_WORLD,
	.scopes = CLIENT_CALL,
	.usable = usable,
	.run = run,
};
