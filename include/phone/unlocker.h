/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unlocker: gives a card the PIN that the owner wrote into `pin_file`, so that a phone that
 * starts by itself can send.
 *
 * At most one try for each card and each start of the machine, and only while the card shows
 * that all UNLOCKER_TRIES are left: whatever goes wrong here, two stay for the owner
 * (tests/integration/test_pin_file.py).
 */
#ifndef PHONE_UNLOCKER_H
#define PHONE_UNLOCKER_H

#include "config/config.h"
#include "ofono/ofono.h"
#include "store/store.h"

enum { UNLOCKER_TRIES = 3 }; /* that a PIN has; 3GPP TS 51.011, section 9.3 */

struct unlocker;

/* `config` outlives it; without a pin_file it does nothing. 0 or -ENOMEM. */
int unlocker_new(struct ofono *ofono, struct store *store, const struct config *config,
		 struct unlocker **unlocker_out);
void unlocker_free(struct unlocker *unlocker); /* NULL is fine */

#endif
