/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each question is rebuilt from the call's arguments when the answer arrives, and the answer
 * counts only if both are equal (mcp/elicitation.h). So a question must contain nothing that changes
 * by itself, such as the time.
 */
#include "tools/user_question.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "store/store_party.h"
#include "config/config.h"

bool user_question_approval_needed(const struct tool_call *call, int64_t sim_id,
				   const char *number)
{
	switch (call->client->ask) {
	case CLIENT_ASK_NEVER:
		return false;
	case CLIENT_ASK_NEW_RECIPIENTS:
		return store_party_has_exchanged(call->services->store, sim_id, number) !=
		       0;
	case CLIENT_ASK_ALWAYS:
		break;
	}
	return true;
}

bool user_question_can_ask(const struct tool_call *call)
{
	return call->services->config->approve_through_agent &&
	       elicitation_is_available(call);
}

/* Returns NULL if memory runs out. So for all functions here that return text. */
static const char *user_question_escape(const char *text, struct arena *arena)
{
	struct buffer buffer = BUFFER_INIT;
	const char *copy = NULL;

	escape_text(&buffer, text);
	if (!buffer.failed)
		copy = arena_copy(arena, buffer.data ? buffer.data : "", buffer.length);
	buffer_deinit(&buffer);
	return copy;
}

static const char *user_question_client_name(const struct tool_call *call)
{
	return user_question_escape(*call->client->name ? call->client->name : "An agent",
				    call->arena);
}

/* A card's name comes from its issuer, so it is escaped. */
static const char *user_question_sim_title(const struct sim *sim, struct arena *arena)
{
	struct buffer name = BUFFER_INIT;
	const char *title = NULL;

	escape_line(&name, sim->display_name);
	if (!name.failed)
		title = arena_printf(arena, "%.*s (SIM %d%s%s)", (int)name.length,
				     name.data ? name.data : "", sim->slot + 1,
				     *sim->own_number ? ", " : "", sim->own_number);
	buffer_deinit(&name);
	return title;
}

/* Returns false if memory runs out. */
static bool user_question_sim_field(const struct sms_order *order,
				    struct form_field *field_out)
{
	const struct sims *sims = order->call->services->sims;
	struct arena *arena = order->call->arena;
	struct form_choice *choices =
		arena_alloc(arena, (sims_count(sims) + 1) * sizeof(*choices));
	struct form_choice *choice = choices;
	const struct sim *sim;

	if (!choices)
		return false;
	TAILQ_FOREACH (sim, sims_list(sims), link) {
		if (!policy_sim_is_allowed(order->call->client, sim->id) ||
		    (!order->send_at && sim->state != SIM_READY))
			continue;
		choice->value = arena_printf(arena, "%lld", (long long)sim->id);
		choice->title = user_question_sim_title(sim, arena);
		if (!choice->value || !choice->title)
			return false;
		choice++;
	}
	*field_out = (struct form_field){
		.name = "subscription_id",
		.type = SCHEMA_STRING,
		.required = true,
		.title = "SIM",
		.choices = choices,
	};
	return true;
}

static int64_t user_question_read_sim(const struct json *content)
{
	return strtoll(json_string(json_member(content, "subscription_id")), NULL, 10);
}

enum elicitation_outcome user_question_choose_sim(struct sms_order *order,
						  int64_t *sim_id_out)
{
	struct arena *arena = order->call->arena;
	struct elicitation_question *question = arena_alloc(arena, sizeof(*question));
	struct form_field *fields = arena_alloc(arena, 2 * sizeof(*fields));
	const struct json *content;
	enum elicitation_outcome outcome;

	if (!question || !fields || !user_question_sim_field(order, &fields[0]))
		return ELICITATION_UNAVAILABLE;
	question->key = USER_QUESTION_SIM_KEY;
	question->message = arena_printf(
		arena,
		"Which SIM should the text message to %s be sent from? It is %u SMS.",
		order->addressees ? order->addressees : order->number,
		order->segments.count);
	question->fields = fields;
	if (!question->message)
		return ELICITATION_UNAVAILABLE;
	outcome = elicitation_ask(order->call, question, &content);
	if (outcome == ELICITATION_ANSWERED)
		*sim_id_out = user_question_read_sim(content);
	return outcome;
}

/* Returns ", from ...", or "" if the form asks for the SIM. */
static const char *user_question_format_sim(const struct sms_order *order)
{
	struct arena *arena = order->call->arena;
	const struct sim *sim = sims_find(order->call->services->sims, order->sim_id);
	const char *title;

	if (!order->sim_id)
		return "";
	if (!sim)
		return arena_printf(arena, ", from the SIM with subscription_id %lld",
				    (long long)order->sim_id);
	title = user_question_sim_title(sim, arena);
	return title ? arena_printf(arena, ", from %s", title) : NULL;
}

/* Leaves out the time that is found with is_spread: it would change until the answer comes. */
static const char *user_question_format_time(const struct sms_order *order)
{
	const char *spread = order->is_spread ? ", when your limits allow it" : "";
	char time[CLOCK_TEXT_BYTES];

	if (!order->wished_ms)
		return spread;
	clock_format(order->wished_ms, time);
	return arena_printf(order->call->arena, ", not before %s%s", time, spread);
}

static const char *user_question_format_message(const struct sms_order *order)
{
	struct arena *arena = order->call->arena;
	const char *name = user_question_client_name(order->call);
	const char *text = user_question_escape(order->text, arena);
	const char *sim = user_question_format_sim(order);
	const char *time = user_question_format_time(order);

	const char *act =
		order->edits_message_id
			? arena_printf(
				  arena,
				  "change message %lld, which is not sent yet, into one",
				  (long long)order->edits_message_id)
			: "send a text message";

	if (!name || !text || !sim || !time || !act)
		return NULL;
	return arena_printf(
		arena,
		"%s wants to %s to %s%s%s. It is %u SMS%s, and this is its text:\n\n%s",
		name, act, order->addressees ? order->addressees : order->number, sim,
		time, order->segments.count, order->addressees ? " for each" : "", text);
}

/* Returns NULL if memory runs out. */
static const struct elicitation_question *user_question_about_message(
	const struct sms_order *order)
{
	struct arena *arena = order->call->arena;
	struct elicitation_question *question = arena_alloc(arena, sizeof(*question));
	struct form_field *fields = arena_alloc(arena, 3 * sizeof(*fields));
	struct form_field *field = fields;

	if (!question || !fields)
		return NULL;
	if (!order->sim_id && !user_question_sim_field(order, field++))
		return NULL;
	*field = (struct form_field){
		.name = "send",
		.type = SCHEMA_BOOLEAN,
		.required = true,
		.title = order->addressees ? "Yes, send these messages"
					   : "Yes, send this message",
	};
	*question = (struct elicitation_question){
		.key = USER_QUESTION_APPROVAL_KEY,
		.message = user_question_format_message(order),
		.fields = fields,
		.needs_reader = true,
	};
	return question->message ? question : NULL;
}

enum elicitation_outcome user_question_approve_message(struct sms_order *order)
{
	struct tool_call *call = order->call;
	const struct elicitation_question *question = user_question_about_message(order);
	const struct json *content;
	enum elicitation_outcome outcome = ELICITATION_UNAVAILABLE;

	if (!elicitation_is_resumed(call) && !order->addressees)
		audit_user_asked(call->services->audit, call->client, order->number);
	if (question)
		outcome = elicitation_ask(call, question, &content);
	if (outcome != ELICITATION_ANSWERED)
		return outcome;
	if (!json_member(content, "send")->boolean) {
		elicitation_treat_as_declined(call);
		return ELICITATION_DECLINED;
	}
	if (!order->sim_id)
		order->sim_id = user_question_read_sim(content);
	order->approval = ORDER_APPROVAL_GIVEN;
	return ELICITATION_ANSWERED;
}

static const char *user_question_format_call(const struct tool_call *call,
					     const char *number, const struct sim *sim,
					     int64_t max_seconds)
{
	const char *name = user_question_client_name(call);
	const char *title = user_question_sim_title(sim, call->arena);

	if (!name || !title)
		return NULL;
	return arena_printf(call->arena,
			    "%s wants to call %s from %s. The phone dials at "
			    "once and hangs up after %lld seconds at the latest; "
			    "the other end hears this phone's microphone.",
			    name, number, title, (long long)max_seconds);
}

enum elicitation_outcome user_question_approve_call(struct tool_call *call,
						    const char *number,
						    const struct sim *sim,
						    int64_t max_seconds)
{
	struct elicitation_question *question =
		arena_alloc(call->arena, sizeof(*question));
	struct form_field *fields = arena_alloc(call->arena, 2 * sizeof(*fields));
	const char *message = user_question_format_call(call, number, sim, max_seconds);
	const struct json *content;
	enum elicitation_outcome outcome;

	if (!question || !fields || !message)
		return ELICITATION_UNAVAILABLE;
	fields[0] = (struct form_field){
		.name = "call",
		.type = SCHEMA_BOOLEAN,
		.required = true,
		.title = "Yes, place this call",
	};
	*question = (struct elicitation_question){
		.key = "call_approval",
		.message = message,
		.fields = fields,
		.needs_reader = true,
	};
	if (!elicitation_is_resumed(call))
		audit_user_asked(call->services->audit, call->client, number);
	outcome = elicitation_ask(call, question, &content);
	/* whatever the answer was, it counts once */
	if (outcome == ELICITATION_ANSWERED || outcome == ELICITATION_DISMISSED)
		elicitation_treat_as_declined(call);
	if (outcome != ELICITATION_ANSWERED)
		return outcome;
	return json_member(content, "call")->boolean ? ELICITATION_ANSWERED
						     : ELICITATION_DECLINED;
}
