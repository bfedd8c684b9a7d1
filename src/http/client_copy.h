/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client copy: the client of an exchange as it was when its request came in.
 *
 * What many exchanges know of the same client is there once: else each stream and each call
 * that waits would hold it, and it is most of what they need (tests/bench/test_counts.py).
 */
#ifndef HTTP_CLIENT_COPY_H
#define HTTP_CLIENT_COPY_H

#include "base/client.h"

/* The same for all that take an equal client until the last has dropped it. NULL: no memory. */
const struct client *client_copy_take(const struct client *client);
void client_copy_drop(const struct client *client); /* NULL is fine */

#endif
