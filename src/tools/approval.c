/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/approval.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "config/config.h"
#include "store/store_party.h"
#include "tools/sim_question.h"

static const struct client *client_of(const struct sms_order *order)
{
	return order->call->client;
}

bool approval_is_needed(const struct tool_call *call, int64_t sim_id, const char *number)
{
	const struct services *services = call->services;

	switch (call->client->ask) {
	case CLIENT_ASK_NEVER:
		return false;
	case CLIENT_ASK_NEW_RECIPIENTS:
		return store_party_has_exchanged(services->store, sim_id, number) != 0;
	case CLIENT_ASK_ALWAYS:
		break;
	}
	return true;
}

bool approval_may_ask(const struct tool_call *call)
{
	const struct services *services = call->services;

	return services->config->approve_through_agent && elicitation_is_available(call);
}

/* NULL: no memory. */
static const char *shown(const char *text, struct arena *arena)
{
	struct buffer buffer = BUFFER_INIT;
	const char *copy = NULL;

	escape_text(&buffer, text);
	if (!buffer.failed)
		copy = arena_copy(arena, buffer.data ? buffer.data : "", buffer.length);
	buffer_deinit(&buffer);
	return copy;
}

const char *approval_asker(const struct tool_call *call)
{
	return shown(*call->client->name ? call->client->name : "An agent", call->arena);
}

/* "" when the person is to choose. */
static const char *say_sim(const struct sms_order *order)
{
	const struct services *services = order->call->services;
	struct arena *arena = order->call->arena;
	const struct sim *sim = sims_find(services->sims, order->sim_id);
	const char *title;

	if (!order->sim_id)
		return "";
	if (!sim)
		return arena_printf(arena, ", from the SIM with subscription_id %lld",
				    (long long)order->sim_id);
	title = sim_question_title(sim, arena);
	return title ? arena_printf(arena, ", from %s", title) : NULL;
}

static const char *say_time(const struct sms_order *order)
{
	char time[CLOCK_TEXT_BYTES];

	if (!order->send_at_ms)
		return "";
	clock_format(order->send_at_ms, time);
	return arena_printf(order->call->arena, ", not before %s", time);
}

static const char *write_message(const struct sms_order *order)
{
	struct arena *arena = order->call->arena;
	const char *name = approval_asker(order->call);
	const char *text = shown(order->text, arena);
	const char *sim = say_sim(order);
	const char *time = say_time(order);

	if (!name || !text || !sim || !time)
		return NULL;
	return arena_printf(arena,
			    "%s wants to send a text message to %s%s%s. It is %u SMS, "
			    "and this is its text:\n\n%s",
			    name, order->number, sim, time, order->segments.count, text);
}

static const struct elicitation_question *make_question(const struct sms_order *order)
{
	struct arena *arena = order->call->arena;
	struct elicitation_question *question = arena_alloc(arena, sizeof(*question));
	struct form_field *fields = arena_alloc(arena, 3 * sizeof(*fields));
	struct form_field *field = fields;

	if (!question || !fields)
		return NULL;
	if (!order->sim_id && !sim_question_field(order, field++))
		return NULL;
	*field = (struct form_field){
		.name = "send",
		.type = SCHEMA_BOOLEAN,
		.required = true,
		.title = "Yes, send this message",
	};
	*question =
		(struct elicitation_question){ "approval", write_message(order), fields };
	return question->message ? question : NULL;
}

enum elicitation_outcome approval_ask(struct sms_order *order)
{
	const struct services *services = order->call->services;
	const struct elicitation_question *question = make_question(order);
	const struct json *content;
	enum elicitation_outcome outcome = ELICITATION_UNAVAILABLE;

	if (!elicitation_is_resumed(order->call))
		audit_user_asked(services->audit, client_of(order), order->number);
	if (question)
		outcome = elicitation_ask(order->call, question, &content);
	if (outcome != ELICITATION_ANSWERED)
		return outcome;
	if (!json_member(content, "send")->boolean) {
		elicitation_treat_as_declined(order->call);
		return ELICITATION_DECLINED;
	}
	if (!order->sim_id)
		order->sim_id = sim_question_read(content);
	order->approval = ORDER_APPROVAL_GIVEN;
	return ELICITATION_ANSWERED;
}
