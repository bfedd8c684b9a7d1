/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How it works: switching_is_over() compares the modem's properties with the steps of
 * the wish. The first step that is not taken yet is requested from oFono, once; then
 * the properties show when it is done. After a failure it is requested again. When all
 * steps are taken and the modem is on, the card decides whether that is all.
 */
#include "cli/switching.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "ofono/modem.h"

/* State of a modem */

enum { CELL_BYTES = 48 };

static const struct {
	const char *word;
	const char *text;
	enum terminal_colour colour;
} states[] = {
	{ "off", "off", COLOUR_BAD },
	{ "flight_mode", "flight mode", COLOUR_WARNING },
	{ "on", "on", COLOUR_GOOD },
};

static unsigned switching_state(const struct modem *modem)
{
	return !modem->powered ? 0 : !modem->online ? 1 : 2;
}

static const char *const switching_card_words[] = {
	[MODEM_CARD_UNKNOWN] = "unknown",
	[MODEM_CARD_ABSENT] = "absent",
	[MODEM_CARD_LOCKED] = "locked",
	[MODEM_CARD_READY] = "ready",
};

enum switching_card switching_card(const struct modem *modem)
{
	const struct modem_sim *sim = &modem->sim;

	if (!sim->known)
		return MODEM_CARD_UNKNOWN;
	if (!sim->present)
		return MODEM_CARD_ABSENT;
	if (modem_sim_lock_of(sim) != SIM_LOCK_NONE)
		return MODEM_CARD_LOCKED;
	/*
	 * oFono reports the lock "none" even before it has read the card, but the
	 * identity only after.
	 */
	return *sim->subscriber_identity ? MODEM_CARD_READY : MODEM_CARD_UNKNOWN;
}

void switching_put_modem(struct json_writer *writer, const struct modem *modem)
{
	const struct modem_network *network = &modem->network;
	enum switching_card card = switching_card(modem);

	json_put_string(writer, "modem", modem->path);
	json_put_string(writer, "state", states[switching_state(modem)].word);
	json_put_string(writer, "sim", switching_card_words[card]);
	if (card == MODEM_CARD_LOCKED)
		json_put_string(writer, "lock", modem->sim.pin_required);
	json_put_string(writer, "registration", network->status);
	json_put_string(writer, "operator", network->name);
	json_put_integer(writer, "signal_percent", network->strength);
}

/* Writes "needs its PIN", "locked (network)". */
static void switching_describe_card(const struct modem *modem, char text[CELL_BYTES])
{
	static const char *const texts[] = {
		[MODEM_CARD_UNKNOWN] = "being read",
		[MODEM_CARD_ABSENT] = "none",
		[MODEM_CARD_LOCKED] = "needs its ",
		[MODEM_CARD_READY] = "ready",
	};
	enum switching_card card = switching_card(modem);

	if (!modem->powered)
		snprintf(text, CELL_BYTES, "unknown");
	else if (modem_sim_lock_of(&modem->sim) == SIM_LOCK_OTHER)
		snprintf(text, CELL_BYTES, "locked (%s)", modem->sim.pin_required);
	else if (card == MODEM_CARD_UNKNOWN && modem_sim_is_restricted(&modem->sim))
		snprintf(text, CELL_BYTES, "limited to a list (FDN)");
	else
		snprintf(text, CELL_BYTES, "%s%s", texts[card],
			 card != MODEM_CARD_LOCKED			  ? ""
			 : modem_sim_lock_of(&modem->sim) == SIM_LOCK_PUK ? "PUK"
									  : "PIN");
}

static void switching_print_network(FILE *out, const struct modem *modem)
{
	const struct modem_network *network = &modem->network;

	if (!*network->status) {
		fputs("none", out);
		return;
	}
	fputs(network->status, out);
	if (*network->name) {
		fputs(", ", out);
		terminal_print_escaped(out, network->name);
	}
	if (network->strength)
		fprintf(out, ", signal %u %%", network->strength);
}

/* Prints "on, SIM card: ready, network: registered, Telekom HU, signal 60 %" */
static void switching_print_modem(FILE *out, const struct modem *modem)
{
	unsigned state = switching_state(modem);
	bool has_colour = out == stdout;
	char card[CELL_BYTES];

	fprintf(out, "%s%s%s", has_colour ? terminal_colour_on(states[state].colour) : "",
		states[state].text, has_colour ? terminal_colour_off() : "");
	if (modem->powered) {
		switching_describe_card(modem, card);
		fprintf(out, ", SIM card: %s, network: ", card);
		switching_print_network(out, modem);
	}
}

enum { STATE_COLUMNS = 13, CARD_COLUMNS = 24 };

static void switching_print_row(const struct modem *modem, int path_columns)
{
	unsigned state = switching_state(modem);
	char card[CELL_BYTES];

	switching_describe_card(modem, card);
	printf("%-*s%s%-*s%s%-*s", path_columns, modem->path,
	       terminal_colour_on(states[state].colour), STATE_COLUMNS,
	       states[state].text, terminal_colour_off(), CARD_COLUMNS, card);
	switching_print_network(stdout, modem);
	putchar('\n');
}

void switching_print_table(const struct modem_list *modems)
{
	const struct modem *modem, *off = NULL;
	int path_columns = (int)strlen("MODEM") + 2;

	TAILQ_FOREACH (modem, modems, link) {
		int length = (int)strlen(modem->path) + 2;

		if (!modem_is_foreign(modem) && length > path_columns)
			path_columns = length;
	}
	printf("%-*s%-*s%-*s%s\n", path_columns, "MODEM", STATE_COLUMNS, "STATE",
	       CARD_COLUMNS, "SIM CARD", "NETWORK");
	TAILQ_FOREACH (modem, modems, link) {
		if (modem_is_foreign(modem))
			continue;
		switching_print_row(modem, path_columns);
		if (!off && !(modem->powered && modem->online))
			off = modem;
	}
	if (off)
		printf("\n"
		       "To switch it on, as root: " PROGRAM_NAME " modem on %s\n",
		       off->path);
}

enum { AGAIN_MS = 1000, FIX_BYTES = 320 };

/* In the order of enum switching_outcome. */
static const struct {
	const char *word;
	const char *message; /* NULL if the state of the modem says it */
	const char *fix;
	bool names_modem; /* the fix is a command that ends with the path */
} outcomes[] = {
	[SWITCHING_UNDER_WAY] = { "under_way" },
	[SWITCHING_ON] = { "on" },
	[SWITCHING_OFF] = { "off" },
	[SWITCHING_LOCKED] = { "locked", NULL,
			       "Unlock its SIM card: ofono-mcp sim unlock", true },
	[SWITCHING_NO_CARD] = { "no_card", NULL,
				"Insert a SIM card: without one nothing is sent" },
	[SWITCHING_UNREGISTERED] = { "not_registered", NULL,
				     "Go where there is reception, or wait longer with --timeout" },
	[SWITCHING_REFUSED] = { "refused", "this user may not switch it",
				NULL }, /* switching_write_fix() has the command */
	[SWITCHING_IMPOSSIBLE] = { "not_possible", "oFono cannot do that with this modem",
				   "Switch it in the settings of the phone" },
	[SWITCHING_FAILED] = { "failed", "oFono tried and failed",
			       "Try again; if it keeps failing, check the log of ofonod" },
	[SWITCHING_STUCK] = { "stuck", "it did not happen in time",
			      "Wait longer with --timeout; if that does not help, "
			      "restart oFono (systemctl restart ofono), then the phone" },
	[SWITCHING_GONE] = { "gone", "the modem disappeared meanwhile",
			     "To list the modems: ofono-mcp modem" },
	[SWITCHING_UNREACHABLE] = { "ofono_unavailable", "oFono stopped meanwhile",
				    "Start it: systemctl start ofono; then try again" },
};

static struct modem *switching_find_modem(const struct switching *switching)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(switching->ofono), link) {
		if (strcmp(modem->path, switching->path) == 0)
			return modem;
	}
	return NULL;
}

static void switching_finish(struct switching *switching, enum switching_outcome outcome)
{
	if (switching->outcome == SWITCHING_UNDER_WAY)
		switching->outcome = outcome;
}

/* Requests */

static const struct {
	bool on; /* the direction to which the step belongs */
	enum modem_switch_target property;
} steps[] = {
	{ true, MODEM_SWITCH_POWERED },
	{ true, MODEM_SWITCH_ONLINE },
	{ false, MODEM_SWITCH_POWERED },
};

static bool switching_step_is_done(const struct modem *modem, unsigned step)
{
	bool is = steps[step].property == MODEM_SWITCH_POWERED ? modem->powered
							       : modem->online;

	return is == steps[step].on;
}

static void switching_on_answer(void *data, enum modem_switch_outcome answer)
{
	struct switching *switching = data;

	switching->call = NULL;
	if (answer == MODEM_SWITCH_REFUSED)
		switching_finish(switching, SWITCHING_REFUSED);
	else if (answer == MODEM_SWITCH_IMPOSSIBLE)
		switching_finish(switching, SWITCHING_IMPOSSIBLE);
	else if (answer == MODEM_SWITCH_UNREACHABLE)
		switching_finish(switching, SWITCHING_UNREACHABLE);
	else if (answer == MODEM_SWITCH_NOT_NOW &&
		 switching->attempts == SWITCHING_ATTEMPTS)
		switching_finish(switching, SWITCHING_FAILED);
	else if (answer == MODEM_SWITCH_NOT_NOW)
		switching->again_ms = clock_monotonic_ms() + AGAIN_MS;
}

/* With any other answer, the properties decide, or the timeout. */
static void switching_request(struct switching *switching, struct modem *modem,
			      unsigned step)
{
	bool is_again = switching->requested == step + 1;

	if (switching->call || (is_again && (!switching->again_ms ||
					     clock_monotonic_ms() < switching->again_ms)))
		return;
	switching->attempts = is_again ? switching->attempts + 1 : 1;
	switching->requested = step + 1;
	switching->again_ms = 0;
	switching->changed = true;
	switching->call = modem_switch(modem, steps[step].property, steps[step].on,
				       switching_on_answer, switching);
	if (!switching->call)
		switching_finish(switching, SWITCHING_FAILED);
}

/* Returns false if a step is still to be taken. */
static bool switching_run_steps(struct switching *switching, struct modem *modem)
{
	for (unsigned step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
		if (steps[step].on != switching->wish.on ||
		    switching_step_is_done(modem, step))
			continue;
		switching_request(switching, modem, step);
		return false;
	}
	return true;
}

/* The modem is on. Decides whether the state of its card is the end. */
static void switching_check_card(struct switching *switching, const struct modem *modem)
{
	bool must = switching->wish.registered;
	int64_t now_ms = clock_monotonic_ms();

	if (!switching->on_ms)
		switching->on_ms = now_ms;
	switch (switching_card(modem)) {
	case MODEM_CARD_ABSENT:
		switching_finish(switching, SWITCHING_NO_CARD);
		break;
	case MODEM_CARD_LOCKED:
		switching_finish(switching, SWITCHING_LOCKED);
		break;
	case MODEM_CARD_READY:
		if (!must || modem_is_registered(modem))
			switching_finish(switching, SWITCHING_ON);
		break;
	case MODEM_CARD_UNKNOWN:
		if (!must && now_ms - switching->on_ms >= SWITCHING_CARD_MS)
			switching_finish(switching, SWITCHING_ON);
		break;
	}
}

/* Life cycle */

void switching_begin(struct switching *switching, struct ofono *ofono, const char *path,
		     const struct switching_wish *wish)
{
	*switching = (struct switching){ .ofono = ofono, .wish = *wish };
	snprintf(switching->path, sizeof(switching->path), "%s", path);
}

void switching_end(struct switching *switching)
{
	modem_switch_stop(switching->call);
	switching->call = NULL;
}

bool switching_is_over(struct switching *switching)
{
	struct modem *modem = switching_find_modem(switching);

	if (switching->outcome != SWITCHING_UNDER_WAY)
		return true;
	if (!modem)
		switching_finish(switching, ofono_is_available(switching->ofono)
						    ? SWITCHING_GONE
						    : SWITCHING_UNREACHABLE);
	else if (!switching_run_steps(switching, modem))
		return switching->outcome != SWITCHING_UNDER_WAY;
	else if (switching->wish.on)
		switching_check_card(switching, modem);
	else
		switching_finish(switching, SWITCHING_OFF);
	return switching->outcome != SWITCHING_UNDER_WAY;
}

void switching_give_up(struct switching *switching)
{
	switching_finish(switching,
			 switching->on_ms ? SWITCHING_UNREGISTERED : SWITCHING_STUCK);
}

/* Results */

/* Returns "" if there is no fix. */
static void switching_write_fix(const struct switching *switching, char fix[FIX_BYTES])
{
	const char *words = outcomes[switching->outcome].fix;

	if (switching->outcome == SWITCHING_REFUSED)
		snprintf(fix, FIX_BYTES, "Run it as root: sudo ofono-mcp modem %s %s",
			 switching->wish.on ? "on" : "off", switching->path);
	else
		snprintf(fix, FIX_BYTES, "%s%s%s", words ? words : "",
			 outcomes[switching->outcome].names_modem ? " " : "",
			 outcomes[switching->outcome].names_modem ? switching->path : "");
}

bool switching_is_success(const struct switching *switching)
{
	enum switching_outcome outcome = switching->outcome;

	if (outcome == SWITCHING_LOCKED || outcome == SWITCHING_NO_CARD)
		return !switching->wish.registered;
	return outcome == SWITCHING_ON || outcome == SWITCHING_OFF;
}

void switching_print(const struct switching *switching)
{
	const char *message = outcomes[switching->outcome].message;
	const struct modem *modem = switching_find_modem(switching);
	char fix[FIX_BYTES];
	FILE *out = switching_is_success(switching) ? stdout : stderr;

	if (out == stderr)
		options_print_name();
	fprintf(out, "%s: ", switching->path);
	if (message || !modem) {
		fputs(message ? message : "the modem disappeared meanwhile", out);
	} else {
		fputs(switching->changed ? "" : "already ", out);
		switching_print_modem(out, modem);
	}
	fputs(".\n", out);
	switching_write_fix(switching, fix);
	if (*fix)
		fprintf(out, "%s%s\n", fix, options_full_stop(fix));
	fflush(out);
}

void switching_write(const struct switching *switching, struct json_writer *writer)
{
	const struct modem *modem = switching_find_modem(switching);
	char fix[FIX_BYTES];

	json_open_object(writer);
	if (modem)
		switching_put_modem(writer, modem);
	else
		json_put_string(writer, "modem", switching->path);
	json_put_string(writer, "outcome", outcomes[switching->outcome].word);
	json_put_boolean(writer, "changed", switching->changed);
	switching_write_fix(switching, fix);
	if (*fix)
		json_put_string(writer, "fix", fix);
	json_close_object(writer);
}
