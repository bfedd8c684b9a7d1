/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM unlock: giving a card its PIN, or its PUK and a new PIN, once.
 *
 * A wrong one costs one of few tries, and after the last PUK the card is lost: nothing here
 * is ever tried again, whatever the answer (tests/unit/test_sim_unlock.c,
 * tests/integration/test_unlock.py). Codes are neither kept nor logged; libdbus has its copy
 * until the call has left, in memory that it does not clear.
 *
 * Source: oFono doc/sim-api.txt, EnterPin and ResetPin.
 */
#ifndef OFONO_SIM_UNLOCK_H
#define OFONO_SIM_UNLOCK_H

#include "ofono/sim_lock.h"

enum unlock_outcome {
	UNLOCK_DONE,
	UNLOCK_WRONG,	  /* Failed: it has cost a try; Retries follows as a change */
	UNLOCK_BUSY,	  /* not tried: oFono does something else with the card */
	UNLOCK_NOT_TAKEN, /* not tried: the card does not ask for this, or not any more */
	UNLOCK_IMPOSSIBLE,  /* not tried: oFono cannot do it with this modem */
	UNLOCK_NOT_ALLOWED, /* not tried: a policy of D-Bus or of oFono forbids it */
	UNLOCK_NOT_ASKED,   /* not tried: oFono was not reached */
	UNLOCK_UNKNOWN,	    /* no answer; it may have been tried or not */
};

const char *unlock_outcome_name(enum unlock_outcome outcome); /* "unlocked", ... */

struct sim_codes {
	const char *code;    /* the PIN, or the PUK */
	const char *new_pin; /* with the PUK; else NULL */
};

struct sim_unlock; /* under way */

/* As oFono checks it: a PIN has 4 to 8 digits, a PUK 8. */
bool sim_pin_is_valid(const char *pin);
bool sim_puk_is_valid(const char *puk);

/*
 * For the lock in force, which is one of the PIN or the PUK; the codes are valid. The
 * callback follows the rules of bus_call(): exactly once, later, not after
 * sim_unlock_stop(). The modem may go meanwhile. NULL: no memory, nothing was tried.
 * Every sim_unlock has ended or is stopped before ofono_free().
 */
struct sim_unlock *sim_unlock(struct modem *modem, const struct sim_codes *codes,
			      void (*done)(void *data, enum unlock_outcome outcome),
			      void *data);
/* Stop listening; it may be done all the same. NULL is fine. */
void sim_unlock_stop(struct sim_unlock *unlock);

#endif
