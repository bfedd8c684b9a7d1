/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phonebook: what a modem's SIM card has of names and numbers, asked for whenever
 * org.ofono.Phonebook appears and when the owner wants it. Private to src/ofono; what comes of
 * it is PHONEBOOK_READ (ofono/ofono.h).
 *
 * To read a card takes seconds to minutes, and oFono does it once for all until the card or
 * the modem starts anew: later answers are what it read then. While it reads for somebody
 * else it refuses (InProgress). So a failure is tried again, PHONEBOOK_PAUSES times.
 *
 * Source: oFono doc/phonebook-api.txt.
 */
#ifndef OFONO_PHONEBOOK_H
#define OFONO_PHONEBOOK_H

#include "ofono/modem.h"

enum {
	PHONEBOOK_TIMEOUT_MS = 180 * 1000,
	PHONEBOOK_PAUSES = 3,
};

/* Nothing new when it is under way. */
void phonebook_read(struct modem *modem);
/* Fine when it is not under way. */
void phonebook_stop(struct modem *modem);

#endif
