/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about the SIM: whether the client may use it, and whether enough is known of the
 * card to judge a number. Whether it can send at this moment is no question of policy.
 */
#include <stdlib.h>

#include "base/word_list.h"
#include "phone/sim.h"
#include "policy/policy_private.h"

bool policy_sim_is_allowed(const struct client *client, int64_t sim_id)
{
	const char *at = client->sims;
	char word[24];

	if (!*at)
		return true;
	while (word_list_next(&at, word, sizeof(word))) {
		if (strtoll(word, NULL, 10) == sim_id)
			return true;
	}
	return false;
}

int policy_sim_check_allowed(struct policy_case *about)
{
	int64_t sim_id = about->request->sim_id;

	if (policy_sim_is_allowed(about->request->client, sim_id))
		return 0;
	return policy_case_refuse(
		about, FAILURE_SUBSCRIPTION_NOT_ALLOWED,
		arena_printf(about->request->arena,
			     "The owner does not let this client use the "
			     "SIM with subscription_id %lld.",
			     (long long)sim_id));
}

int policy_sim_check_unlocked(struct policy_case *about)
{
	const struct sim *sim = sims_find(about->parts->sims, about->request->sim_id);
	enum failure failure = FAILURE_SIM_LOCKED;
	const char *how = "locked";

	if (about->recipient.home || !sim || sim->state != SIM_LOCKED)
		return 0;
	if (modem_sim_lock_of(&sim->modem->sim) == SIM_LOCK_OTHER) {
		failure = FAILURE_SIM_HELD;
		how = "blocked by a phone or network lock";
	}
	return policy_case_refuse(
		about, failure,
		arena_printf(about->request->arena,
			     "The SIM with subscription_id %lld (%s) cannot send now: it "
			     "is %s, so its country is not known.",
			     (long long)sim->id, sim->display_name, how));
}
