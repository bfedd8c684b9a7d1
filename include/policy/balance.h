/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Balance: what a SIM's last known balance means for what may be sent from it.
 *
 * Below the owner's minimum nothing is accepted from that SIM, before it costs. The refusal
 * ends with a new reading, when the owner forgets the reading or changes the minimum, and by
 * itself when the reading is older than policy.balance_hours: so none is for ever. Of a SIM
 * whose balance was never read nothing is refused. Nothing dials by itself: that would cost,
 * and wake the phone (tests/unit/test_policy_balance.c).
 */
#ifndef POLICY_BALANCE_H
#define POLICY_BALANCE_H

#include "policy/policy.h"
#include "store/store_sim.h"

struct policy_balance_state {
	struct store_sim_balance last;
	bool has_minimum;
	struct amount minimum;
	int64_t counts_until_ms; /* wall clock; over: it is too old to count */
	bool is_low;		 /* it counts, and is below the minimum */
};

/* 0; STORE_E_NOT_FOUND: it was never read, or was forgotten; -errno. */
int policy_get_balance(struct policy *policy, int64_t sim_id,
		       struct policy_balance_state *balance_out);

/* It was read just now. 0, STORE_E_FULL, -errno: the one before stays. */
int policy_put_balance(struct policy *policy, int64_t sim_id, const char *code,
		       const struct balance *balance);
/* 0, STORE_E_NOT_FOUND, STORE_E_FULL, -errno. */
int policy_forget_balance(struct policy *policy, int64_t sim_id);

#endif
