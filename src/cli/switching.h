/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switching: switches one modem on or off.
 *
 *   on:  Powered ---> Online ---> card known ---> registered, if wanted
 *   off: not Powered
 *
 * oFono's properties decide, not its answers: it is just as good if another program switches the
 * modem at the same time, or if it was on or off already. A step that fails is repeated after a
 * second, SWITCHING_ATTEMPTS times in all (tests/integration/test_modem.py).
 */
#pragma once

#include "base/json.h"
#include "ofono/modem.h"
#include "ofono/ofono.h"

/*
 * Modem lines: the state of a modem, as `ofono-mcp modem` shows it, in a line or as JSON.
 *
 *   "modem" "/sim0", "state" "on" | "flight_mode" | "off", "sim" "ready" | "locked" |
 *   "absent" | "unknown", "lock" "pin" (if locked), "registration" "registered" ("" unknown),
 *   "operator", "signal_percent"
 */

enum switching_card {
	MODEM_CARD_UNKNOWN,
	MODEM_CARD_ABSENT,
	MODEM_CARD_LOCKED,
	MODEM_CARD_READY
};

enum switching_card switching_card(const struct modem *modem);

/* Writes the members into the open object. */
void switching_put_modem(struct json_writer *writer, const struct modem *modem);

/* Prints a table, with what to do about a modem that is off. */
void switching_print_table(const struct modem_list *modems);

enum {
	SWITCHING_ATTEMPTS = 3,
	SWITCHING_CARD_MS = 5000, /* to read the card, when registration is not wanted */
};

enum switching_outcome {
	SWITCHING_UNDER_WAY,
	SWITCHING_ON,
	SWITCHING_OFF,
	SWITCHING_LOCKED,  /* on, and its card needs a PIN */
	SWITCHING_NO_CARD, /* on, without a card */
	SWITCHING_UNREGISTERED,
	SWITCHING_REFUSED,
	SWITCHING_IMPOSSIBLE,
	SWITCHING_FAILED,
	SWITCHING_STUCK,
	SWITCHING_GONE,
	SWITCHING_UNREACHABLE,
};

struct switching_wish {
	bool on;
	bool registered; /* required for success */
};

struct switching {
	char path[sizeof(((struct modem *)0)->path)];
	struct ofono *ofono;
	struct switching_wish wish;
	struct modem_switch *call; /* NULL if no call to oFono is pending */
	unsigned requested;	   /* the step, from 1; 0 if there is none */
	unsigned attempts;	   /* of that step */
	int64_t again_ms;	   /* after a failure: when to repeat it */
	bool changed;		   /* this program changed something */
	int64_t on_ms;		   /* since when it is on; 0 if it is not */
	enum switching_outcome outcome;
};

/* Call switching_end() before ofono_free(). */
void switching_begin(struct switching *switching, struct ofono *ofono, const char *path,
		     const struct switching_wish *wish);
void switching_end(struct switching *switching);

/* Takes the next step; call it until it returns true and `outcome` is known. */
bool switching_is_over(struct switching *switching);
/* Call when the time is over. */
void switching_give_up(struct switching *switching);

bool switching_is_success(const struct switching *switching);
/* Prints "/sim0: on, ..." and what to do next; a failure goes to standard error. */
void switching_print(const struct switching *switching);
/* Writes an object: cli/switching.h's members, "outcome", "changed", and "fix" if there is one. */
void switching_write(const struct switching *switching, struct json_writer *writer);
