/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/token.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool crypto_make_token(char token[TOKEN_TEXT_BYTES])
{
	unsigned char random[TOKEN_BYTES];

	if (gnutls_rnd(GNUTLS_RND_KEY, random, sizeof(random)) != 0)
		return false;
	for (int at = 0; at < TOKEN_BYTES; at++)
		snprintf(token + 2 * at, 3, "%02x", random[at]);
	explicit_bzero(random, sizeof(random));
	return true;
}

enum { STACK_OF_LIBRARY_BYTES = 8192 };

/* The library leaves its copy of what it hashes on the stack below us. */
static __attribute__((noinline)) void wipe_stack(void)
{
	char below[STACK_OF_LIBRARY_BYTES];

	explicit_bzero(below, sizeof(below));
}

void token_hash(const char *token, size_t length, uint8_t hash_out[CLIENT_HASH_BYTES])
{
	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, length, hash_out) < 0)
		abort(); /* GnuTLS without SHA-256: nobody could be told apart */
	wipe_stack();
}
