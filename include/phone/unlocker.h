/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unlocker: gives a SIM card the PIN that the owner wrote into `pin_file`, so that a phone that
 * starts unattended can send.
 *
 * It makes at most one attempt for each card and boot of the machine, and only while the card
 * shows that all UNLOCKER_PIN_ATTEMPTS are left: whatever goes wrong, two are left for the
 * owner (tests/integration/test_pin_file.py).
 */
#pragma once

#include "ofono/ofono.h"
#include "store/store.h"

struct config;

enum {
	UNLOCKER_PIN_ATTEMPTS = 3,  /* 3GPP TS 51.011, section 9.3 */
	UNLOCKER_RECORD_MAX = 4096, /* bytes; no attempt is made when it is full */
};

/* outcomes */
enum { UNLOCKER_E_TRIED = 1 };

struct unlocker;

/* `config` outlives it; without a pin_file it does nothing. Returns 0 or -ENOMEM. */
int unlocker_new(struct ofono *ofono, struct store *store, const struct config *config,
		 struct unlocker **unlocker_out);
void unlocker_free(struct unlocker *unlocker); /* NULL is fine */

/*
 * Records in the state folder that the PIN of this card is being tried in this boot
 * (clock_boot_id()). The record is on disk before the PIN is tried, so that a crash in between
 * costs the unlocking, not an attempt. Returns 0 if it was not tried before, UNLOCKER_E_TRIED, or
 * -errno if that is unknown. Public for tests/unit/test_unlocker.c.
 */
int unlocker_record_attempt(const char *folder, const char *boot, const char *iccid);

/* ---- the PIN file */

/*
 * The PINs of SIM cards, written down by the owner for the gateway.
 *
 * Each line is "ICCID PIN"; a line that begins with # is a comment. The file belongs to root
 * or to the gateway's own user, and nobody else can read it: any other file is not used.
 */

enum { PIN_BYTES = 9, PIN_FILE_MAX = 4096 };

/* outcomes */
enum {
	PIN_FILE_E_NO_CARD = 1, /* no line for this card */
	PIN_FILE_E_EXPOSED, /* others can read or write it, or own it; or it is a link */
	PIN_FILE_E_MALFORMED, /* a bad line, or longer than PIN_FILE_MAX */
};

/*
 * Finds the PIN of the card with this ICCID; the caller clears it. Returns 0, PIN_FILE_E_... or
 * -errno; `pin` is written only with 0.
 */
int unlocker_find_pin(const char *path, const char *iccid, char pin[PIN_BYTES]);
