/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of it is known here already: nobody who asks makes a D-Bus call or reads the ledger.
 */
#include "tools/obstacle.h"

#include "tools/modem_facts.h"

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

static const char *tell_out_of_reach(const struct services *services, struct arena *arena)
{
	return arena_printf(arena, "The modems are out of reach: %s.",
			    ofono_condition(services->ofono));
}

static const char *tell_storage(const struct services *services, struct arena *arena)
{
	const char *trouble = store_trouble(services->store);

	(void)arena;
	return trouble ? trouble
		       : "Less room is left on the phone's storage than is reserved for "
			 "messages that come in.";
}

const char *obstacle_tell_of_modems(const struct services *services, struct arena *arena)
{
	const char *opening = "No SIM can send: ", *text = opening;
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		if (text && !modem_is_foreign(modem))
			text = arena_printf(arena, "%s%smodem %s: %s", text,
					    text == opening ? "" : "; ", modem->path,
					    modem_facts_obstacle(services, modem));
	}
	if (text && !ofono_is_complete(services->ofono))
		text = arena_printf(arena, "%s%soFono does not know all modems yet", text,
				    text == opening ? "" : "; ");
	if (text == opening)
		return "No SIM can send: oFono knows no modem.";
	return text ? arena_printf(arena, "%s.", text) : NULL;
}

const struct obstacle obstacles[] = {
	{ "bus_unavailable", "The system bus (D-Bus) does not answer.", has_no_bus,
	  tell_out_of_reach },
	{ "ofono_unavailable", "oFono, which knows the modems, does not answer.",
	  has_no_ofono, tell_out_of_reach },
	{ "no_sim_ready",
	  "No SIM can send: none is there, unlocked, switched on and in a network.",
	  has_no_sim, obstacle_tell_of_modems },
	{ "paused", "The owner has stopped all sending.", is_paused },
	{ "storage_full",
	  "There is no room on the phone's storage, or its records are damaged or gone.",
	  has_no_storage, tell_storage },
	{ "queue_full", "As many messages as may wait are waiting.", is_full },
	{ NULL },
};

const struct obstacle *obstacle_find(const struct services *services)
{
	for (const struct obstacle *at = obstacles; at->name; at++) {
		if (at->holds(services))
			return at;
	}
	return NULL;
}

const char *obstacle_in_detail(const struct obstacle *obstacle,
			       const struct services *services, struct arena *arena)
{
	return obstacle->in_detail ? obstacle->in_detail(services, arena)
				   : obstacle->text;
}

bool obstacles_are_none(const struct services *services)
{
	return !obstacle_find(services);
}
