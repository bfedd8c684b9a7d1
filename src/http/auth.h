/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Auth: from an Authorization header to a client.
 *
 * Tokens are never stored: a client is found by the SHA-256 of its token, so nothing that
 * is compared depends on the secret's bytes in time.
 */
#ifndef HTTP_AUTH_H
#define HTTP_AUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/client.h"

enum { AUTH_HASH_BYTES = CLIENT_HASH_BYTES };

struct auth {
	bool open; /* no token asked: every request is client 0, "open" */
	/* Fills in the client of a token's hash. False: no such client. */
	bool (*find)(void *data, const uint8_t hash[AUTH_HASH_BYTES],
		     struct client *client_out);
	void *data;
	/* NULL, or hears of each 401, by the peer's IP address. */
	void (*failed)(void *data, const char *source);
	void *failed_data;
};

/* Whether the header's value (NULL: absent) holds a token, right or wrong. */
bool auth_has_token(const char *authorization);
/* False: no token, or no client's. */
bool auth_check(const struct auth *auth, const char *authorization,
		struct client *client_out);

/* A request of this peer was refused for its token. */
void auth_tell_failed(const struct auth *auth, const struct sockaddr *peer);

#endif
