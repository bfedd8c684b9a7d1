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

#define DOCTOR " (for the owner: ofono-mcp doctor)"

static const char *tell_out_of_reach(const struct services *services, struct arena *arena)
{
	return arena_printf(arena, "The modems are out of reach: %s" DOCTOR ".",
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

static const char opening[] = "No SIM can send: ";

static const char *tell_of(const struct modem *modem,
			   const struct modem_obstacle *obstacle, struct arena *arena,
			   bool with_step)
{
	const char *step = obstacle->step, *command = obstacle->command;

	if (!with_step || !(step || command))
		return arena_printf(arena, "modem %s: %s", modem->path, obstacle->text);
	if (!command)
		return arena_printf(arena, "modem %s: %s (for the owner: %s)",
				    modem->path, obstacle->text, step);
	return arena_printf(
		arena, "modem %s: %s (for the owner%s%s: %s %s%s%s%s%s)", modem->path,
		obstacle->text, step ? ", " : "", step ? step : "", command, modem->path,
		obstacle->then ? " && " : "", obstacle->then ? obstacle->then : "",
		obstacle->then ? " " : "", obstacle->then ? modem->path : "");
}

const char *obstacle_tell_of_modem(const struct services *services,
				   const struct modem *modem, struct arena *arena)
{
	const struct modem_obstacle *obstacle = modem_facts_obstacle(services, modem);

	return obstacle ? tell_of(modem, obstacle, arena, true) : NULL;
}

/* NULL: no memory */
static const char *add_modem(const char *text, const struct modem *modem,
			     const struct modem_obstacle *obstacle, struct arena *arena,
			     bool with_step)
{
	const char *told = obstacle ? tell_of(modem, obstacle, arena, with_step) : "";

	if (!obstacle || !told)
		return told ? text : NULL;
	return arena_printf(arena, "%s%s%s", text, text == opening ? "" : "; ", told);
}

static const char *tell_of_modems(const struct services *services, struct arena *arena,
				  bool with_steps)
{
	const char *text = opening;
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		if (text && !modem_is_foreign(modem))
			text = add_modem(text, modem,
					 modem_facts_obstacle(services, modem), arena,
					 with_steps);
	}
	if (text && !ofono_is_complete(services->ofono))
		text = arena_printf(arena, "%s%soFono does not know all modems yet", text,
				    text == opening ? "" : "; ");
	if (text == opening)
		return with_steps ? "No SIM can send: oFono knows no modem" DOCTOR "."
				  : "No SIM can send: oFono knows no modem.";
	return text ? arena_printf(arena, "%s.", text) : NULL;
}

const char *obstacle_tell_of_modems(const struct services *services, struct arena *arena)
{
	return tell_of_modems(services, arena, false);
}

static const char *tell_of_modems_and_steps(const struct services *services,
					    struct arena *arena)
{
	return tell_of_modems(services, arena, true);
}

const struct obstacle obstacles[] = {
	{ "bus_unavailable", "The system bus (D-Bus) does not answer.", has_no_bus,
	  tell_out_of_reach },
	{ "ofono_unavailable", "oFono, which knows the modems, does not answer.",
	  has_no_ofono, tell_out_of_reach },
	{ "no_sim_ready",
	  "No SIM can send: none is there, unlocked, switched on and in a network.",
	  has_no_sim, tell_of_modems_and_steps },
	{ "paused", "The owner has stopped all sending.", is_paused },
	{ "storage_full",
	  "There is no room on the phone's storage, or its records are damaged or gone.",
	  has_no_storage, tell_storage },
	{ "queue_full",
	  "As many messages as may wait are waiting: try again when some were sent.",
	  is_full },
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
