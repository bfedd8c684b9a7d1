/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store rescue: what the gateway does at its start with a database that is damaged.
 *
 * It is moved aside, never written to, and a new one begins with all that can be read of
 * it: so the phone goes on receiving, cards keep their numbers, clients their tokens and
 * idempotency keys their messages, no number is given out twice, and nothing that may have
 * been sent is sent again (tests/unit/test_store_rescue.c).
 */
#ifndef STORE_STORE_RESCUE_H
#define STORE_STORE_RESCUE_H

#include "store/store.h"

/* As store_open(); only a damaged database gives no error. Under the lock of the folder. */
int store_open_or_rescue(const char *folder, struct store **store_out,
			 struct explanation *error);

/* NULL: the database was sound. Else what happened, for the owner, as long as the store. */
const char *store_rescue_notice(const struct store *store);

#endif
