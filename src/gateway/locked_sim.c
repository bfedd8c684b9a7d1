/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card is found by the path of its modem, by its subscription_id, or as the only
 * locked one. Each function that returns NULL or false has answered the call, with an
 * error that names the command to run next.
 */
#include "gateway/command.h"

#include <stdlib.h>
#include <string.h>

#include "tools/services.h"

/* Returns "" if there is no memory. */
static const char *locked_sim_or_nothing(const char *text)
{
	return text ? text : "";
}

static const struct sim *locked_sim_card(const struct control *control,
					 const struct modem *modem)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(control->services->sims), link) {
		if (sim->modem == modem)
			return sim;
	}
	return NULL;
}

/*
 * Returns a name by which it can be given again. A card that has not been identified has no SIM ID.
 */
static const char *locked_sim_name(const struct control_call *call,
				   const struct modem *modem)
{
	const struct sim *sim = locked_sim_card(call->control, modem);

	return locked_sim_or_nothing(
		sim ? arena_printf(call->arena, "SIM %lld in %s", (long long)sim->id,
				   modem->path)
		    : arena_printf(call->arena, "the SIM in %s", modem->path));
}

static bool locked_sim_is_locked(const struct modem *modem)
{
	return !modem_is_foreign(modem) &&
	       modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE;
}

/* Returns the only locked card; else NULL, and *names_out lists none or several. */
static struct modem *locked_sim_find_only(struct control_call *call,
					  const char **names_out,
					  const struct modem **first_out)
{
	struct modem *modem, *only = NULL;
	const char *names = "";
	unsigned count = 0;

	TAILQ_FOREACH (modem, ofono_modems(call->control->services->ofono), link) {
		if (!locked_sim_is_locked(modem))
			continue;
		names = locked_sim_or_nothing(arena_printf(call->arena, "%s%s%s", names,
							   *names ? ", " : "",
							   locked_sim_name(call, modem)));
		*first_out = count ? *first_out : modem;
		only = modem;
		count++;
	}
	*names_out = names;
	return count == 1 ? only : NULL;
}

/* " /sim0 /sim1": modems without power, whose cards are unknown; "" if there is none. */
static const char *locked_sim_modems_off(const struct control_call *call)
{
	const struct modem *modem;
	const char *paths = "";

	TAILQ_FOREACH (modem, ofono_modems(call->control->services->ofono), link) {
		if (!modem->powered && !modem_is_foreign(modem))
			paths = locked_sim_or_nothing(
				arena_printf(call->arena, "%s %s", paths, modem->path));
	}
	return paths;
}

/* `paths` has each with a space before it. */
static const char *locked_sim_switch_on_fix(const struct control_call *call,
					    const char *paths)
{
	return locked_sim_or_nothing(arena_printf(
		call->arena, "Run as root: " PROGRAM_NAME " modem on%s; then try again",
		paths));
}

static void locked_sim_refuse_none(struct control_call *call)
{
	const char *off = locked_sim_modems_off(call);

	if (*off)
		control_call_fail(call, "modem_off", locked_sim_switch_on_fix(call, off),
				  "no locked SIM was found, but these modems are off:%s",
				  off);
	else
		control_call_fail(call, "not_locked", "", "no SIM is locked");
}

static struct modem *locked_sim_choose(struct control_call *call)
{
	const char *names;
	const struct modem *first = NULL;
	struct modem *modem = locked_sim_find_only(call, &names, &first);

	if (modem)
		return modem;
	if (*names)
		control_call_fail(call, "sim_required",
				  locked_sim_or_nothing(arena_printf(
					  call->arena,
					  "Name one of them, for example: " PROGRAM_NAME
					  " sim unlock %s",
					  first->path)),
				  "more than one SIM is locked: %s", names);
	else
		locked_sim_refuse_none(call);
	return NULL;
}

static struct modem *locked_sim_find_path(const struct control *control, const char *path)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(control->services->ofono), link) {
		if (strcmp(modem->path, path) == 0)
			return modem;
	}
	return NULL;
}

/* Returns NULL if it is not in a modem that is on. */
static struct modem *locked_sim_find_number(const struct control *control,
					    const char *number)
{
	const struct sim *sim;
	char *end;
	long long id = strtoll(number, &end, 10);

	sim = *end ? NULL : sims_find(control->services->sims, id);
	return sim ? sim->modem : NULL;
}

static struct modem *locked_sim_find_named(struct control_call *call, const char *name)
{
	struct modem *modem = *name == '/' ? locked_sim_find_path(call->control, name)
					   : locked_sim_find_number(call->control, name);

	if (!modem)
		control_call_fail(
			call, "sim_absent",
			"To unlock the only locked SIM, leave it out; " PROGRAM_NAME
			" status lists the SIMs",
			"SIM %s is not in the phone, or its modem is off", name);
	else if (!modem->powered)
		control_call_fail(
			call, "modem_off",
			locked_sim_switch_on_fix(
				call, locked_sim_or_nothing(arena_printf(
					      call->arena, " %s", modem->path))),
			"modem %s is off", modem->path);
	else if (!locked_sim_is_locked(modem))
		control_call_fail(call, "not_locked", "", "%s is not locked",
				  locked_sim_name(call, modem));
	else
		return modem;
	return NULL;
}

/* Compares what the card needs with what the owner will enter. */
static bool locked_sim_check_lock(struct control_call *call, const struct locked_sim *sim)
{
	bool puk = control_call_flag(call, "puk");

	if (sim->lock == SIM_LOCK_OTHER)
		control_call_fail(
			call, "other_lock",
			"Ask the seller of the phone, or the operator, for its code",
			"a lock of the phone or the network (%s) blocks %s; no PIN or PUK opens it",
			sim->modem->sim.pin_required, sim->name);
	else if (sim->lock == SIM_LOCK_PUK && !puk)
		control_call_fail(call, "sim_blocked",
				  locked_sim_or_nothing(arena_printf(
					  call->arena,
					  "Find the PUK that came with the card, "
					  "then: " PROGRAM_NAME " sim unlock --puk %s",
					  sim->modem->path)),
				  "%s needs its PUK: the wrong PIN was entered too often",
				  sim->name);
	else if (sim->lock == SIM_LOCK_PIN && puk)
		control_call_fail(call, "not_blocked", "Leave out --puk",
				  "%s needs its PIN, not its PUK", sim->name);
	else
		return true;
	return false;
}

bool locked_sim_find(struct control_call *call, struct locked_sim *sim_out)
{
	const char *seen = control_call_argument(call, "modem");
	const char *named = seen ? seen : control_call_argument(call, "sim");
	struct ofono *ofono = call->control->services->ofono;
	struct locked_sim sim = { NULL };

	if (!ofono_is_available(ofono)) {
		control_call_fail(call, "ofono_unavailable",
				  ofono_is_refused(ofono)
					  ? OFONO_REFUSED_FIX
					  : "Start oFono: systemctl start ofono",
				  "oFono cannot be reached: %s", ofono_condition(ofono));
		return false;
	}
	sim.modem = named ? locked_sim_find_named(call, named) : locked_sim_choose(call);
	if (!sim.modem)
		return false;
	sim.lock = modem_sim_lock_of(&sim.modem->sim);
	sim.tries = sim.modem->sim.pin_retries;
	sim.name = locked_sim_name(call, sim.modem);
	if (!locked_sim_check_lock(call, &sim))
		return false;
	*sim_out = sim;
	return true;
}

const char *locked_sim_tries(struct arena *arena, unsigned tries)
{
	if (tries == 1)
		return "1 try is left";
	return locked_sim_or_nothing(arena_printf(arena, "%u tries are left", tries));
}

bool locked_sim_may_try(struct control_call *call, const struct locked_sim *sim)
{
	if (sim->tries > 1 || control_call_flag(call, "force"))
		return true;
	if (!sim->tries)
		control_call_fail(call, "tries_unknown",
				  "If you are sure of the code, add --force",
				  "the modem does not report how many tries %s has left: "
				  "this might be the last one",
				  sim->name);
	else if (sim->lock == SIM_LOCK_PIN)
		control_call_fail(call, "last_try",
				  "If you are sure of the code, add --force",
				  "%s has one try left; a wrong PIN would block it until "
				  "its PUK is entered",
				  sim->name);
	else
		control_call_fail(call, "last_try",
				  "If you are sure of the code, add --force",
				  "%s has one try left; a wrong PUK "
				  "would make the card unusable forever",
				  sim->name);
	return false;
}
