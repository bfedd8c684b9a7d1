/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/local_client.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "base/crypto.h"
#include "base/log.h"
#include "base/utf8.h"
#include "gateway/paired_client.h"
#include "store/store_client.h"

void local_client_name(int64_t uid, char name[CLIENT_NAME_BYTES])
{
	const struct passwd *user = getpwuid((uid_t)uid);
	int length = user ? snprintf(name, CLIENT_NAME_BYTES, CLIENT_LOCAL_PREFIX "%s",
				     user->pw_name)
			  : CLIENT_NAME_BYTES;

	if (length >= CLIENT_NAME_BYTES || !utf8_valid(name, strlen(name)) ||
	    paired_client_name_error(name))
		snprintf(name, CLIENT_NAME_BYTES, CLIENT_LOCAL_PREFIX "%" PRId64, uid);
}

/* The client gets the hash of a token that nobody has. */
int local_client_add(struct store *store, struct client *client)
{
	uint8_t hash[CLIENT_HASH_BYTES];
	char token[TOKEN_TEXT_BYTES];

	if (!crypto_make_random(token, TOKEN_TEXT_BYTES))
		return -EIO;
	crypto_hash_token(token, TOKEN_TEXT_BYTES - 1, hash);
	explicit_bzero(token, sizeof(token));
	return store_client_add(store, client, hash, &client->id);
}

bool local_client_find(struct store *store, const char *name, struct client *client_out)
{
	struct client client = client_paired;
	struct store_client_row row;
	int error = store_client_get(store, name, &row);

	/* by its ID: one whose revocation is not on disk yet is not found */
	if (!error)
		return row.client.scopes &&
		       store_client_find_id(store, row.client.id, client_out);
	snprintf(client.name, sizeof(client.name), "%s", name);
	if (error == STORE_E_NOT_FOUND)
		error = local_client_add(store, &client);
	if (error) {
		log_warning("control: %s cannot be noted as an agent: error %d", name,
			    error);
		return false;
	}
	log_info("control: %s is an agent from now on; \"" PROGRAM_NAME
		 " clients\" lists it",
		 name);
	*client_out = client;
	return true;
}
