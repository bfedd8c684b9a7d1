/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM unlock: gives a card its PIN, or its PUK and a new PIN, once.
 *
 * A wrong code costs one of a few attempts, and after the last PUK attempt the card is lost:
 * nothing here ever tries again, whatever the answer (tests/unit/test_sim_unlock.c,
 * tests/integration/test_unlock.py). Codes are neither kept nor logged. libdbus has a copy
 * until the call has left, in memory that it does not clear.
 *
 * Source: oFono doc/sim-api.txt, EnterPin and ResetPin.
 */
#ifndef OFONO_SIM_UNLOCK_H
#define OFONO_SIM_UNLOCK_H

#include "ofono/modem.h"

enum sim_unlock_outcome {
	UNLOCK_DONE,
	UNLOCK_WRONG,	    /* cost an attempt; Retries follows as MODEM_CHANGED */
	UNLOCK_BUSY,	    /* not tried: oFono is doing something else with the card */
	UNLOCK_NOT_TAKEN,   /* not tried: the card does not ask for this code */
	UNLOCK_IMPOSSIBLE,  /* not tried: oFono cannot do it with this modem */
	UNLOCK_NOT_ALLOWED, /* not tried: a policy of D-Bus or oFono forbids it */
	UNLOCK_NOT_ASKED,   /* not tried: oFono was not reached */
	UNLOCK_UNKNOWN,	    /* no answer: it may have been tried */
};

const char *sim_unlock_outcome_name(
	enum sim_unlock_outcome outcome); /* "unlocked", ... */

struct sim_unlock_codes {
	const char *code;    /* the PIN, or the PUK */
	const char *new_pin; /* with the PUK; else NULL */
};

struct sim_unlock; /* a call in progress */

/* oFono's own check: a PIN has 4 to 8 digits, a PUK 8. */
bool sim_unlock_pin_is_valid(const char *pin);
bool sim_unlock_puk_is_valid(const char *puk);

/*
 * Opens the lock in force, which is SIM_LOCK_PIN or SIM_LOCK_PUK, with valid codes. The
 * callback follows the rules of bus_call(): exactly once, later, not after
 * sim_unlock_stop(). The modem may disappear meanwhile. NULL: no memory, nothing was tried.
 * Each call has ended or is stopped before ofono_free().
 */
struct sim_unlock *sim_unlock(struct modem *modem, const struct sim_unlock_codes *codes,
			      void (*done)(void *data, enum sim_unlock_outcome outcome),
			      void *data);
/* The callback will not run; oFono may try the code all the same. NULL is fine. */
void sim_unlock_stop(struct sim_unlock *unlock);

#endif
