/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sim_choice.h"

#include <string.h>

#include "config/config.h"
#include "ofono/modem.h"
#include "tools/obstacle.h"

struct sim_choosing {
	const struct services *services;
	struct arena *arena;
	const struct client *client;
	bool later; /* it need not be able to send now */
	struct refusal *refusal;
};

static const struct sim *refuse(struct sim_choosing *choosing, enum failure failure,
				const char *message)
{
	*choosing->refusal = (struct refusal){ failure, message };
	return NULL;
}

/* "It is ..." */
static const char *state_in_words(const struct sim *sim)
{
	if (sim->state == SIM_OFF)
		return "in a modem that is off";
	if (sim->state == SIM_STARTING && modem_sim_is_restricted(&sim->modem->sim))
		return "limited to a list of numbers (fixed or barred dialling)";
	if (sim->state == SIM_LOCKED &&
	    modem_sim_lock_of(&sim->modem->sim) == SIM_LOCK_OTHER)
		return "held by a lock of the phone or the network, which neither PIN "
		       "nor PUK opens";
	if (sim->state != SIM_SEARCHING)
		return sim_state_name(sim->state);
	if (strcmp(sim->modem->network.status, "denied") == 0)
		return "refused by the network";
	if (strcmp(sim->modem->network.status, "unregistered") == 0)
		return "in no network, and not looking for one";
	return sim_state_name(sim->state);
}

static const char *list_choices(const struct sim_choosing *choosing, const char *opening)
{
	const char *list = opening;
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(choosing->services->sims), link) {
		if (list && policy_allows_sim(choosing->client, sim->id))
			list = arena_printf(
				choosing->arena, "%s%s subscription_id %lld is %s (%s)",
				list, list == opening ? "" : ",", (long long)sim->id,
				sim->display_name, state_in_words(sim));
	}
	return list ? arena_printf(choosing->arena, "%s.", list) : NULL;
}

static bool is_able(const struct sim_choosing *choosing, const struct sim *sim)
{
	return choosing->later || sim->state == SIM_READY;
}

static const struct sim *refuse_sim(struct sim_choosing *choosing, const struct sim *sim)
{
	return refuse(choosing, failure_of_sim(sim),
		      arena_printf(choosing->arena,
				   "The SIM with subscription_id %lld (%s) cannot send "
				   "now: it is %s.",
				   (long long)sim->id, sim->display_name,
				   state_in_words(sim)));
}

/* False: refused. A card that is not there now may be there later. */
static bool choose_given(struct sim_choosing *choosing, int64_t sim_id)
{
	const struct services *services = choosing->services;
	const struct sim *sim = sims_find(services->sims, sim_id);
	bool known = sim || sims_is_known(services->sims, sim_id);

	if (sim && !is_able(choosing, sim))
		refuse_sim(choosing, sim);
	else if (!known)
		refuse(choosing, FAILURE_SUBSCRIPTION_UNKNOWN,
		       arena_printf(choosing->arena,
				    "No SIM ever had subscription_id %lld.",
				    (long long)sim_id));
	else if (!sim && !choosing->later)
		refuse(choosing, FAILURE_SIM_ABSENT,
		       arena_printf(choosing->arena,
				    "The SIM with subscription_id %lld is in no modem "
				    "that is switched on.",
				    (long long)sim_id));
	else
		return true;
	return false;
}

/* Of those that the client may use, one that may send later without anybody's help. */
static enum failure most_hopeful(const struct sim_choosing *choosing,
				 const struct sim *first)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(choosing->services->sims), link) {
		enum failure failure = failure_of_sim(sim);

		if (policy_allows_sim(choosing->client, sim->id) &&
		    failure_words(failure)->retryable)
			return failure;
	}
	return failure_of_sim(first);
}

/* In a modem that is off there may be one: nobody knows. */
static const struct sim *refuse_without_any(struct sim_choosing *choosing)
{
	enum failure failure = FAILURE_SIM_ABSENT;
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(choosing->services->ofono), link) {
		if (!modem->powered && !modem_is_foreign(modem))
			failure = FAILURE_MODEM_OFF;
	}
	return refuse(choosing, failure,
		      obstacle_tell_of_modems(choosing->services, choosing->arena));
}

/* None that the client may use can send. `first` of `count` that it may use, NULL none. */
static const struct sim *refuse_all(struct sim_choosing *choosing,
				    const struct sim *first, unsigned count)
{
	if (!sims_count(choosing->services->sims))
		return refuse_without_any(choosing);
	if (!first)
		return refuse(choosing, FAILURE_SIM_ABSENT,
			      "There is no SIM in the phone that the owner lets this "
			      "client use.");
	if (count == 1)
		return refuse_sim(choosing, first);
	return refuse(choosing, most_hopeful(choosing, first),
		      list_choices(choosing, "No SIM can send now:"));
}

/* The one that the phone's owner chose, where the owner of the gateway wants that to count. */
static const struct sim *choose_default(const struct sim_choosing *choosing)
{
	const struct sim *sim;

	if (!choosing->services->config->phone_default)
		return NULL;
	TAILQ_FOREACH (sim, sims_list(choosing->services->sims), link) {
		if (sim->is_default && is_able(choosing, sim) &&
		    policy_allows_sim(choosing->client, sim->id))
			return sim;
	}
	return NULL;
}

static const struct sim *choose_of_many(struct sim_choosing *choosing)
{
	const char *many = choosing->later ? "There is more than one SIM:"
					   : "More than one SIM can send:";
	const struct sim *sim = choose_default(choosing);

	return sim ? sim
		   : refuse(choosing, FAILURE_SUBSCRIPTION_REQUIRED,
			    list_choices(choosing, many));
}

/*
 * Without a subscription_id: the one SIM that can send of those that the client may use, the
 * phone's own choice of several, or a refusal that lists them.
 */
static const struct sim *choose_only(struct sim_choosing *choosing)
{
	const struct sim *sim, *only = NULL, *first = NULL;
	unsigned count = 0;

	TAILQ_FOREACH (sim, sims_list(choosing->services->sims), link) {
		if (!policy_allows_sim(choosing->client, sim->id))
			continue;
		if (count++ == 0)
			first = sim;
		if (is_able(choosing, sim) && only)
			return choose_of_many(choosing);
		if (is_able(choosing, sim))
			only = sim;
	}
	return only ? only : refuse_all(choosing, first, count);
}

bool sim_choice(const struct tool_call *call, bool later, int64_t *sim_id_out,
		struct refusal *refusal_out)
{
	const struct json *given = json_member(call->arguments, "subscription_id");
	struct sim_choosing choosing = {
		.services = call->services,
		.arena = call->arena,
		.client = call->client,
		.later = later,
		.refusal = refusal_out,
	};
	struct ofono *ofono = choosing.services->ofono;
	const struct sim *sim;
	int64_t sim_id;
	bool is_given = given && json_integer(given, &sim_id);

	ofono_retry(ofono);
	if (!ofono_is_available(ofono) && !(later && is_given)) {
		refuse(&choosing, FAILURE_OFONO_UNAVAILABLE,
		       arena_printf(call->arena, "The modems are out of reach: %s.",
				    ofono_condition(ofono)));
		return false;
	}
	if (is_given) {
		if (!choose_given(&choosing, sim_id))
			return false;
		*sim_id_out = sim_id;
		return true;
	}
	sim = choose_only(&choosing);
	if (sim)
		*sim_id_out = sim->id;
	return sim != NULL;
}
