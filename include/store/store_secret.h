/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, secrets: random keys that stay the same over restarts, a backup and a rescue. They
 * never leave the gateway. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_SECRET_H
#define STORE_STORE_SECRET_H

#include "store/store.h"

enum { STORE_SECRET_BYTES = 32 };

/* The one that a restore and a rescue take away: see store_asking.c. */
#define STORE_ASKING_PURPOSE "asking"

/*
 * The key of this purpose, made when it is first asked for; on disk when 0 returns. Else
 * -errno, STORE_E_FULL.
 */
int store_secret(struct store *store, const char *purpose,
		 uint8_t secret_out[STORE_SECRET_BYTES]);

#endif
