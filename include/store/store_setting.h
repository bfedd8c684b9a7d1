/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, settings: what was switched or found and a restart must not forget, as a name and a
 * word. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_SETTING_H
#define STORE_STORE_SETTING_H

#include "store/store.h"

/* "yes", or not there */
#define STORE_SETTING_PAUSED "paused"

enum { STORE_SETTING_BYTES = 128 };

/* "yes", or not there */
#define STORE_SETTING_PAUSED "paused"

/* 0, STORE_E_NOT_FOUND, -errno; a value that does not fit is cut. */
int store_setting_get(struct store *store, const char *name,
		      char value_out[STORE_SETTING_BYTES]);

/* On disk when 0 returns, unless a transaction goes on. NULL: it is no more. */
int store_setting_set(struct store *store, const char *name, const char *value);

#endif
