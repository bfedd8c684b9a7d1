/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store lock: at most one gateway works with a folder, and nobody puts another database in
 * its place meanwhile.
 *
 * A lock of the open file `folder`/gateway.lock, which names its holder, and one of the folder
 * itself, for that file may be removed; the kernel gives both back however their holder ends
 * (tests/integration/test_keeping.py). `backup` needs them not: it is a guest.
 */
#ifndef STORE_STORE_LOCK_H
#define STORE_STORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"

struct store_lock {
	int file, folder; /* descriptors; -1: none */
};

#define STORE_LOCK_NONE ((struct store_lock){ -1, -1 })

/*
 * The folder is made when missing. 0, and a lock to be released; -EBUSY: a gateway has it;
 * or another -errno, with the error's text.
 */
int store_lock_take(const char *folder, struct store_lock *lock_out,
		    struct explanation *error);
void store_lock_release(struct store_lock *lock); /* also STORE_LOCK_NONE */

/*
 * As store_lock_take(); one of the owner's commands that has it for a moment is waited for,
 * so long at most.
 */
int store_lock_await(const char *folder, int64_t timeout_ms, struct store_lock *lock_out,
		     struct explanation *error);

/* Does a gateway work with this folder now? */
bool store_lock_is_taken(const char *folder);

#endif
