/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store presence: are the files that SQLite writes to still those that the next start will
 * find? Somebody may remove or replace them; what is written then ends with the process.
 * Looked for at each commit, told once
 * (tests/integration/test_keeping.py::test_the_log_is_removed_under_the_gateway).
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_PRESENCE_H
#define STORE_STORE_PRESENCE_H

#include "store/store_statement.h"

/* No commit may be made then. */
bool store_presence_is_lost(struct store *store);

/* Once it was lost: looks again, and makes a -wal anew that was removed. Not in a commit. */
void store_presence_mend(struct store *store);

#endif
