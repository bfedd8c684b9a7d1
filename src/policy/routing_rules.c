/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of routing. A SIM must pass every filter; the first that refuses it is the reason
 * that people read. Among those that pass, the first preference that differs decides. A score
 * is greater for the better SIM. doc/routing.md has the same two tables in the same order.
 */
#include "policy/routing_private.h"

#include "base/hash.h"
#include "policy/policy.h"

/* ---- filters: the first that refuses a SIM names the reason -------------------------- */

static bool routing_rules_is_allowed(const struct routing_case *about,
				     const struct sim *sim, struct routing_sim *known,
				     int64_t *frees_ms)
{
	return !about->request->client ||
	       policy_sim_is_allowed(about->request->client, sim->id);
}

static bool routing_rules_is_in_pool(const struct routing_case *about,
				     const struct sim *sim, struct routing_sim *known,
				     int64_t *frees_ms)
{
	return !about->pool || known->pools >> about->pool_place & 1;
}

static bool routing_rules_is_in_service(const struct routing_case *about,
					const struct sim *sim, struct routing_sim *known,
					int64_t *frees_ms)
{
	return !known->service.is_drained;
}

static bool routing_rules_has_this_hub(const struct routing_case *about,
				       const struct sim *sim, struct routing_sim *known,
				       int64_t *frees_ms)
{
	return !sim->modem->has_other_hub;
}

static bool routing_rules_is_not_stuck(const struct routing_case *about,
				       const struct sim *sim, struct routing_sim *known,
				       int64_t *frees_ms)
{
	return sim->state != SIM_STUCK;
}

static bool routing_rules_is_ready(const struct routing_case *about,
				   const struct sim *sim, struct routing_sim *known,
				   int64_t *frees_ms)
{
	return about->request->is_later || sim->state == SIM_READY;
}

static bool routing_rules_is_rested(const struct routing_case *about,
				    const struct sim *sim, struct routing_sim *known,
				    int64_t *frees_ms)
{
	*frees_ms = known->service.rests_until_ms;
	return known->service.rests_until_ms <= about->now_ms;
}

struct routing_rules_tried {
	int64_t sim_id;
	bool found;
};

static void routing_rules_see_attempt(void *data, const struct store_attempt *attempt)
{
	struct routing_rules_tried *tried = data;

	tried->found |= attempt->sim_id == tried->sim_id && attempt->ended_ms;
}

static bool routing_rules_is_untried(const struct routing_case *about,
				     const struct sim *sim, struct routing_sim *known,
				     int64_t *frees_ms)
{
	struct routing_rules_tried tried = { sim->id,
					     sim->id == about->request->except_sim_id };

	if (about->request->message_id && !tried.found)
		store_attempt_list(about->routing->store, about->request->message_id,
				   routing_rules_see_attempt, &tried);
	return !tried.found;
}

static bool routing_rules_is_its_sender(const struct routing_case *about,
					const struct sim *sim, struct routing_sim *known,
					int64_t *frees_ms)
{
	return !about->pool || about->pool->sticky != POOL_RULE_REQUIRE ||
	       !about->sticky_sim || about->sticky_sim == sim->id;
}

static bool routing_rules_is_same_country(const struct routing_case *about,
					  const struct sim *sim)
{
	const struct country *home =
		country_of_mobile_digits(sim->modem->sim.mobile_country_code);

	return home && about->country &&
	       home->calling_code == about->country->calling_code;
}

static bool routing_rules_is_at_home(const struct routing_case *about,
				     const struct sim *sim, struct routing_sim *known,
				     int64_t *frees_ms)
{
	return !about->pool || about->pool->country != POOL_RULE_REQUIRE ||
	       !about->country || routing_rules_is_same_country(about, sim);
}

static bool routing_rules_has_recipient_left(const struct routing_case *about,
					     const struct sim *sim,
					     struct routing_sim *known, int64_t *frees_ms)
{
	struct store *store = about->routing->store;
	int64_t count = 0;

	if (!about->pool || !about->pool->recipients_per_month || !about->request->number)
		return true;
	if (!store_pool_has_recipient(store, sim->id, about->month,
				      about->request->number))
		return true;
	return !store_pool_count_recipients(store, sim->id, about->month, &count) &&
	       count < about->pool->recipients_per_month;
}

static bool routing_rules_is_within_limits(const struct routing_case *about,
					   const struct sim *sim,
					   struct routing_sim *known, int64_t *frees_ms)
{
	*frees_ms = known->exhausted_until_ms;
	return known->exhausted_until_ms <= about->now_ms;
}

const struct routing_filter routing_filters[ROUTING_FILTERS] = {
	{ "not allowed to this client", routing_rules_is_allowed },
	{ "not in the pool", routing_rules_is_in_pool },
	{ "drained by the owner", routing_rules_is_in_service },
	{ "in a phone that works with another hub", routing_rules_has_this_hub },
	{ "stuck", routing_rules_is_not_stuck },
	{ "not ready", routing_rules_is_ready },
	{ "resting after failures", routing_rules_is_rested },
	{ "tried already", routing_rules_is_untried },
	{ "not the SIM that this number knows", routing_rules_is_its_sender },
	{ "not of the recipient's country", routing_rules_is_at_home },
	{ "at their limit", routing_rules_is_within_limits },
	{ "without a new recipient left this month", routing_rules_has_recipient_left },
};

/* ---- preferences: the first that differs decides ------------------------------------- */

static int64_t routing_rules_score_conversation(const struct routing_case *about,
						const struct sim *sim,
						struct routing_sim *known)
{
	return sim->id == about->conversation_sim;
}

static int64_t routing_rules_score_sender(const struct routing_case *about,
					  const struct sim *sim,
					  struct routing_sim *known)
{
	return (!about->pool || about->pool->sticky != POOL_RULE_OFF) &&
	       sim->id == about->sticky_sim;
}

static int64_t routing_rules_score_country(const struct routing_case *about,
					   const struct sim *sim,
					   struct routing_sim *known)
{
	return (!about->pool || about->pool->country != POOL_RULE_OFF) &&
	       routing_rules_is_same_country(about, sim);
}

static int64_t routing_rules_score_left(const struct routing_case *about,
					const struct sim *sim, struct routing_sim *known)
{
	return routing_left(about->routing, known, sim->id);
}

/* Without failures before those that failed lately; then the same number, the same SIM. */
static int64_t routing_rules_score_failures(const struct routing_case *about,
					    const struct sim *sim,
					    struct routing_sim *known)
{
	return -(int64_t)known->service.failures;
}

static int64_t routing_rules_score_hash(const struct routing_case *about,
					const struct sim *sim, struct routing_sim *known)
{
	uint64_t hash = hash_add(about->number_hash, &sim->id, sizeof(sim->id));

	hash ^= hash >> 33; /* FNV's last octet hardly reaches the high bits */
	hash *= UINT64_C(0xff51afd7ed558ccd);
	return (int64_t)(hash >> 1);
}

const struct routing_preference routing_preferences[ROUTING_PREFERENCES] = {
	{ "the last message of this number came to it",
	  routing_rules_score_conversation },
	{ "it wrote to this number last", routing_rules_score_sender },
	{ "it is of the recipient's country", routing_rules_score_country },
	{ "it failed least lately", routing_rules_score_failures },
	{ "most of its month's budget is left", routing_rules_score_left },
	{ "several fit, and this number stays with it", routing_rules_score_hash },
};
