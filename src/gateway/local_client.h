/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local client: a user of this machine as an agent, without a token.
 *
 * The control socket also speaks HTTP.  Its group is the permission: who may connect may pair any
 * agent, so it needs no token to be one.  The kernel says which user it is (SO_PEERCRED), and the
 * client is named after that user, "local:anna".  It is created with the first request, with the
 * permissions of a newly paired client, and the owner sees, changes and revokes it like any other.
 * Nothing that listens on TCP leads here (tests/integration/test_local_client.py).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/client.h"

struct store;

/* Writes "local:anna", or "local:1000" if the user has no name that an agent may have. */
void local_client_name(int64_t uid, char name[CLIENT_NAME_BYTES]);

/*
 * Finds the client, or adds it. Returns false if it was revoked, or the store failed, which is
 * logged.
 */
bool local_client_find(struct store *store, const char *name, struct client *client_out);

/* Adds it, with these permissions. Returns 0, STORE_E_* or -errno. */
int local_client_add(struct store *store, struct client *client);
