/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phonebook: the names and numbers on a modem's SIM card, read with org.ofono.Phonebook when
 * that interface appears and when the owner enables it. The result is PHONEBOOK_READ
 * (ofono/ofono.h).
 *
 * Reading a card takes seconds to minutes. oFono does it once for all clients until the card
 * or the modem restarts; later answers repeat what it read then. While it reads for another
 * client it refuses with InProgress, so a failure is retried PHONEBOOK_RETRIES times.
 *
 * Source: oFono doc/phonebook-api.txt.
 */
#ifndef OFONO_PHONEBOOK_H
#define OFONO_PHONEBOOK_H

#include "ofono/modem.h"

enum {
	PHONEBOOK_TIMEOUT_MS = 180 * 1000,
	PHONEBOOK_RETRIES = 3,
};

/* Does nothing while a call is in progress. */
void phonebook_read(struct modem *modem);
/* Fine when nothing is in progress. */
void phonebook_stop(struct modem *modem);

#endif
