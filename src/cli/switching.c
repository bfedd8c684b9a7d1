/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/switching.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/failing.h"
#include "cli/modem_view.h"

enum { AGAIN_MS = 1000, FIX_BYTES = 320 };

/* In the order of enum switching_outcome */
static const struct {
	const char *word;
	const char *message; /* NULL: how the modem is tells it */
	const char *fix;
	bool names_modem; /* the fix is a command, behind which its path stands */
} outcomes[] = {
	[SWITCHING_UNDER_WAY] = { "under_way" },
	[SWITCHING_ON] = { "on" },
	[SWITCHING_OFF] = { "off" },
	[SWITCHING_LOCKED] = { "locked", NULL, "Unlock its SIM card: ofono-mcp unlock",
			       true },
	[SWITCHING_NO_CARD] = { "no_card", NULL,
				"Insert a SIM card: without one nothing is sent" },
	[SWITCHING_UNREGISTERED] = { "not_registered", NULL,
				     "Go where there is reception, or wait longer with "
				     "--timeout" },
	[SWITCHING_REFUSED] = { "refused", "this user may not switch it",
				NULL }, /* say_fix() knows which command */
	[SWITCHING_IMPOSSIBLE] = { "not_possible", "oFono cannot do that with this modem",
				   "Switch it in the settings of the phone" },
	[SWITCHING_FAILED] = { "failed", "oFono tried, and failed",
			       "Try again; if it stays so, look into the log of ofonod" },
	[SWITCHING_STUCK] = { "stuck", "nothing came of it in time",
			      "Wait longer with --timeout; if it stays so, restart oFono "
			      "(systemctl restart ofono), then the phone" },
	[SWITCHING_GONE] = { "gone", "it went away meanwhile",
			     "Look which there are: ofono-mcp modem" },
	[SWITCHING_UNREACHABLE] = { "ofono_unavailable", "oFono went away meanwhile",
				    "Start it: systemctl start ofono; then try again" },
};

static struct modem *find(const struct switching *switching)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(switching->ofono), link) {
		if (strcmp(modem->path, switching->path) == 0)
			return modem;
	}
	return NULL;
}

static void finish(struct switching *switching, enum switching_outcome outcome)
{
	if (switching->outcome == SWITCHING_UNDER_WAY)
		switching->outcome = outcome;
}

/* Asking */

static const struct {
	bool on; /* of which way it is a step */
	enum modem_switch_target property;
} steps[] = {
	{ true, MODEM_SWITCH_POWERED },
	{ true, MODEM_SWITCH_ONLINE },
	{ false, MODEM_SWITCH_POWERED },
};

static bool has_taken(const struct modem *modem, unsigned step)
{
	bool is = steps[step].property == MODEM_SWITCH_POWERED ? modem->powered
							       : modem->online;

	return is == steps[step].on;
}

static void on_answer(void *data, enum modem_switch_outcome answer)
{
	struct switching *switching = data;

	switching->call = NULL;
	if (answer == MODEM_SWITCH_REFUSED)
		finish(switching, SWITCHING_REFUSED);
	else if (answer == MODEM_SWITCH_IMPOSSIBLE)
		finish(switching, SWITCHING_IMPOSSIBLE);
	else if (answer == MODEM_SWITCH_UNREACHABLE)
		finish(switching, SWITCHING_UNREACHABLE);
	else if (answer == MODEM_SWITCH_NOT_NOW &&
		 switching->attempts == SWITCHING_ATTEMPTS)
		finish(switching, SWITCHING_FAILED);
	else if (answer == MODEM_SWITCH_NOT_NOW)
		switching->again_ms = clock_monotonic_ms() + AGAIN_MS;
}

/* Done, busy and silent: its properties will tell, or the time is over. */
static void ask(struct switching *switching, struct modem *modem, unsigned step)
{
	bool is_again = switching->asked == step + 1;

	if (switching->call || (is_again && (!switching->again_ms ||
					     clock_monotonic_ms() < switching->again_ms)))
		return;
	switching->attempts = is_again ? switching->attempts + 1 : 1;
	switching->asked = step + 1;
	switching->again_ms = 0;
	switching->changed = true;
	switching->call = modem_switch(modem, steps[step].property, steps[step].on,
				       on_answer, switching);
	if (!switching->call)
		finish(switching, SWITCHING_FAILED);
}

/* False: a step is still to be taken. */
static bool has_taken_all(struct switching *switching, struct modem *modem)
{
	for (unsigned step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
		if (steps[step].on != switching->wish.on || has_taken(modem, step))
			continue;
		ask(switching, modem, step);
		return false;
	}
	return true;
}

/* It is on: what of its card? */
static void judge_card(struct switching *switching, const struct modem *modem)
{
	bool must = switching->wish.registered;
	int64_t now_ms = clock_monotonic_ms();

	if (!switching->on_ms)
		switching->on_ms = now_ms;
	switch (modem_view_card(modem)) {
	case MODEM_CARD_ABSENT:
		finish(switching, SWITCHING_NO_CARD);
		break;
	case MODEM_CARD_LOCKED:
		finish(switching, SWITCHING_LOCKED);
		break;
	case MODEM_CARD_READY:
		if (!must || modem_is_registered(modem))
			finish(switching, SWITCHING_ON);
		break;
	case MODEM_CARD_UNKNOWN:
		if (!must && now_ms - switching->on_ms >= SWITCHING_CARD_MS)
			finish(switching, SWITCHING_ON);
		break;
	}
}

/* Life */

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
	struct modem *modem = find(switching);

	if (switching->outcome != SWITCHING_UNDER_WAY)
		return true;
	if (!modem)
		finish(switching, ofono_is_available(switching->ofono)
					  ? SWITCHING_GONE
					  : SWITCHING_UNREACHABLE);
	else if (!has_taken_all(switching, modem))
		return switching->outcome != SWITCHING_UNDER_WAY;
	else if (switching->wish.on)
		judge_card(switching, modem);
	else
		finish(switching, SWITCHING_OFF);
	return switching->outcome != SWITCHING_UNDER_WAY;
}

void switching_give_up(struct switching *switching)
{
	finish(switching, switching->on_ms ? SWITCHING_UNREGISTERED : SWITCHING_STUCK);
}

/* Telling */

/* "": there is none. */
static void say_fix(const struct switching *switching, char fix[FIX_BYTES])
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
	const struct modem *modem = find(switching);
	char fix[FIX_BYTES];
	FILE *out = switching_is_success(switching) ? stdout : stderr;

	if (out == stderr)
		fputs("ofono-mcp modem: ", out);
	fprintf(out, "%s: ", switching->path);
	if (message || !modem) {
		fputs(message ? message : "it went away meanwhile", out);
	} else {
		fputs(switching->changed ? "" : "already ", out);
		modem_view_print(out, modem);
	}
	fputs(".\n", out);
	say_fix(switching, fix);
	if (*fix)
		fprintf(out, "%s%s\n", fix, failing_stop(fix));
	fflush(out);
}

void switching_write(const struct switching *switching, struct json_writer *writer)
{
	const struct modem *modem = find(switching);
	char fix[FIX_BYTES];

	json_open_object(writer);
	if (modem)
		modem_view_put(writer, modem);
	else
		json_put_string(writer, "modem", switching->path);
	json_put_string(writer, "outcome", outcomes[switching->outcome].word);
	json_put_boolean(writer, "changed", switching->changed);
	say_fix(switching, fix);
	if (*fix)
		json_put_string(writer, "fix", fix);
	json_close_object(writer);
}
