/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/http_server.h"

#include <string.h>
#include <strings.h>

#include "base/crypto.h"

enum { AUTH_TOKEN_BYTES_MAX = 256 };

/* "Bearer TOKEN" (RFC 6750 section 2.1): the token without the spaces around it. */
static const char *auth_find_token(const char *authorization, size_t *length_out)
{
	static const char scheme[] = "Bearer";
	size_t spaces, length;

	if (!authorization || strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	authorization += sizeof(scheme) - 1;
	spaces = strspn(authorization, " \t");
	if (!spaces)
		return NULL;
	authorization += spaces;
	length = strlen(authorization);
	while (length && strchr(" \t", authorization[length - 1]))
		length--;
	if (!length)
		return NULL;
	*length_out = length;
	return authorization;
}

bool auth_has_token(const char *authorization)
{
	size_t length;

	return auth_find_token(authorization, &length) != NULL;
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
	token = auth_find_token(authorization, &length);
	if (!token || length > AUTH_TOKEN_BYTES_MAX)
		return false;
	crypto_hash_token(token, length, hash);
	if (!auth->find(auth->data, hash, &client))
		return false;
	*client_out = client;
	return true;
}
