/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switching: one modem on its way on or off.
 *
 *   on:  Powered ---> Online ---> card known ---> registered, when that is wanted
 *   off: not Powered
 *
 * What oFono's properties tell counts, not its answers: a modem that another program switches
 * at the same time, or that was there already, is as good. What fails, perhaps only for now,
 * is asked for again after a second, SWITCHING_ATTEMPTS times in all
 * (tests/integration/test_modem.py).
 */
#ifndef CLI_SWITCHING_H
#define CLI_SWITCHING_H

#include "base/json.h"
#include "ofono/modem.h"
#include "ofono/ofono.h"

enum {
	SWITCHING_ATTEMPTS = 3,
	SWITCHING_CARD_MS =
		5000, /* so long its card is waited for, when nothing hangs on it */
};

enum switching_outcome {
	SWITCHING_UNDER_WAY,
	SWITCHING_ON,
	SWITCHING_OFF,
	SWITCHING_LOCKED,  /* on, and its card wants a PIN */
	SWITCHING_NO_CARD, /* on, without one */
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
	bool registered; /* it is no success without */
};

struct switching {
	char path[sizeof(((struct modem *)0)->path)];
	struct ofono *ofono;
	struct switching_wish wish;
	struct modem_switch *call; /* NULL: none is under way */
	unsigned asked;	   /* the step that was asked for; the first is 1, 0 none */
	unsigned attempts; /* of that step */
	int64_t again_ms;  /* when it failed: from when it is asked for again */
	bool changed;	   /* not as it was found */
	int64_t on_ms;	   /* since when it is on, 0 it is not */
	enum switching_outcome outcome;
};

/* Embedded; switching_end() is due before ofono_free(). */
void switching_begin(struct switching *switching, struct ofono *ofono, const char *path,
		     const struct switching_wish *wish);
void switching_end(struct switching *switching);

/* To be called again and again. True: it is over, and `outcome` tells. */
bool switching_is_over(struct switching *switching);
/* Time is over. */
void switching_give_up(struct switching *switching);

bool switching_is_success(const struct switching *switching);
/* "/sim0: on, ..." with what to do next; what is no success goes to standard error. */
void switching_print(const struct switching *switching);
/* An object: cli/modem_view.h's members, "outcome", "changed", "fix" where there is one. */
void switching_write(const struct switching *switching, struct json_writer *writer);

#endif
