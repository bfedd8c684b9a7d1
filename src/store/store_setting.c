/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_setting.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_internal.h"

int store_setting_get(struct store *store, const char *name,
		      char value_out[STORE_SETTING_BYTES])
{
	sqlite3_stmt *statement = store_use(store, SETTING_GET);
	int result;

	store_bind_text(statement, 1, name);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		snprintf(value_out, STORE_SETTING_BYTES, "%s",
			 store_column_text(statement, 0));
	return store_finish_row(store, statement, result);
}

int store_setting_set(struct store *store, const char *name, const char *value)
{
	sqlite3_stmt *statement = store_use(store, value ? SETTING_PUT : SETTING_REMOVE);

	store_bind_text(statement, 1, name);
	if (value) {
		store_bind_text(statement, 2, value);
		sqlite3_bind_int64(statement, 3, clock_wall_ms());
	}
	return store_run(store, statement);
}

static int store_setting_find_secret(struct store *store, const char *purpose,
				     uint8_t *secret_out)
{
	sqlite3_stmt *statement = store_use(store, SECRET_GET);
	int result;

	store_bind_text(statement, 1, purpose);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) /* the schema checks the length */
		memcpy(secret_out, sqlite3_column_blob(statement, 0),
		       STORE_SETTING_SECRET_BYTES);
	return store_finish_row(store, statement, result);
}

static int store_setting_make_secret(struct store *store, const char *purpose,
				     uint8_t *secret_out)
{
	sqlite3_stmt *statement = store_use(store, SECRET_ADD);
	uint8_t secret[STORE_SETTING_SECRET_BYTES];
	int error;

	if (gnutls_rnd(GNUTLS_RND_KEY, secret, sizeof(secret)) < 0)
		return -EIO;
	store_bind_text(statement, 1, purpose);
	sqlite3_bind_blob(statement, 2, secret, sizeof(secret), SQLITE_STATIC);
	error = store_run(store, statement);
	if (!error)
		memcpy(secret_out, secret, sizeof(secret));
	return error;
}

int store_setting_secret(struct store *store, const char *purpose,
			 uint8_t secret_out[STORE_SETTING_SECRET_BYTES])
{
	int error = store_setting_find_secret(store, purpose, secret_out);

	return error == STORE_E_NOT_FOUND
		       ? store_setting_make_secret(store, purpose, secret_out)
		       : error;
}
