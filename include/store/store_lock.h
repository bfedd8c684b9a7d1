/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store lock: at most one gateway works with a folder, and nobody replaces its database
 * meanwhile.
 *
 * There are two locks: one of the open file `folder`/gateway.lock, which contains the process
 * ID of its holder, and one of the folder itself, because that file may be removed. The
 * kernel releases both however the holder ends (tests/integration/test_keeping.py). `backup`
 * only reads and needs neither.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"

struct store_lock {
	int file, folder; /* descriptors; -1 if there is none */
};

#define STORE_LOCK_NONE ((struct store_lock){ -1, -1 })

/*
 * Makes a missing folder and takes both locks. Returns 0, -EBUSY if a gateway has them, or another
 * -errno, with `error` filled.
 */
int store_lock_take(const char *folder, struct store_lock *lock_out,
		    struct explanation *error);
void store_lock_release(struct store_lock *lock); /* also STORE_LOCK_NONE */

/*
 * Like store_lock_take(), but waits up to `timeout_ms` for one of the owner's commands that
 * holds the locks for a moment. Blocks.
 */
int store_lock_await(const char *folder, int64_t timeout_ms, struct store_lock *lock_out,
		     struct explanation *error);

/* Does a gateway work with this folder now? */
bool store_lock_is_taken(const char *folder);
