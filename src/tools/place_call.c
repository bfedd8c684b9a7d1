/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place_call: choose the SIM, ask the policy, get a yes where one is needed, put the call on
 * disk, have it dialled, wait for what was asked for, answer.
 *
 * Until dialler_place() nothing has happened and every refusal is free. After it the call
 * goes its way, to its end or the owner's limit of time (phone/dialler.h), and the answer only
 * reports.
 */
#include <string.h>

#include "config/config.h"
#include "ofono/voice_call.h"
#include "phone/dialler.h"
#include "sms/outbox_approval.h"
#include "tools/approval.h"
#include "tools/argument.h"
#include "tools/call_watch.h"
#include "tools/failure.h"
#include "tools/message_view.h"
#include "tools/sim_choice.h"
#include "tools/tool_table.h"

enum { WAIT_SECONDS = 30, WAIT_MOST_SECONDS = 120 };

static const char *const wait_words[] = { "none", "alerting", "active", "ended", NULL };

/* What is waited for, by the place of its word. */
static const enum call_state awaited[] = {
	CALL_DIALLING,
	CALL_ALERTING,
	CALL_ACTIVE,
	CALL_STATE_LAST,
};

static const struct schema_field input[] = {
	{ "to_phone_number", SCHEMA_STRING, true,
	  "Who is to be called, in international format, + and country code, "
	  "for example +36201234567; no codes with * or #" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM to call from, as get_sms_subscriptions lists it; needed when more than "
	  "one SIM can send" },
	{ "wait_for", SCHEMA_STRING, false,
	  "none: answer when the phone has begun to dial; alerting: when it rings there; "
	  "active (default): when somebody answered; ended: when it is over. The end of "
	  "the call answers in each case",
	  .words = wait_words },
	{ "wait_seconds", SCHEMA_INTEGER, false, "How long to wait for that at most", 0,
	  WAIT_MOST_SECONDS },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "call_id", SCHEMA_INTEGER, true,
	  "Of this call: for hang_up, and in get_recent_calls" },
	{ "state", SCHEMA_STRING, true,
	  "dialing: the phone does not tell yet that it rings there; alerting: it rings; "
	  "active: somebody, or an answering machine, took it; ended: that was so, and "
	  "it is over; unanswered: it is over before that" },
	{ "reason", SCHEMA_STRING, false,
	  "Why it is over: remote: there, also when it is busy; network; local: at this "
	  "phone; time_limit; hung_up: by hang_up; client_left" },
	{ "to_phone_number", SCHEMA_STRING, true, "As it was dialled" },
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM it goes out from" },
	{ "hangs_up_at", SCHEMA_STRING, false,
	  "While it goes on: when it is hung up at the latest, RFC 3339" },
	{ 0 },
};

/* one call of the tool; lives in its arena */
struct calling {
	struct tool_call *call;
	const char *number; /* as it was written */
	char dialled[PHONE_NUMBER_BYTES];
	int64_t sim_id; /* 0: none found */
	const struct sim *sim;
	bool is_approved;
	enum call_state awaited;
	struct call_watch watch;
};

static const struct services *services_of(const struct calling *calling)
{
	return calling->call->services;
}

static const struct config_policy_calls *config_of(const struct calling *calling)
{
	return &services_of(calling)->config->policy.calls;
}

static bool refuse(const struct calling *calling, enum failure failure,
		   const char *message)
{
	failure_answer(calling->call, failure, message);
	return false;
}

/* As far as the SIM is known. */
static bool pass_policy(const struct calling *calling)
{
	const struct policy_request request = {
		.act = POLICY_CALL,
		.arena = calling->call->arena,
		.client = calling->call->client,
		.number = calling->number,
		.sim_id = calling->sim_id,
	};
	struct verdict verdict;
	struct refusal refusal;

	if (!policy_check(services_of(calling)->policy, &request, &verdict))
		return true;
	refusal = (struct refusal){ verdict.failure, verdict.message,
				    verdict.retry_after_seconds };
	failure_answer_with(calling->call, &refusal, NULL, NULL);
	return false;
}

/* What the owner does not allow is told before that no SIM can. */
static bool choose_sim(struct calling *calling)
{
	struct refusal refusal;
	bool chosen = sim_choice(calling->call, false, &calling->sim_id, &refusal);

	if (!pass_policy(calling))
		return false;
	if (!chosen) {
		failure_answer_with(calling->call, &refusal, NULL, NULL);
		return false;
	}
	calling->sim = sims_find(services_of(calling)->sims, calling->sim_id);
	return true;
}

/* Without the list of the card and the network an emergency number may not be known as one. */
static bool check_modem(const struct calling *calling)
{
	const struct modem *modem = calling->sim->modem;

	if (!modem_has_calls(modem))
		return refuse(calling, FAILURE_CALL_UNAVAILABLE,
			      "The modem of that SIM cannot place calls now.");
	if (!*modem->emergency_numbers)
		return refuse(calling, FAILURE_CALL_UNAVAILABLE,
			      "Which numbers are emergency numbers for that SIM is not "
			      "known now, so nothing is dialled.");
	if (!outbox_has_storage(services_of(calling)->outbox))
		return refuse(calling, FAILURE_STORAGE_FULL,
			      "Nothing was dialled: there is no room to write it down.");
	return true;
}

static bool get_yes(struct calling *calling)
{
	struct tool_call *call = calling->call;

	if (!approval_is_needed(call, calling->sim_id, calling->dialled))
		return true;
	switch (approval_may_ask(call)
			? approval_ask_call(call, calling->dialled, calling->sim,
					    config_of(calling)->max_seconds)
			: ELICITATION_UNAVAILABLE) {
	case ELICITATION_ANSWERED:
		calling->is_approved = true;
		return true;
	case ELICITATION_PENDING:
		return false;
	case ELICITATION_DECLINED:
		return refuse(
			calling, FAILURE_CALL_REJECTED,
			"Your person was asked whether this call may be placed, and "
			"said no; or said yes to one call, which was placed.");
	case ELICITATION_DISMISSED:
		return refuse(
			calling, FAILURE_CALL_REJECTED,
			"Your person was asked whether this call may be placed, and "
			"closed the question without a yes.");
	case ELICITATION_UNAVAILABLE:
		break;
	}
	return refuse(calling, FAILURE_APPROVAL_REQUIRED,
		      "The owner lets this client call only with a yes, and nobody could "
		      "be asked for it.");
}

static void write_answer(struct json_writer *writer, const struct placed_call *placed)
{
	json_open_object(writer);
	json_put_integer(writer, "call_id", placed->id);
	json_put_string(writer, "state", store_event_call_state_name(placed->state));
	if (*placed->reason)
		json_put_string(writer, "reason", placed->reason);
	json_put_string(writer, "to_phone_number", placed->number);
	json_put_integer(writer, "subscription_id", placed->sim_id);
	if (store_event_call_is_ongoing(placed->state))
		message_view_put_time(writer, "hangs_up_at", placed->ends_ms);
	json_close_object(writer);
}

static const struct {
	const char *reason;
	enum failure failure;
	const char *message;
} failures[] = {
	{ "busy", FAILURE_CALL_BUSY,
	  "There is a call on that SIM's modem, or oFono is about to do something with "
	  "one." },
	{ "refused", FAILURE_CALL_FAILED,
	  "oFono or the modem refused to dial, and told no reason." },
	{ "not_supported", FAILURE_CALL_UNAVAILABLE,
	  "The modem of that SIM cannot place calls now." },
	{ "not_allowed", FAILURE_CALL_UNAVAILABLE,
	  "The D-Bus policy of the phone does not let the gateway place calls." },
	{ "not_handed", FAILURE_OFONO_UNAVAILABLE, "oFono was not reached." },
	{ "lost", FAILURE_CALL_UNKNOWN,
	  "Nobody can tell what became of the call: oFono or the modem went away, or did "
	  "not answer." },
};

/* False: it is no failure. */
static bool answer_failure(const struct calling *calling,
			   const struct placed_call *placed)
{
	if (placed->state != CALL_NOT_PLACED && placed->state != CALL_LOST)
		return false;
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (strcmp(failures[i].reason, placed->reason) != 0)
			continue;
		failure_answer(calling->call, failures[i].failure, failures[i].message);
		return true;
	}
	return false;
}

static void answer(void *data)
{
	const struct calling *calling = data;
	const struct placed_call *placed =
		dialler_find(services_of(calling)->dialler, calling->watch.id);
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer;

	if (!placed) {
		failure_answer(calling->call, FAILURE_CALL_UNKNOWN,
			       "Too many calls came after this one to know of it.");
		return;
	}
	if (answer_failure(calling, placed))
		return;
	writer = json_writer_new(&structured);
	if (writer) {
		write_answer(writer, placed);
		json_writer_free(writer);
	} else {
		structured.failed = true;
	}
	tool_call_succeed_with_json(calling->call, &structured);
}

static bool hear(void *data, const struct placed_call *placed)
{
	const struct calling *calling = data;

	return placed->is_dialled && placed->state >= calling->awaited;
}

/* Who asked wants it no more. */
static void on_cancelled(void *data)
{
	const struct calling *calling = data;

	dialler_hang_up(services_of(calling)->dialler, calling->watch.id, "client_left");
}

static bool goes_on(const struct calling *calling)
{
	const struct placed_call *placed =
		dialler_find(services_of(calling)->dialler, calling->watch.id);

	return placed && store_event_call_is_ongoing(placed->state);
}

/* False: nothing was dialled, and the call is answered. */
static bool place(struct calling *calling)
{
	const struct tool_call *call = calling->call;
	const struct dial_order order = {
		.modem = calling->sim->modem,
		.sim_id = calling->sim_id,
		.client_id = call->client->id,
		.client = call->client->name,
		.number = calling->dialled,
		.most_seconds = config_of(calling)->max_seconds,
		.reason = calling->is_approved ? outbox_approval_by_user : NULL,
	};

	switch (dialler_place(services_of(calling)->dialler, &order,
			      &calling->watch.id)) {
	case 0:
		return true;
	case DIALLER_E_BUSY:
		refuse(calling, FAILURE_CALL_BUSY,
		       "An agent's call goes on on that SIM's modem.");
		return false;
	case STORE_E_FULL:
		refuse(calling, FAILURE_STORAGE_FULL,
		       "Nothing was dialled: that could not be written to the phone's "
		       "storage.");
		return false;
	default:
		refuse(calling, FAILURE_INTERNAL,
		       "Nothing was dialled: that could not be written down.");
		return false;
	}
}

static void dial(struct calling *calling)
{
	struct tool_call *call = calling->call;

	if (!place(calling))
		return;
	calling->watch.hear = hear;
	calling->watch.wait.answer = answer;
	calling->watch.wait.cancelled = on_cancelled;
	calling->watch.wait.data = calling;
	if (!goes_on(calling) ||
	    !call_watch_start(&calling->watch, call,
			      argument_integer(call, "wait_seconds", WAIT_SECONDS)))
		answer(calling);
}

static enum call_state read_awaited(const struct tool_call *call)
{
	const char *word = argument_text(call, "wait_for");

	for (size_t i = 0; word && wait_words[i]; i++) {
		if (strcmp(wait_words[i], word) == 0)
			return awaited[i];
	}
	return CALL_ACTIVE;
}

static void run(struct tool_call *call)
{
	struct calling *calling = arena_alloc(call->arena, sizeof(*calling));

	if (!calling) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	*calling = (struct calling){
		.call = call,
		.number = argument_text(call, "to_phone_number"),
		.awaited = read_awaited(call),
	};
	if (!choose_sim(calling) || !check_modem(calling))
		return;
	phone_number_parse(calling->number, calling->dialled);
	policy_normalise_number(services_of(calling)->policy, calling->sim_id,
				calling->dialled);
	if (get_yes(calling))
		dial(calling);
}

static bool usable(const struct services *services)
{
	return services->dialler && services->config->policy.calls.place &&
	       dialler_is_possible(services->dialler);
}

const struct tool tool_place_call = {
	.name = "place_call",
	.title = "Call a phone number",
	.description =
		"Has this phone call somebody, and answers when somebody takes the call, "
		"when it is over, or when the time to wait is. You can neither hear nor "
		"speak: no sound goes through the gateway, and who is called hears the "
		"phone's own microphone, so call only when your person is there to talk, "
		"or wants it to ring there. It disturbs whoever is called and is paid "
		"for by the minute; the gateway hangs up after the time that the owner "
		"set. \"active\" does not prove that a person answered. Emergency "
		"numbers are never dialled.",
	.input = input,
	.output = output,
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD,
	.scopes = CLIENT_CALL,
	.usable = usable,
	.run = run,
};
