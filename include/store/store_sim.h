/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, SIM cards: their IDs and their balances. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_SIM_H
#define STORE_STORE_SIM_H

#include <stdint.h>

#include "config/balance_pattern.h"
#include "config/ussd_code.h"

struct store;

/*
 * Finds or makes the SIM ID of a card; the same card keeps its ID for ever. It is found by
 * ICCID, else by IMSI. "" means unknown; one of the two is known. A missing identity is
 * filled in when the disk allows. A card of the same IMSI and another ICCID is another card.
 * Messages that arrived for an IMSI whose ICCID was unknown move to the card once both are
 * seen together. 0, -errno or STORE_E_FULL.
 */
int store_sim_identify(struct store *store, const char *iccid, const char *imsi,
		       int64_t *sim_id_out);
/* Was this SIM ID ever given out? 0, STORE_E_NOT_FOUND, -errno. */
int store_sim_known(struct store *store, int64_t sim_id);
/* Every SIM ID, in ascending order. 0 or -errno. */
int store_sim_list(struct store *store, void (*visit)(void *data, int64_t sim_id),
		   void *data);

enum { STORE_IMSI_BYTES = 24 };
/* The IMSI of a card, "" when the card never showed one. 0, STORE_E_NOT_FOUND, -errno. */
int store_sim_imsi(struct store *store, int64_t sim_id, char imsi_out[STORE_IMSI_BYTES]);

/*
 * The balance that the network reported last. Its age is kept in usage time
 * (store/store_usage.h), so setting the clock makes no balance older or younger
 * (tests/unit/test_store_sim.c).
 */
struct store_sim_balance {
	struct balance balance;
	char code[USSD_CODE_BYTES]; /* the USSD code that was dialled for it */
	int64_t read_ms;	    /* wall clock, as the clock is set now */
	int64_t age_ms;
};

/* Stores a balance read just now, with its audit line. 0, STORE_E_FULL, -errno. */
int store_sim_balance_put(struct store *store, int64_t sim_id, const char *code,
			  const struct balance *balance);
/* 0, STORE_E_NOT_FOUND, -errno. */
int store_sim_balance_get(struct store *store, int64_t sim_id,
			  struct store_sim_balance *balance_out);
/* The owner discards the balance. 0, STORE_E_NOT_FOUND, STORE_E_FULL, -errno. */
int store_sim_balance_forget(struct store *store, int64_t sim_id);

#endif
