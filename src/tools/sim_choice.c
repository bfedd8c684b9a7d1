/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With a named SIM: that one, if it can send.
 *
 * Without one, among the SIMs that this client may use:
 *   exactly one can send  -> that one
 *   several can send      -> the phone's default SIM if the configuration says so, else
 *                            FAILURE_SUBSCRIPTION_REQUIRED with a list
 *   none can send         -> the failure of the SIM that may recover by itself, else of the
 *                            first one
 */
#include "tools/sim_choice.h"

#include <string.h>

#include "config/config.h"
#include "ofono/modem.h"
#include "tools/obstacle.h"

struct sim_choice {
	const struct services *services;
	struct arena *arena;
	const struct client *client;
	bool later;
	struct refusal *refusal;
};

static const struct sim *sim_choice_refuse(struct sim_choice *choice,
					   enum failure failure, const char *message)
{
	*choice->refusal = (struct refusal){ failure, message };
	return NULL;
}

/* Follows "it is". */
static const char *sim_choice_state(const struct sim *sim)
{
	if (sim->modem->has_other_hub)
		return "in a phone that works with another hub";
	if (sim->state == SIM_OFF)
		return "in a modem that is off";
	if (sim->state == SIM_STARTING && modem_sim_is_restricted(&sim->modem->sim))
		return "limited to a list of numbers (fixed or barred dialling)";
	if (sim->state == SIM_LOCKED &&
	    modem_sim_lock_of(&sim->modem->sim) == SIM_LOCK_OTHER)
		return "blocked by a phone or network lock, which neither PIN nor PUK opens";
	if (sim->state != SIM_SEARCHING)
		return sim_state_name(sim->state);
	if (strcmp(sim->modem->network.status, "denied") == 0)
		return "refused by the network";
	if (strcmp(sim->modem->network.status, "unregistered") == 0)
		return "in no network, and not looking for one";
	return sim_state_name(sim->state);
}

/* Returns NULL if memory runs out. */
static const char *sim_choice_list(const struct sim_choice *choice, const char *opening)
{
	const char *list = opening;
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(choice->services->sims), link) {
		if (list && policy_sim_is_allowed(choice->client, sim->id))
			list = arena_printf(
				choice->arena, "%s%s subscription_id %lld is %s (%s)",
				list, list == opening ? "" : ",", (long long)sim->id,
				sim->display_name, sim_choice_state(sim));
	}
	return list ? arena_printf(choice->arena, "%s.", list) : NULL;
}

static bool sim_choice_is_able(const struct sim_choice *choice, const struct sim *sim)
{
	return (choice->later || sim->state == SIM_READY) && !sim->modem->has_other_hub;
}

static const struct sim *sim_choice_refuse_sim(struct sim_choice *choice,
					       const struct sim *sim)
{
	return sim_choice_refuse(
		choice, tool_failure_of_sim(sim),
		arena_printf(
			choice->arena,
			"The SIM with subscription_id %lld (%s) cannot send now: it is %s.",
			(long long)sim->id, sim->display_name, sim_choice_state(sim)));
}

/* Returns false if it is refused. */
static bool sim_choice_check_named(struct sim_choice *choice, int64_t sim_id)
{
	const struct sim *sim = sims_find(choice->services->sims, sim_id);

	if (sim && sim_choice_is_able(choice, sim))
		return true;
	if (sim)
		sim_choice_refuse_sim(choice, sim);
	else if (!sims_knows(choice->services->sims, sim_id))
		sim_choice_refuse(choice, FAILURE_SUBSCRIPTION_UNKNOWN,
				  arena_printf(choice->arena,
					       "No SIM ever had subscription_id %lld.",
					       (long long)sim_id));
	else if (choice->later) /* it may be inserted by then */
		return true;
	else
		sim_choice_refuse(choice, FAILURE_SIM_ABSENT,
				  arena_printf(choice->arena,
					       "The SIM with subscription_id %lld is in "
					       "no modem that is switched on.",
					       (long long)sim_id));
	return false;
}

/* No SIM is known. A modem that is off may have one. */
static const struct sim *sim_choice_refuse_without_sims(struct sim_choice *choice)
{
	enum failure failure = FAILURE_SIM_ABSENT;
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(choice->services->ofono), link) {
		if (!modem->powered && !modem_is_foreign(modem))
			failure = FAILURE_MODEM_OFF;
	}
	return sim_choice_refuse(
		choice, failure,
		obstacle_describe_modems(choice->services, choice->arena));
}

/*
 * `first` is the first of the `count` SIMs that the client may use and that cannot send; NULL if
 * there is none.
 */
static const struct sim *sim_choice_refuse_all(struct sim_choice *choice,
					       const struct sim *first, unsigned count)
{
	enum failure failure;
	const struct sim *sim;

	if (!sims_count(choice->services->sims))
		return sim_choice_refuse_without_sims(choice);
	if (!first)
		return sim_choice_refuse(
			choice, FAILURE_SIM_ABSENT,
			"The phone has no SIM that the owner lets this client use.");
	if (count == 1)
		return sim_choice_refuse_sim(choice, first);
	failure = tool_failure_of_sim(first);
	TAILQ_FOREACH (sim, sims_list(choice->services->sims), link) {
		if (policy_sim_is_allowed(choice->client, sim->id) &&
		    failure_words(tool_failure_of_sim(sim))->retryable) {
			failure = tool_failure_of_sim(sim);
			break;
		}
	}
	return sim_choice_refuse(choice, failure,
				 sim_choice_list(choice, "No SIM can send now:"));
}

/* Several SIMs can send. */
static const struct sim *sim_choice_of_many(struct sim_choice *choice)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(choice->services->sims), link) {
		if (choice->services->config->phone_default && sim->is_default &&
		    sim_choice_is_able(choice, sim) &&
		    policy_sim_is_allowed(choice->client, sim->id))
			return sim;
	}
	return sim_choice_refuse(
		choice, FAILURE_SUBSCRIPTION_REQUIRED,
		sim_choice_list(choice, choice->later ? "There is more than one SIM:"
						      : "More than one SIM can send:"));
}

static const struct sim *sim_choice_without_name(struct sim_choice *choice)
{
	const struct sim *sim, *only = NULL, *first = NULL;
	unsigned count = 0;

	TAILQ_FOREACH (sim, sims_list(choice->services->sims), link) {
		if (!policy_sim_is_allowed(choice->client, sim->id))
			continue;
		if (count++ == 0)
			first = sim;
		if (!sim_choice_is_able(choice, sim))
			continue;
		if (only)
			return sim_choice_of_many(choice);
		only = sim;
	}
	return only ? only : sim_choice_refuse_all(choice, first, count);
}

const int64_t *sim_choice_argument(const struct tool_call *call, int64_t *sim_id_out)
{
	const struct json *named = json_member(call->arguments, "subscription_id");

	return named && json_integer(named, sim_id_out) ? sim_id_out : NULL;
}

const char *sim_choice_fix(const struct tool_call *call)
{
	const struct sim_choice choice = {
		.services = call->services,
		.arena = call->arena,
		.client = call->client,
	};
	static const char opening[] = "Pass the number of one of these SIMs:";
	const char *list = sim_choice_list(&choice, opening);

	return list && strlen(list) > sizeof(opening) ? list : NULL;
}

bool sim_choice_make(const struct tool_call *call, const int64_t *named, bool later,
		     int64_t *sim_id_out, struct refusal *refusal_out)
{
	struct sim_choice choice = {
		.services = call->services,
		.arena = call->arena,
		.client = call->client,
		.later = later,
		.refusal = refusal_out,
	};
	struct ofono *ofono = call->services->ofono;
	const struct sim *sim;

	ofono_retry(ofono);
	if (!ofono_is_available(ofono) && !(later && named)) {
		sim_choice_refuse(&choice, FAILURE_OFONO_UNAVAILABLE,
				  arena_printf(call->arena,
					       "The modems are out of reach: %s.",
					       ofono_condition(ofono)));
		return false;
	}
	if (named) {
		if (!sim_choice_check_named(&choice, *named))
			return false;
		*sim_id_out = *named;
		return true;
	}
	sim = sim_choice_without_name(&choice);
	if (sim)
		*sim_id_out = sim->id;
	return sim != NULL;
}
