/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locked SIM: which card the owner wants to unlock, and whether one of its tries may be used.
 */
#ifndef GATEWAY_LOCKED_SIM_H
#define GATEWAY_LOCKED_SIM_H

#include "gateway/control_call.h"
#include "ofono/modem.h"
#include "ofono/ofono.h"

struct locked_sim {
	struct modem *modem; /* valid until the next event of the loop */
	enum modem_sim_lock lock;
	unsigned tries;	  /* left; 0: the modem does not report it */
	const char *name; /* "SIM 1 in /sim0"; in the call's arena */
};

/*
 * Finds the card by the argument "modem" (described before), else by "sim" (a subscription_id
 * or the path of a modem), else takes the only locked card.  It must need what "puk" says the
 * owner will enter. False: the call has been answered.
 */
bool locked_sim_find(struct control_call *call, struct locked_sim *sim_out);

/*
 * True: a try may be used. The last one, or one of an unknown number, only with "force".
 * False: the call has been answered.
 */
bool locked_sim_may_try(struct control_call *call, const struct locked_sim *sim);

/* "3 tries are left" */
const char *locked_sim_tries(struct arena *arena, unsigned tries);

#endif
