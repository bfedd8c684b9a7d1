/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sim_question.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/escape.h"

/* A card's name comes from whoever made it. */
const char *sim_question_title(const struct sim *sim, struct arena *arena)
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

/* Ends with a NULL value. NULL: no memory. */
static const struct form_choice *list_sims(const struct sms_order *order)
{
	const struct services *services = order->call->services;
	struct arena *arena = order->call->arena;
	struct form_choice *choices =
		arena_alloc(arena, (sims_count(services->sims) + 1) * sizeof(*choices));
	const struct client *client = order->call->client;
	struct form_choice *choice = choices;
	const struct sim *sim;

	if (!choices)
		return NULL;
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (!policy_allows_sim(client, sim->id) ||
		    (!order->send_at && sim->state != SIM_READY))
			continue;
		choice->value = arena_printf(arena, "%lld", (long long)sim->id);
		choice->title = sim_question_title(sim, arena);
		if (!choice->value || !choice->title)
			return NULL;
		choice++;
	}
	return choices;
}

bool sim_question_field(const struct sms_order *order, struct form_field *field_out)
{
	const struct form_choice *choices = list_sims(order);

	if (!choices)
		return false;
	*field_out = (struct form_field){
		.name = "subscription_id",
		.type = SCHEMA_STRING,
		.required = true,
		.title = "SIM",
		.choices = choices,
	};
	return true;
}

int64_t sim_question_read(const struct json *content)
{
	return strtoll(json_string(json_member(content, "subscription_id")), NULL, 10);
}

static const struct elicitation_question *make_question(const struct sms_order *order)
{
	struct arena *arena = order->call->arena;
	struct elicitation_question *question = arena_alloc(arena, sizeof(*question));
	struct form_field *fields = arena_alloc(arena, 2 * sizeof(*fields));

	if (!question || !fields || !sim_question_field(order, &fields[0]))
		return NULL;
	question->key = SIM_QUESTION_KEY;
	question->message = arena_printf(
		arena,
		"Which SIM should the text message to %s go out from? It is %u SMS.",
		order->number, order->segments.count);
	question->fields = fields;
	return question->message ? question : NULL;
}

enum elicitation_outcome sim_question_ask(struct sms_order *order, int64_t *sim_id_out)
{
	const struct elicitation_question *question = make_question(order);
	const struct json *content;
	enum elicitation_outcome outcome = ELICITATION_UNAVAILABLE;

	if (question)
		outcome = elicitation_ask(order->call, question, &content);
	if (outcome == ELICITATION_ANSWERED)
		*sim_id_out = sim_question_read(content);
	return outcome;
}
