/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM match: do two modems show the same card?
 *
 * oFono keeps by IMSI what it is to send, and every modem that shows that IMSI sends it.
 */
#ifndef OFONO_SIM_MATCH_H
#define OFONO_SIM_MATCH_H

#include "ofono/modem.h"

/* By IMSI or ICCID; what is not known matches nothing. */
bool sim_match(const struct sim_facts *one, const struct sim_facts *other);

#endif
