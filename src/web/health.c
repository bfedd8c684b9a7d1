/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of it is known here already: nobody who asks makes a D-Bus call or reads the ledger.
 */
#include "web/health.h"

static bool has_no_bus(const struct services *services)
{
	return !ofono_has_bus(services->ofono);
}

static bool has_no_ofono(const struct services *services)
{
	return ofono_has_bus(services->ofono) && !ofono_is_available(services->ofono);
}

static bool has_no_sim(const struct services *services)
{
	const struct sim *sim;

	if (!ofono_is_available(services->ofono))
		return false; /* that was said already */
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (sim->state == SIM_READY)
			return false;
	}
	return true;
}

static bool is_paused(const struct services *services)
{
	return policy_is_paused(services->policy);
}

static bool has_no_storage(const struct services *services)
{
	return !outbox_has_storage(services->outbox);
}

static bool is_full(const struct services *services)
{
	return outbox_is_full(services->outbox);
}

const struct health_reason health_reasons[] = {
	{ "bus_unavailable", "The system bus (D-Bus) does not answer.", has_no_bus },
	{ "ofono_unavailable", "oFono, which knows the modems, does not answer.",
	  has_no_ofono },
	{ "no_sim_ready",
	  "No SIM can send: none is there, unlocked, switched on and in a network.",
	  has_no_sim },
	{ "paused", "The owner has stopped all sending.", is_paused },
	{ "storage_full",
	  "There is no room on the phone's storage, or its records are damaged.",
	  has_no_storage },
	{ "queue_full", "As many messages as may wait are waiting.", is_full },
	{ NULL },
};

bool health_is_ready(const struct services *services)
{
	for (const struct health_reason *at = health_reasons; at->name; at++) {
		if (at->holds(services))
			return false;
	}
	return true;
}
