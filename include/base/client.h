/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client: who asks; found by the hash of its token, which http makes and the store keeps.
 */
#ifndef BASE_CLIENT_H
#define BASE_CLIENT_H

#include <stdint.h>

enum { CLIENT_HASH_BYTES = 32 }; /* SHA-256 of the token */

struct client {
	int64_t id; /* 0: open mode, nobody in particular */
	char name[64];
};

#endif
