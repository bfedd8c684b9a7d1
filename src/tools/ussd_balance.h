/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD balance: what an answer of the network to a code told of the balance, kept and shown.
 */
#ifndef TOOLS_USSD_BALANCE_H
#define TOOLS_USSD_BALANCE_H

#include "config/balance_pattern.h"
#include "base/json.h"
#include "tools/services.h"

struct ussd_balance { /* zeroed: the owner has no pattern for the code */
	bool found;
	struct balance balance;
	int64_t read_ms;  /* wall clock, as it is told from then on */
	const char *note; /* what is wrong with it; NULL nothing */
};

/* A reading that the disk refuses is told, and the one before goes on to count. */
void ussd_balance_keep(const struct services *services, int64_t sim_id, const char *code,
		       const char *text, struct ussd_balance *balance_out);

/* The members "balance" and "balance_note", where there is something to tell. */
void ussd_balance_put(struct json_writer *writer, const struct ussd_balance *balance);

#endif
