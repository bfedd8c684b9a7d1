/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, settings: names with a value that outlive a restart, and secret keys. Part of the
 * store of store/store.h.
 */
#pragma once

#include <stdint.h>

struct store;

/* "yes", or absent */
#define STORE_SETTING_PAUSED "paused"

enum { STORE_SETTING_BYTES = 128 };

/* Reads a setting. A value that does not fit is cut. Returns 0, STORE_E_NOT_FOUND or -errno. */
int store_setting_get(struct store *store, const char *name,
		      char value_out[STORE_SETTING_BYTES]);
/* NULL removes the setting. Returns 0, STORE_E_FULL or -errno. */
int store_setting_set(struct store *store, const char *name, const char *value);

enum { STORE_SETTING_SECRET_BYTES = 32 };

/* The secret that a restore and a rescue discard: see store_session.c. */
#define STORE_SETTING_ELICITATION_KEY "elicitation"

/*
 * Reads a random key for this purpose, made at the first call. It stays the same over restarts,
 * backup and rescue, and never leaves the gateway. Returns 0, STORE_E_FULL or -errno.
 */
int store_setting_secret(struct store *store, const char *purpose,
			 uint8_t secret_out[STORE_SETTING_SECRET_BYTES]);
