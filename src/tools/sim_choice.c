/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sim_choice.h"

static const char *list_choices(struct tool_call *call, const char *opening)
{
	const struct services *services = call->services;
	const char *list = opening;
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (list)
			list = arena_printf(
				call->arena, "%s%s subscription_id %lld is %s (%s)", list,
				list == opening ? "" : ",", (long long)sim->id,
				sim->display_name, sim_state_name(sim->state));
	}
	return list ? arena_printf(call->arena, "%s.", list) : NULL;
}

static const struct sim *refuse_sim(struct tool_call *call, const struct sim *sim)
{
	failure_answer(
		call, failure_of_sim_state(sim->state),
		arena_printf(
			call->arena,
			"The SIM %s (subscription_id %lld) cannot send now: it is %s.",
			sim->display_name, (long long)sim->id,
			sim_state_name(sim->state)));
	return NULL;
}

static const struct sim *choose_given(struct tool_call *call, int64_t sim_id)
{
	const struct services *services = call->services;
	const struct sim *sim = sims_find(services->sims, sim_id);
	struct arena *arena = call->arena;

	if (sim)
		return sim->state == SIM_READY ? sim : refuse_sim(call, sim);
	if (sims_is_known(services->sims, sim_id))
		failure_answer(
			call, FAILURE_SIM_ABSENT,
			arena_printf(arena,
				     "The SIM with subscription_id %lld is not in the "
				     "phone now.",
				     (long long)sim_id));
	else
		failure_answer(call, FAILURE_SUBSCRIPTION_UNKNOWN,
			       arena_printf(arena,
					    "No SIM ever had subscription_id %lld.",
					    (long long)sim_id));
	return NULL;
}

/* Without a subscription_id: the one SIM that can send, or a refusal that lists the SIMs. */
static const struct sim *choose_only(struct tool_call *call)
{
	const struct services *services = call->services;
	const struct sim_list *sims = sims_list(services->sims);
	const struct sim *sim, *only = NULL;

	TAILQ_FOREACH (sim, sims, link) {
		if (sim->state == SIM_READY && only) {
			failure_answer(call, FAILURE_SUBSCRIPTION_REQUIRED,
				       list_choices(call, "More than one SIM can send:"));
			return NULL;
		}
		if (sim->state == SIM_READY)
			only = sim;
	}
	if (only)
		return only;
	sim = TAILQ_FIRST(sims);
	if (!sim)
		failure_answer(call, FAILURE_SIM_ABSENT, "There is no SIM in the phone.");
	else if (sims_count(services->sims) == 1)
		refuse_sim(call, sim);
	else
		failure_answer(call, failure_of_sim_state(sim->state),
			       list_choices(call, "No SIM can send now:"));
	return NULL;
}

const struct sim *sim_choice(struct tool_call *call)
{
	const struct services *services = call->services;
	const struct json *given = json_member(call->arguments, "subscription_id");
	int64_t sim_id;

	if (!ofono_is_available(services->ofono)) {
		failure_answer(call, FAILURE_OFONO_UNAVAILABLE,
			       arena_printf(call->arena,
					    "The modems are out of reach: %s.",
					    ofono_condition(services->ofono)));
		return NULL;
	}
	if (given && json_integer(given, &sim_id))
		return choose_given(call, sim_id);
	return choose_only(call);
}
