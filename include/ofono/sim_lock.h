/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM lock: what a card asks for before it can be used.
 */
#ifndef OFONO_SIM_LOCK_H
#define OFONO_SIM_LOCK_H

#include "ofono/modem.h"

enum sim_lock {
	SIM_LOCK_NONE, /* also: not known yet; and PIN2, which guards but some features */
	SIM_LOCK_PIN,
	SIM_LOCK_PUK,	/* the tries of the PIN are used up */
	SIM_LOCK_OTHER, /* of a network or a phone: nothing that the card's owner has */
};

enum sim_lock sim_lock_of(const struct sim_facts *facts);

/* It is for a list of numbers only (FDN, BDN): upstream's oFono sends nothing with it. */
bool sim_is_restricted(const struct sim_facts *facts);

#endif
