/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/auth.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TOKEN_BYTES_MAX = 256 };

static void hash_bytes(const char *data, size_t length, uint8_t hash_out[AUTH_HASH_BYTES])
{
	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data, length, hash_out) < 0)
		abort(); /* GnuTLS without SHA-256: nobody could be told apart */
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "Bearer TOKEN" (RFC 6750 section 2.1): the token without blanks around it. */
static const char *token_find(const char *authorization, size_t *length_out)
{
	static const char scheme[] = "Bearer";
	size_t length;

	if (!authorization || strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	authorization += sizeof(scheme) - 1;
	if (!blank(*authorization))
		return NULL;
	while (blank(*authorization))
		authorization++;
	length = strlen(authorization);
	while (length && blank(authorization[length - 1]))
		length--;
	if (!length)
		return NULL;
	*length_out = length;
	return authorization;
}

void auth_hash(const char *token, uint8_t hash_out[AUTH_HASH_BYTES])
{
	hash_bytes(token, strlen(token), hash_out);
}

bool auth_has_token(const char *authorization)
{
	size_t length;

	return token_find(authorization, &length) != NULL;
}

bool auth_check(const struct auth *auth, const char *authorization,
		struct client *client_out)
{
	uint8_t hash[AUTH_HASH_BYTES];
	struct client client;
	const char *token;
	size_t length;

	if (auth->open) {
		*client_out = client_open;
		return true;
	}
	token = token_find(authorization, &length);
	if (!token || length > TOKEN_BYTES_MAX)
		return false;
	hash_bytes(token, length, hash);
	if (!auth->find(auth->data, hash, &client))
		return false;
	*client_out = client;
	return true;
}
