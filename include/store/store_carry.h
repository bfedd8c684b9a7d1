/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store carry: what goes from one database into the one that takes its place.
 *
 * Private to src/store. `to` is a new database that nobody uses yet. `from` may be
 * damaged: what it does not give is left out, and text that is not UTF-8 or a state that
 * is none does not come over. All give SQLITE_OK, or what `to` refused with.
 */
#ifndef STORE_STORE_CARRY_H
#define STORE_STORE_CARRY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Every row of every table that can be read. *whole_out: none was left out. */
int store_carry_all(sqlite3 *from, sqlite3 *to, bool *whole_out);

/*
 * What an older ledger may not take back: a number once given to a SIM card stays its own,
 * and who said STOP since stays opted out.
 */
int store_carry_kept(sqlite3 *from, sqlite3 *to, bool *whole_out);

/*
 * The clients and the pause are those of `from` and not those that `to` has, where one is an
 * older state of the other: a token that was revoked or changed since is not good again.
 */
int store_carry_rights(sqlite3 *from, sqlite3 *to, bool *carried_out);

/*
 * No number of a message, SIM card or client that `from` (NULL: cannot be read) ever gave
 * out is given out again. What it does not tell is jumped over.
 */
int store_carry_numbers(sqlite3 *from, sqlite3 *to);

/*
 * What `to` says of messages under way may be old: they may have been sent since, so each
 * becomes unknown for this reason and is never handed over. From `heard_ms` on (0: as the
 * database itself knows) until now there is a gap.
 */
int store_carry_settle(sqlite3 *to, const char *reason, int64_t heard_ms);

#endif
