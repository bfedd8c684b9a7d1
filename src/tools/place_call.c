/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place_call:
 *
 *   choose the SIM -> policy -> modem -> approval, if needed -> call on disk, dialled
 *      -> wait for `wait_for` or the end of the call -> answer
 *
 * Until dialler_place() nothing has happened, and every refusal is free. After it the call
 * goes on, to its end or the owner's time limit (phone/dialler.h), and the answer only
 * reports. A client that cancels its request hangs up.
 */
#include <string.h>

#include "config/config.h"
#include "phone/dialler.h"
#include "sms/outbox.h"
#include "tools/argument.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/sim_choice.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"
#include "tools/user_question.h"
#include "tools/view.h"

enum { PLACE_CALL_WAIT_SECONDS = 30, PLACE_CALL_WAIT_MAX_SECONDS = 120 };

static const char *const place_call_wait_words[] = { "none", "alerting", "active",
						     "ended", NULL };

/* The state that ends the wait, by index of its word. */
static const enum call_state place_call_awaited_states[] = {
	CALL_DIALLING,
	CALL_ALERTING,
	CALL_ACTIVE,
	CALL_STATE_LAST,
};

static const struct schema_field place_call_input[] = {
	{ "to_phone_number", SCHEMA_STRING, true,
	  "Number with + and country code, for example +36201234567",
	  .other_names = "to recipient number phone" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM to call from (get_sms_subscriptions lists them); needed if several can send",
	  .fix = sim_choice_fix },
	{ "wait_for", SCHEMA_STRING, false,
	  "Answer when the phone dials (none), when it rings there (alerting), when "
	  "somebody answers (active, default) or when the call is over (ended)",
	  .words = place_call_wait_words },
	{ "wait_seconds", SCHEMA_INTEGER, false, "Maximum wait", 0,
	  PLACE_CALL_WAIT_MAX_SECONDS },
	{ 0 },
};

static const struct schema_field place_call_output[] = {
	{ "call_id", SCHEMA_INTEGER, true, "For hang_up and list_calls" },
	{ "state", SCHEMA_STRING, true,
	  "dialing: not known to ring there yet; alerting: it rings; active: somebody, "
	  "or an answering machine, answered; ended: answered, and now over; unanswered: "
	  "over without an answer" },
	{ "reason", SCHEMA_STRING, false,
	  "Why it is over: remote: by the other end, also when busy; network; local: at "
	  "this phone; time_limit; hung_up: by hang_up; client_left" },
	{ "to_phone_number", SCHEMA_STRING, true, "As dialled" },
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM it is made from" },
	{ "hangs_up_at", SCHEMA_STRING, false,
	  "While it goes on: when it is hung up at the latest, RFC 3339" },
	{ 0 },
};

/* One tool call; lives in its arena. */
struct place_call {
	struct tool_call *call;
	const char *number; /* as the caller wrote it */
	char dialled[PHONE_NUMBER_BYTES];
	int64_t sim_id; /* 0 if none is chosen */
	const struct sim *sim;
	bool is_approved;
	enum call_state awaited;
	struct tool_wait_call wait;
};

static const struct config_policy_calls *place_call_config(const struct place_call *place)
{
	return &place->call->services->config->policy.calls;
}

/* Returns false, for the caller to return. */
static bool place_call_refuse(const struct place_call *place, enum failure failure,
			      const char *message)
{
	tool_failure_answer(place->call, failure, message);
	return false;
}

/*
 * Returns false if the call is refused, and answered. Without a SIM only the rules that need none
 * are checked.
 */
static bool place_call_check_policy(const struct place_call *place)
{
	const struct policy_request request = {
		.act = POLICY_CALL,
		.arena = place->call->arena,
		.client = place->call->client,
		.number = place->number,
		.sim_id = place->sim_id,
	};
	struct policy_verdict verdict;
	struct refusal refusal;

	if (!policy_check(place->call->services->policy, &request, &verdict))
		return true;
	refusal = (struct refusal){ verdict.failure, verdict.message,
				    verdict.retry_after_seconds };
	tool_failure_answer_with(place->call, &refusal, NULL, NULL);
	return false;
}

/* Reports a policy refusal before a SIM error. */
static bool place_call_choose_sim(struct place_call *place)
{
	struct refusal refusal;
	int64_t named;
	bool chosen =
		sim_choice_make(place->call, sim_choice_argument(place->call, &named),
				false, &place->sim_id, &refusal);

	if (!place_call_check_policy(place))
		return false;
	if (!chosen) {
		tool_failure_answer_with(place->call, &refusal, NULL, NULL);
		return false;
	}
	place->sim = sims_find(place->call->services->sims, place->sim_id);
	return true;
}

/* Card and network list emergency numbers: without them one may not be recognised. */
static bool place_call_check_modem(const struct place_call *place)
{
	const struct modem *modem = place->sim->modem;

	if (!modem_has_calls(modem))
		return place_call_refuse(place, FAILURE_CALL_UNAVAILABLE,
					 "The modem of that SIM cannot place calls now.");
	if (!*modem->emergency_numbers)
		return place_call_refuse(
			place, FAILURE_CALL_UNAVAILABLE,
			"The emergency numbers of that SIM are not known now, so nothing is dialled.");
	if (!outbox_has_storage(place->call->services->outbox))
		return place_call_refuse(place, FAILURE_STORAGE_FULL,
					 "There is no space to record the call.");
	return true;
}

/* Returns false if it is not approved, and answered; or the user is being asked. */
static bool place_call_get_approval(struct place_call *place)
{
	struct tool_call *call = place->call;

	if (!user_question_approval_needed(call, place->sim_id, place->dialled))
		return true;
	switch (user_question_can_ask(call)
			? user_question_approve_call(
				  call, place->dialled, place->sim,
				  place_call_config(place)->max_seconds)
			: ELICITATION_UNAVAILABLE) {
	case ELICITATION_ANSWERED:
		place->is_approved = true;
		return true;
	case ELICITATION_PENDING:
		return false;
	case ELICITATION_DECLINED:
		return place_call_refuse(
			place, FAILURE_CALL_REJECTED,
			"Your user was asked to approve this call and said no, or this "
			"answer was used before: it counts for one call.");
	case ELICITATION_DISMISSED:
		return place_call_refuse(
			place, FAILURE_APPROVAL_REQUIRED,
			"The owner lets this client call only with approval. Your user "
			"was asked for it, but the question was closed, or answered "
			"sooner than anybody can read it.");
	case ELICITATION_UNAVAILABLE:
		break;
	}
	return place_call_refuse(place, FAILURE_APPROVAL_REQUIRED,
				 "The owner lets this client call only with "
				 "approval, and nobody could be asked for it.");
}

static const struct {
	const char *reason;
	enum failure failure;
	const char *message;
} place_call_failures[] = {
	{ "busy", FAILURE_CALL_BUSY,
	  "That SIM's modem has a call, or oFono is changing one." },
	{ "refused", FAILURE_CALL_FAILED,
	  "oFono or the modem refused to dial and gave no reason." },
	{ "not_supported", FAILURE_CALL_UNAVAILABLE,
	  "The modem of that SIM cannot place calls now." },
	{ "not_allowed", FAILURE_CALL_UNAVAILABLE,
	  "The phone's D-Bus policy forbids the gateway to place calls." },
	{ "not_handed", FAILURE_OFONO_UNAVAILABLE, "oFono was not reached." },
	{ "lost", FAILURE_CALL_UNKNOWN,
	  "It is unknown what became of the call: oFono or the modem went away or did not answer." },
};

/* Returns false if the call did not fail. */
static bool place_call_answer_failure(const struct place_call *place,
				      const struct dialler_call *placed)
{
	if (placed->state != CALL_NOT_PLACED && placed->state != CALL_LOST)
		return false;
	for (size_t i = 0; i < sizeof(place_call_failures) / sizeof(*place_call_failures);
	     i++) {
		if (strcmp(place_call_failures[i].reason, placed->reason) != 0)
			continue;
		tool_failure_answer(place->call, place_call_failures[i].failure,
				    place_call_failures[i].message);
		return true;
	}
	return false;
}

static void place_call_answer(void *data)
{
	const struct place_call *place = data;
	const struct dialler_call *placed =
		dialler_find(place->call->services->dialler, place->wait.call_id);
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer;

	if (!placed) {
		tool_failure_answer(place->call, FAILURE_CALL_UNKNOWN,
				    "Too many calls followed to still know this one.");
		return;
	}
	if (place_call_answer_failure(place, placed))
		return;
	writer = page_open(place->call, &structured);
	if (!writer)
		return;
	json_put_integer(writer, "call_id", placed->id);
	json_put_string(writer, "state", store_event_call_state_name(placed->state));
	if (*placed->reason)
		json_put_string(writer, "reason", placed->reason);
	json_put_string(writer, "to_phone_number", placed->number);
	json_put_integer(writer, "subscription_id", placed->sim_id);
	if (store_event_call_is_ongoing(placed->state))
		view_put_time(writer, "hangs_up_at", placed->ends_ms);
	page_close(place->call, writer, &structured, NULL);
}

static bool place_call_on_change(void *data, const struct dialler_call *placed)
{
	const struct place_call *place = data;

	return placed->is_dialled && placed->state >= place->awaited;
}

static void place_call_on_cancelled(void *data)
{
	const struct place_call *place = data;

	dialler_hang_up(place->call->services->dialler, place->wait.call_id,
			"client_left");
}

/* Returns false if nothing was dialled, and the tool call is answered. */
static bool place_call_dial(struct place_call *place)
{
	const struct tool_call *call = place->call;
	const struct dialler_order order = {
		.modem = place->sim->modem,
		.sim_id = place->sim_id,
		.client_id = call->client->id,
		.client = call->client->name,
		.number = place->dialled,
		.most_seconds = place_call_config(place)->max_seconds,
		.reason = place->is_approved ? outbox_approval_by_user : NULL,
	};

	switch (dialler_place(call->services->dialler, &order, &place->wait.call_id)) {
	case 0:
		return true;
	case DIALLER_E_BUSY:
		return place_call_refuse(
			place, FAILURE_CALL_BUSY,
			"An agent's call is in progress on that SIM's modem.");
	case STORE_E_FULL:
		return place_call_refuse(
			place, FAILURE_STORAGE_FULL,
			"The call could not be written to the phone's storage.");
	default:
		return place_call_refuse(place, FAILURE_INTERNAL,
					 "The call could not be recorded.");
	}
}

static void place_call_wait(struct place_call *place)
{
	struct tool_call *call = place->call;
	int64_t seconds = argument_integer(call, "wait_seconds", PLACE_CALL_WAIT_SECONDS);
	const struct dialler_call *placed =
		dialler_find(call->services->dialler, place->wait.call_id);

	place->wait.changed = place_call_on_change;
	place->wait.wait.answer = place_call_answer;
	place->wait.wait.cancelled = place_call_on_cancelled;
	place->wait.wait.data = place;
	if (!placed || !store_event_call_is_ongoing(placed->state) ||
	    !tool_wait_for_call(&place->wait, call, (uint64_t)seconds))
		place_call_answer(place);
}

static enum call_state place_call_read_awaited(const struct tool_call *call)
{
	const char *word = argument_text(call, "wait_for");

	for (size_t i = 0; word && place_call_wait_words[i]; i++) {
		if (strcmp(place_call_wait_words[i], word) == 0)
			return place_call_awaited_states[i];
	}
	return CALL_ACTIVE;
}

static void place_call_run(struct tool_call *call)
{
	struct place_call *place = tool_wait_alloc(call, sizeof(*place));

	if (!place)
		return;
	*place = (struct place_call){
		.call = call,
		.number = argument_text(call, "to_phone_number"),
		.awaited = place_call_read_awaited(call),
	};
	if (!place_call_choose_sim(place) || !place_call_check_modem(place))
		return;
	phone_number_parse(place->number, place->dialled);
	policy_normalise_number(call->services->policy, place->sim_id, place->dialled);
	if (place_call_get_approval(place) && place_call_dial(place))
		place_call_wait(place);
}

static bool place_call_is_usable(const struct services *services)
{
	return services->dialler && services->config->policy.calls.place &&
	       dialler_is_possible(services->dialler);
}

const struct tool tool_place_call = {
	.name = "place_call",
	.title = "Call a phone number",
	.description = "Call a number from this phone; you can neither hear nor "
		       "speak. It costs money and the other end hears the phone's "
		       "microphone, so call only if your user is there to talk or "
		       "wants it to ring. \"active\" may be an answering machine. "
		       "The gateway hangs up after the owner's time limit.",
	.input = place_call_input,
	.output = place_call_output,
	.listed = (const char *const[]){ "call_id", "state", NULL },
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD,
	.scopes = CLIENT_CALL,
	.usable = place_call_is_usable,
	.run = place_call_run,
	.nothing_done = "Nobody was called.",
	.audit_refusal = audit_call_refused,
};
