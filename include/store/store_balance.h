/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, balances: what each SIM had when the network was asked last. Part of the store of
 * store/store.h.
 *
 * When that was is kept in usage time (store/store_usage.h), so a clock that is set makes no
 * balance older or younger (tests/unit/test_store_balance.c).
 */
#ifndef STORE_STORE_BALANCE_H
#define STORE_STORE_BALANCE_H

#include "config/balance_pattern.h"
#include "config/ussd_code.h"
#include "store/store.h"

struct store_balance {
	struct balance balance;
	char code[USSD_CODE_BYTES]; /* that was dialled for it */
	int64_t read_ms;	    /* by the wall clock as it is now */
	int64_t age_ms;
};

/* Read just now, in the place of the one before, with its line of the audit. 0, STORE_E_FULL,
 * -errno. */
int store_balance_put(struct store *store, int64_t sim_id, const char *code,
		      const struct balance *balance);

/* 0, STORE_E_NOT_FOUND, -errno. */
int store_balance_get(struct store *store, int64_t sim_id,
		      struct store_balance *balance_out);

/* The owner does not want it to count. 0, STORE_E_NOT_FOUND, STORE_E_FULL, -errno. */
int store_balance_forget(struct store *store, int64_t sim_id);

#endif
