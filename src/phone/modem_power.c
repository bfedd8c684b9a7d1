/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * appears ---> Powered ---> Online ---> left alone
 *
 * What oFono cannot do now is asked again, 2 s later, 4 s, 8 s, ..., ATTEMPTS times in all.
 * What it never will, and what the bus forbids, is told and left alone.
 *
 * A modem that was on once is noted in the ledger until it goes, with the ofonod that it was
 * on at: another run of the gateway leaves it alone, too. After a start of ofonod, which
 * leaves all off, the note says nothing any more.
 */
#include "phone/modem_power.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "ofono/modem.h"
#include "store/store_setting.h"

enum { ATTEMPTS = 6, PAUSE_USEC = 2 * 1000 * 1000 };

/* one modem that is being switched on */
struct power_turn {
	struct modem_power *power;
	struct modem *modem;
	struct modem_switch *call;
	sd_event_source *pause; /* enabled: the step is due when it is over */
	enum modem_switch_target step;
	unsigned attempts;
	TAILQ_ENTRY(power_turn) link;
};

struct modem_power {
	sd_event *loop;
	struct ofono *ofono;
	struct store *store;
	struct observer observer;
	TAILQ_HEAD(power_turn_list, power_turn) turns;
	bool was_refused; /* told once */
};

/* The setting that is its note. */
struct note_name {
	char text[sizeof("power ") + sizeof(((struct modem *)0)->path)];
};

static struct note_name name_of(const struct modem *modem)
{
	struct note_name name;

	snprintf(name.text, sizeof(name.text), "power %s", modem->path);
	return name;
}

/* This run of ofonod; false: it has no name. */
static bool name_run(const struct modem_power *power, char run[STORE_SETTING_BYTES])
{
	const char *boot = clock_boot_id(), *owner = ofono_owner(power->ofono);
	int length = snprintf(run, STORE_SETTING_BYTES, "%s %s", boot, owner);

	return *boot && *owner && length < STORE_SETTING_BYTES;
}

static void put_note(struct modem_power *power, const struct modem *modem,
		     const char *run)
{
	struct note_name name = name_of(modem);

	if (store_setting_set(power->store, name.text, run))
		log_warning("power: modem %s: the disk does not take whether it was on",
			    modem->path);
}

static void note(struct modem_power *power, const struct modem *modem)
{
	char run[STORE_SETTING_BYTES];

	if (name_run(power, run))
		put_note(power, modem, run);
}

static bool is_noted(const struct modem_power *power, const struct modem *modem)
{
	char run[STORE_SETTING_BYTES], noted[STORE_SETTING_BYTES];
	struct note_name name = name_of(modem);

	return name_run(power, run) &&
	       store_setting_get(power->store, name.text, noted) == 0 &&
	       strcmp(run, noted) == 0;
}

static void turn_free(struct power_turn *turn)
{
	TAILQ_REMOVE(&turn->power->turns, turn, link);
	modem_switch_stop(turn->call);
	sd_event_source_disable_unref(turn->pause);
	free(turn);
}

static void tell_refused(struct modem_power *power)
{
	if (!power->was_refused)
		log_warning("power: the bus does not let the gateway switch modems on; "
			    "copy its example power.conf to "
			    "/etc/dbus-1/system.d/ofono-mcp-power.conf, or run as root: "
			    "ofono-mcp modem on all");
	power->was_refused = true;
}

static void give_up(struct power_turn *turn)
{
	log_warning("power: modem %s: oFono could not switch it on; run as root: "
		    "ofono-mcp modem on %s",
		    turn->modem->path, turn->modem->path);
	turn_free(turn);
}

static void due_in(struct power_turn *turn, uint64_t usec)
{
	sd_event_source_set_time_relative(turn->pause, usec);
	sd_event_source_set_enabled(turn->pause, SD_EVENT_ONESHOT);
}

static void try_later(struct power_turn *turn)
{
	if (turn->attempts == ATTEMPTS)
		give_up(turn);
	else
		due_in(turn, (uint64_t)PAUSE_USEC << (turn->attempts - 1));
}

static void go_on(struct power_turn *turn)
{
	if (turn->step == MODEM_SWITCH_ONLINE) {
		log_info("power: modem %s: switched on", turn->modem->path);
		note(turn->power, turn->modem);
		turn_free(turn);
		return;
	}
	turn->step = MODEM_SWITCH_ONLINE;
	turn->attempts = 0;
	due_in(turn, 0);
}

static void on_answer(void *data, enum modem_switch_outcome answer)
{
	struct power_turn *turn = data;

	turn->call = NULL;
	switch (answer) {
	case MODEM_SWITCH_DONE:
		go_on(turn);
		break;
	case MODEM_SWITCH_BUSY:
	case MODEM_SWITCH_NOT_NOW:
	case MODEM_SWITCH_SILENT:
		try_later(turn);
		break;
	case MODEM_SWITCH_REFUSED:
		tell_refused(turn->power);
		turn_free(turn);
		break;
	case MODEM_SWITCH_IMPOSSIBLE:
		give_up(turn);
		break;
	case MODEM_SWITCH_UNREACHABLE: /* the modem goes, too */
		turn_free(turn);
		break;
	}
}

static int on_due(sd_event_source *source, uint64_t usec, void *data)
{
	struct power_turn *turn = data;

	(void)source;
	(void)usec;
	turn->attempts++;
	turn->call = modem_switch(turn->modem, turn->step, true, on_answer, turn);
	if (!turn->call)
		try_later(turn);
	return 0;
}

/* Its card is in another phone, which would lose its network. */
static bool is_borrowed(const struct modem *modem)
{
	return strcmp(modem->type, "sap") == 0;
}

static bool is_due(struct modem_power *power, const struct modem *modem)
{
	bool is_on = modem->powered && modem->online;

	if (modem_is_foreign(modem) || is_borrowed(modem))
		return false;
	if (is_noted(power, modem)) {
		if (!is_on)
			log_info("power: modem %s: it was on before, and stays as it is",
				 modem->path);
		return false;
	}
	if (is_on)
		note(power, modem);
	return !is_on;
}

static void begin(struct modem_power *power, struct modem *modem)
{
	struct power_turn *turn;

	if (!is_due(power, modem))
		return;
	turn = calloc(1, sizeof(*turn));
	if (!turn ||
	    sd_event_add_time_relative(power->loop, &turn->pause, CLOCK_MONOTONIC, 0, 0,
				       on_due, turn) < 0) {
		log_error("power: modem %s: out of memory", modem->path);
		free(turn);
		return;
	}
	turn->power = power;
	turn->modem = modem;
	turn->step = modem->powered ? MODEM_SWITCH_ONLINE : MODEM_SWITCH_POWERED;
	TAILQ_INSERT_TAIL(&power->turns, turn, link);
}

static void end(struct modem_power *power, const struct modem *modem)
{
	struct power_turn *turn;

	TAILQ_FOREACH (turn, &power->turns, link) {
		if (turn->modem == modem)
			break;
	}
	if (turn)
		turn_free(turn);
	if (is_noted(power, modem))
		put_note(power, modem, NULL);
}

static void on_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == MODEM_ADDED)
		begin(data, event->modem);
	else if (event->type == MODEM_REMOVED)
		end(data, event->modem);
}

int modem_power_new(sd_event *loop, struct ofono *ofono, struct store *store,
		    struct modem_power **power_out)
{
	struct modem_power *power = calloc(1, sizeof(*power));
	struct modem *modem;

	if (!power)
		return -ENOMEM;
	power->loop = loop;
	power->ofono = ofono;
	power->store = store;
	TAILQ_INIT(&power->turns);
	observer_add(ofono_observers(ofono), &power->observer, on_event, power);
	TAILQ_FOREACH (modem, ofono_modems(ofono), link)
		begin(power, modem);
	*power_out = power;
	return 0;
}

void modem_power_free(struct modem_power *power)
{
	struct power_turn *turn;

	if (!power)
		return;
	observer_remove(&power->observer);
	while ((turn = TAILQ_FIRST(&power->turns)))
		turn_free(turn);
	free(power);
}
