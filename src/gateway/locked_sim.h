/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locked SIM: which card the owner means to unlock, and whether it may be tried.
 */
#ifndef GATEWAY_LOCKED_SIM_H
#define GATEWAY_LOCKED_SIM_H

#include "gateway/control_call.h"
#include "ofono/modem.h"

struct locked_sim {
	struct modem *modem; /* until the next event of the loop */
	enum modem_sim_lock lock;
	unsigned tries;	  /* left; 0: the modem does not tell */
	const char *name; /* "SIM 1 in /sim0"; in the call's arena */
};

/*
 * The one in "modem", which was looked at before, or which the argument "sim" names (a
 * subscription_id, or the path of a modem), else the only one that is locked, when it asks for
 * what "puk" says will be given. False: the call has been answered.
 */
bool locked_sim_find(struct control_call *call, struct locked_sim *sim_out);

/*
 * With so many tries left, may one be used up? Not the last, nor when nobody knows, without
 * "force". False: the call has been answered.
 */
bool locked_sim_may_be_tried(struct control_call *call, const struct locked_sim *sim);

/* "3 tries are left" */
const char *locked_sim_tries(struct arena *arena, unsigned tries);

#endif
