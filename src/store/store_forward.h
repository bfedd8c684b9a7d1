/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store forward: what an older state of the store may not take back. It goes from the message
 * store that is there into the one that a backup becomes:
 *
 *   always        SIM IDs, opted-out numbers, and what each SIM has used of its limits
 *   from kin      clients, settings, idempotency keys with their messages, placed calls, and
 *                 what each client has used of its limits
 *
 * The two are kin when one goes on from where the other was: they share an audit line or a
 * client. The backup of another phone is no kin: its clients and keys are others.
 *
 * Private to src/store (tests/unit/test_store_restore.c).
 */
#ifndef STORE_STORE_FORWARD_H
#define STORE_STORE_FORWARD_H

#include <sqlite3.h>
#include <stdbool.h>

/* As in store_carry.h. *is_kin_out: the clients are those of `from`. */
int store_forward(sqlite3 *from, sqlite3 *to, bool *is_kin_out);

#endif
