/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Auth: finds the client that an Authorization header belongs to.
 *
 * Tokens are never stored. A client is found by the SHA-256 hash of its token, so the time of a
 * comparison says nothing about the token.
 */
#ifndef HTTP_AUTH_H
#define HTTP_AUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/client.h"

enum { AUTH_HASH_BYTES = CLIENT_HASH_BYTES };

struct auth {
	bool open; /* no token needed: every request is from client 0, "open" */
	/* Fills in the client with this token hash. False: there is none. */
	bool (*find)(void *data, const uint8_t hash[AUTH_HASH_BYTES],
		     struct client *client_out);
	void *data;
	/* Called for each 401 with the peer's IP address; may be NULL. */
	void (*failed)(void *data, const char *source);
	void *failed_data;
};

/* Whether the header's value (NULL: absent) holds a token, right or wrong. */
bool auth_has_token(const char *authorization);
/* False: there is no token, or no client has it. */
bool auth_check(const struct auth *auth, const char *authorization,
		struct client *client_out);

/* Reports that a request of this peer was refused because of its token. */
void auth_report_failure(const struct auth *auth, const struct sockaddr *peer);

#endif
