/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_secret.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <string.h>

#include "store/store_statement.h"

static int find(struct store *store, const char *purpose, uint8_t *secret_out)
{
	sqlite3_stmt *statement = store_use(store, SECRET_GET);
	int result, error;

	statement_bind_text(statement, 1, purpose);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) /* the schema knows its length */
		memcpy(secret_out, sqlite3_column_blob(statement, 0), STORE_SECRET_BYTES);
	error = store_done(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

static int make(struct store *store, const char *purpose, uint8_t *secret_out)
{
	sqlite3_stmt *statement = store_use(store, SECRET_ADD);
	uint8_t secret[STORE_SECRET_BYTES];
	int error;

	if (gnutls_rnd(GNUTLS_RND_KEY, secret, sizeof(secret)) < 0)
		return -EIO;
	statement_bind_text(statement, 1, purpose);
	sqlite3_bind_blob(statement, 2, secret, sizeof(secret), SQLITE_STATIC);
	error = store_run(store, statement);
	if (!error)
		memcpy(secret_out, secret, sizeof(secret));
	return error;
}

int store_secret(struct store *store, const char *purpose,
		 uint8_t secret_out[STORE_SECRET_BYTES])
{
	int error = find(store, purpose, secret_out);

	return error == STORE_E_NOT_FOUND ? make(store, purpose, secret_out) : error;
}
