/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/locked_sim.h"

#include <stdlib.h>
#include <string.h>

/* "" in the place of what there is no memory for. */
static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

static const struct sim *sim_in(const struct control *control, const struct modem *modem)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(control->sims), link) {
		if (sim->modem == modem)
			return sim;
	}
	return NULL;
}

/* By what it can be named, too. A card that does not tell who it is has no number. */
static const char *name_of(const struct control_call *call, const struct modem *modem)
{
	const struct sim *sim = sim_in(call->control, modem);

	return or_nothing(sim ? arena_printf(call->arena, "SIM %lld in %s",
					     (long long)sim->id, modem->path)
			      : arena_printf(call->arena, "the SIM in %s", modem->path));
}

static bool is_locked(const struct modem *modem)
{
	return !modem_is_foreign(modem) &&
	       modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE;
}

/* The only one; NULL with *names_out of none or several. */
static struct modem *find_only(struct control_call *call, const char **names_out,
			       const struct modem **first_out)
{
	struct modem *modem, *only = NULL;
	const char *names = "";
	unsigned count = 0;

	TAILQ_FOREACH (modem, ofono_modems(call->control->ofono), link) {
		if (!is_locked(modem))
			continue;
		names = or_nothing(arena_printf(call->arena, "%s%s%s", names,
						*names ? ", " : "",
						name_of(call, modem)));
		*first_out = count ? *first_out : modem;
		only = modem;
		count++;
	}
	*names_out = names;
	return count == 1 ? only : NULL;
}

/* " /sim0 /sim1": modems without power, whose cards nobody sees; "" none. */
static const char *modems_off(const struct control_call *call)
{
	const struct modem *modem;
	const char *paths = "";

	TAILQ_FOREACH (modem, ofono_modems(call->control->ofono), link) {
		if (!modem->powered && !modem_is_foreign(modem))
			paths = or_nothing(
				arena_printf(call->arena, "%s %s", paths, modem->path));
	}
	return paths;
}

/* `paths` each with a blank before it. */
static const char *switch_on(const struct control_call *call, const char *paths)
{
	return or_nothing(arena_printf(
		call->arena, "As root: ofono-mcp modem on%s; then try again", paths));
}

static void refuse_none(struct control_call *call)
{
	const char *off = modems_off(call);

	if (*off)
		control_fail(call, "modem_off", switch_on(call, off),
			     "no SIM is locked as far as can be seen, but these modems "
			     "are off:%s",
			     off);
	else
		control_fail(call, "not_locked", "", "no SIM is locked");
}

static struct modem *choose(struct control_call *call)
{
	const char *names;
	const struct modem *first = NULL;
	struct modem *modem = find_only(call, &names, &first);

	if (modem)
		return modem;
	if (*names)
		control_fail(call, "sim_required",
			     or_nothing(arena_printf(
				     call->arena,
				     "Name the one that you mean, for example: "
				     "ofono-mcp unlock %s",
				     first->path)),
			     "more than one SIM is locked: %s", names);
	else
		refuse_none(call);
	return NULL;
}

static struct modem *find_path(const struct control *control, const char *path)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(control->ofono), link) {
		if (strcmp(modem->path, path) == 0)
			return modem;
	}
	return NULL;
}

/* NULL: it is in no modem that is on. */
static struct modem *find_number(const struct control *control, const char *number)
{
	const struct sim *sim;
	char *end;
	long long id = strtoll(number, &end, 10);

	sim = *end ? NULL : sims_find(control->sims, id);
	return sim ? sim->modem : NULL;
}

static struct modem *find_named(struct control_call *call, const char *name)
{
	struct modem *modem = *name == '/' ? find_path(call->control, name)
					   : find_number(call->control, name);

	if (!modem)
		control_fail(call, "sim_absent",
			     "Leave it out to unlock the only SIM that is locked; "
			     "ofono-mcp status lists those that are there",
			     "no SIM %s is in the phone, or its modem is off", name);
	else if (!modem->powered)
		control_fail(call, "modem_off",
			     switch_on(call, or_nothing(arena_printf(call->arena, " %s",
								     modem->path))),
			     "the modem %s is off", modem->path);
	else if (!is_locked(modem))
		control_fail(call, "not_locked", "", "%s is not locked",
			     name_of(call, modem));
	else
		return modem;
	return NULL;
}

static bool flag(const struct control_call *call, const char *name)
{
	const struct json *value = json_member(call->arguments, name);

	return value && value->type == JSON_BOOLEAN && value->boolean;
}

/* What it asks for, and what will be given. */
static bool check_lock(struct control_call *call, const struct locked_sim *sim)
{
	bool puk = flag(call, "puk");

	if (sim->lock == SIM_LOCK_OTHER)
		control_fail(call, "other_lock",
			     "Ask the seller of the phone, or the network, for its code",
			     "%s is held by a lock of the phone or the network (%s), "
			     "which neither PIN nor PUK opens",
			     sim->name, sim->modem->sim.pin_required);
	else if (sim->lock == SIM_LOCK_PUK && !puk)
		control_fail(call, "sim_blocked",
			     or_nothing(arena_printf(
				     call->arena,
				     "Have the PUK at hand, which came with the card, "
				     "then: ofono-mcp unlock --puk %s",
				     sim->modem->path)),
			     "%s asks for its PUK: its PIN was entered wrongly too often",
			     sim->name);
	else if (sim->lock == SIM_LOCK_PIN && puk)
		control_fail(call, "not_blocked", "Leave --puk out",
			     "%s asks for its PIN, not for its PUK", sim->name);
	else
		return true;
	return false;
}

bool locked_sim_find(struct control_call *call, struct locked_sim *sim_out)
{
	const char *seen = control_argument(call, "modem");
	const char *named = seen ? seen : control_argument(call, "sim");
	struct ofono *ofono = call->control->ofono;
	struct locked_sim sim = { NULL };

	if (!ofono_is_available(ofono)) {
		control_fail(call, "ofono_unavailable",
			     ofono_is_refused(ofono)
				     ? OFONO_REFUSED_FIX
				     : "Start oFono: systemctl start ofono",
			     "oFono cannot be asked: %s", ofono_condition(ofono));
		return false;
	}
	sim.modem = named ? find_named(call, named) : choose(call);
	if (!sim.modem)
		return false;
	sim.lock = modem_sim_lock_of(&sim.modem->sim);
	sim.tries = sim.modem->sim.pin_retries;
	sim.name = name_of(call, sim.modem);
	if (!check_lock(call, &sim))
		return false;
	*sim_out = sim;
	return true;
}

const char *locked_sim_tries(struct arena *arena, unsigned tries)
{
	if (tries == 1)
		return "1 try is left";
	return or_nothing(arena_printf(arena, "%u tries are left", tries));
}

bool locked_sim_may_be_tried(struct control_call *call, const struct locked_sim *sim)
{
	if (sim->tries > 1 || flag(call, "force"))
		return true;
	if (!sim->tries)
		control_fail(call, "tries_unknown", "If you are sure of it, add --force",
			     "how many tries %s has left its modem does not tell: this "
			     "might be the last",
			     sim->name);
	else if (sim->lock == SIM_LOCK_PIN)
		control_fail(call, "last_try", "If you are sure of it, add --force",
			     "%s has one try left; if that is wrong it asks for its PUK",
			     sim->name);
	else
		control_fail(call, "last_try", "If you are sure of it, add --force",
			     "%s has one try left; if that is wrong the card is lost for "
			     "ever",
			     sim->name);
	return false;
}
