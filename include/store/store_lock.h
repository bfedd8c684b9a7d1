/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store lock: at most one gateway works with a folder, and nobody puts another database in
 * its place meanwhile.
 *
 * A lock of the open file `folder`/gateway.lock, which the kernel gives back however its holder
 * ends (tests/integration/test_keeping.py). `backup` needs it not: it is a guest.
 */
#ifndef STORE_STORE_LOCK_H
#define STORE_STORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config_error.h"

/*
 * The folder is made when missing. 0, and a descriptor that holds the lock until it is
 * closed; -EBUSY: a gateway has it; or another -errno, with the error's text.
 */
int store_lock_take(const char *folder, int *lock_out, struct config_error *error);

/*
 * As store_lock_take(); one of the owner's commands that has it for a moment is waited for,
 * so long at most.
 */
int store_lock_await(const char *folder, int64_t timeout_ms, int *lock_out,
		     struct config_error *error);

/* Does a gateway work with this folder now? */
bool store_lock_is_taken(const char *folder);

#endif
