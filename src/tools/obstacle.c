/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything here is known already: finding obstacles calls neither oFono nor the message
 * store, so /healthz may be polled often.
 *
 * A modem whose SIM is one of ours is judged by that SIM's state. Any other modem is judged
 * from the outside in: switched off, card not read yet, no card, card also in another modem,
 * card locked.
 */
#include "tools/obstacle.h"

#include <string.h>

#include "ofono/modem.h"

static bool obstacle_is_off(const struct modem *modem)
{
	/* A modem that is off may still show what it remembers of its card. */
	return !modem->powered && !(modem->interfaces & ~(uint32_t)MODEM_SIM_INFO);
}

static bool obstacle_is_unread(const struct modem *modem)
{
	return !modem->sim.known;
}

static bool obstacle_has_no_card(const struct modem *modem)
{
	return !modem->sim.present;
}

/* If one card is in two modems, struct sim stands for the first of them. */
static bool obstacle_is_duplicate(const struct services *services,
				  const struct modem *modem)
{
	const struct modem *other;

	TAILQ_FOREACH (other, ofono_modems(services->ofono), link) {
		if (other != modem && modem_sim_is_same(&modem->sim, &other->sim))
			return true;
	}
	return false;
}

static const struct {
	bool (*holds)(const struct modem *modem);
	struct obstacle_modem obstacle;
} obstacle_of_card[] = {
	{ obstacle_is_off,
	  { "it is switched off", "as root", PROGRAM_NAME " modem on" } },
	{ obstacle_is_unread, { "oFono does not say yet whether it has a SIM" } },
	{ obstacle_has_no_card, { "no SIM is in it", "insert one" } },
};

static const struct obstacle_modem obstacle_of_lock[] = {
	[SIM_LOCK_NONE] = { NULL },
	[SIM_LOCK_PIN] = { "its SIM waits for its PIN", NULL,
			   PROGRAM_NAME " sim unlock" },
	[SIM_LOCK_PUK] = { "its SIM waits for its PUK", NULL,
			   PROGRAM_NAME " sim unlock --puk" },
	[SIM_LOCK_OTHER] = { "a phone or network lock blocks its SIM, and neither PIN nor PUK opens it",
			     "ask the seller of the phone for its code" },
};

static const struct obstacle_modem obstacle_of_state[] = {
	[SIM_READY] = { NULL },
	[SIM_SEARCHING] = { "no network has accepted its SIM", "look for reception" },
	[SIM_OFFLINE] = { "it is in flight mode", "as root", PROGRAM_NAME " modem on" },
	[SIM_STARTING] = { "it does not accept messages yet" },
	[SIM_LOCKED] = { NULL }, /* see obstacle_of_lock */
	[SIM_DUPLICATE] = { "its SIM is in two modems, and each would send the message",
			    "to switch one of them off, as root",
			    PROGRAM_NAME " modem off" },
	[SIM_STUCK] = { "it is stuck: it does not finish a message", "as root",
			PROGRAM_NAME " modem off", PROGRAM_NAME " modem on" },
	[SIM_OFF] = { "it is switched off", "as root", PROGRAM_NAME " modem on" },
	[SIM_ABSENT] = { "no SIM is in it", "insert one" },
};

static const struct obstacle_modem obstacle_restricted_sim = {
	"its SIM is limited to a list of numbers (fixed or barred dialling), and oFono "
	"sends no messages with such a card",
	"remove the limit in another phone, with its PIN2",
};
static const struct obstacle_modem obstacle_denied_sim = {
	"the network refuses its SIM",
	"ask its issuer whether it is valid here",
};
static const struct obstacle_modem obstacle_unknown_sim = {
	"its SIM has not reported its identity yet",
};

static const struct obstacle_modem *obstacle_of_sim(const struct sim *sim)
{
	const struct modem *modem = sim->modem;

	if (sim->state == SIM_STARTING && modem_sim_is_restricted(&modem->sim))
		return &obstacle_restricted_sim;
	if (sim->state == SIM_SEARCHING && strcmp(modem->network.status, "denied") == 0)
		return &obstacle_denied_sim;
	return obstacle_of_state[sim->state].text ? &obstacle_of_state[sim->state] : NULL;
}

const struct obstacle_modem *obstacle_of_modem(const struct services *services,
					       const struct modem *modem)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (sim->modem == modem && sim->state != SIM_LOCKED)
			return obstacle_of_sim(sim);
	}
	for (size_t i = 0; i < sizeof(obstacle_of_card) / sizeof(*obstacle_of_card);
	     i++) {
		if (obstacle_of_card[i].holds(modem))
			return &obstacle_of_card[i].obstacle;
	}
	if (obstacle_is_duplicate(services, modem))
		return &obstacle_of_state[SIM_DUPLICATE];
	if (modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE)
		return &obstacle_of_lock[modem_sim_lock_of(&modem->sim)];
	return &obstacle_unknown_sim;
}

/* "modem /ril_0: it is stuck: ... (for the owner, as root: ofono-mcp modem off /ril_0)" */
static const char *obstacle_format_modem(const struct modem *modem,
					 const struct obstacle_modem *obstacle,
					 struct arena *arena, bool with_step)
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

const char *obstacle_describe_modem(const struct services *services,
				    const struct modem *modem, struct arena *arena)
{
	const struct obstacle_modem *obstacle = obstacle_of_modem(services, modem);

	return obstacle ? obstacle_format_modem(modem, obstacle, arena, true) : NULL;
}

#define OBSTACLE_DOCTOR " (for the owner: " PROGRAM_NAME " doctor)"

static const char *obstacle_list_modems(const struct services *services,
					struct arena *arena, bool with_steps)
{
	static const char opening[] = "No SIM can send: ";
	const char *text = opening;
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		const struct obstacle_modem *obstacle;
		const char *one;

		if (modem_is_foreign(modem) ||
		    !(obstacle = obstacle_of_modem(services, modem)))
			continue;
		one = obstacle_format_modem(modem, obstacle, arena, with_steps);
		text = one ? arena_printf(arena, "%s%s%s", text,
					  text == opening ? "" : "; ", one)
			   : NULL;
		if (!text)
			return NULL;
	}
	if (!ofono_is_complete(services->ofono))
		text = arena_printf(arena, "%s%soFono does not know all modems yet", text,
				    text == opening ? "" : "; ");
	if (text == opening)
		return with_steps
			       ? "No SIM can send: oFono knows no modem" OBSTACLE_DOCTOR
				 "."
			       : "No SIM can send: oFono knows no modem.";
	return text ? arena_printf(arena, "%s.", text) : NULL;
}

const char *obstacle_describe_modems(const struct services *services, struct arena *arena)
{
	return obstacle_list_modems(services, arena, false);
}

static const char *obstacle_describe_modems_and_steps(const struct services *services,
						      struct arena *arena)
{
	return obstacle_list_modems(services, arena, true);
}

static const char *obstacle_describe_connection(const struct services *services,
						struct arena *arena)
{
	return arena_printf(arena, "The modems are out of reach: %s" OBSTACLE_DOCTOR ".",
			    ofono_condition(services->ofono));
}

static const char *obstacle_describe_storage(const struct services *services,
					     struct arena *arena)
{
	const char *trouble = store_trouble(services->store);

	return trouble ? trouble
		       : "The phone's storage has less free space than is reserved for "
			 "incoming messages.";
}

static bool obstacle_has_no_bus(const struct services *services)
{
	return !ofono_has_bus(services->ofono);
}

static bool obstacle_has_no_ofono(const struct services *services)
{
	return ofono_has_bus(services->ofono) && !ofono_is_available(services->ofono);
}

static bool obstacle_has_no_sim(const struct services *services)
{
	const struct sim *sim;

	if (!ofono_is_available(services->ofono))
		return false; /* reported as an obstacle of its own */
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (sim->state == SIM_READY)
			return false;
	}
	return true;
}

static bool obstacle_is_paused(const struct services *services)
{
	return policy_is_paused(services->policy);
}

static bool obstacle_has_no_storage(const struct services *services)
{
	return !outbox_has_storage(services->outbox);
}

static bool obstacle_is_full(const struct services *services)
{
	return outbox_is_full(services->outbox);
}

const struct obstacle obstacle_table[] = {
	{ "bus_unavailable", "The system bus (D-Bus) does not answer.",
	  obstacle_has_no_bus, obstacle_describe_connection },
	{ "ofono_unavailable", "oFono, which manages the modems, does not answer.",
	  obstacle_has_no_ofono, obstacle_describe_connection },
	{ "no_sim_ready",
	  "No SIM can send: none is present, unlocked, switched on and registered.",
	  obstacle_has_no_sim, obstacle_describe_modems_and_steps },
	{ "paused", "The owner has paused all sending.", obstacle_is_paused },
	{ "storage_full",
	  "The phone's storage is full, or the message store is damaged or gone.",
	  obstacle_has_no_storage, obstacle_describe_storage },
	{ "queue_full", "The queue is full: try again when some messages were sent.",
	  obstacle_is_full },
	{ NULL },
};

const struct obstacle *obstacle_find(const struct services *services)
{
	for (const struct obstacle *at = obstacle_table; at->name; at++) {
		if (at->holds(services))
			return at;
	}
	return NULL;
}

const char *obstacle_details(const struct obstacle *obstacle,
			     const struct services *services, struct arena *arena)
{
	return obstacle->describe ? obstacle->describe(services, arena) : obstacle->text;
}

bool obstacle_is_none(const struct services *services)
{
	return !obstacle_find(services);
}
