/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store adoption: a backup that somebody copied to where the ledger is, past `restore`, becomes
 * the ledger as `restore` would have made it: nothing of it is sent again
 * (tests/integration/test_keeping.py::test_a_backup_that_is_copied_by_hand).
 *
 * It is known by its format: a backup is one file, and a ledger that the gateway has used,
 * or made, has a -wal.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_ADOPT_H
#define STORE_STORE_ADOPT_H

#include <stdbool.h>

#include "store/store_opening.h"

/* Before it is connected to. */
bool store_adopt_is_due(const struct store_opening *opening);

/* Before it is connected to: the -wal that is there is another's. 0 or -errno. */
int store_adopt_prepare(struct store_opening *opening, const char *folder);

/* Once it is connected to, before it is a ledger with a -wal. 0 or -errno. */
int store_adopt(struct store_opening *opening);

#endif
