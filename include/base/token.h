/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Token: what a client proves itself with. Random, shown once, and kept as its hash alone.
 */
#ifndef BASE_TOKEN_H
#define BASE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/client.h"

enum {
	TOKEN_BYTES = 32, /* 256 bits */
	TOKEN_TEXT_BYTES = 2 * TOKEN_BYTES + 1,
};

/* A new one, in hexadecimal digits. False: no random numbers are to be had. */
bool crypto_make_token(char token[TOKEN_TEXT_BYTES]);

void token_hash(const char *token, size_t length, uint8_t hash_out[CLIENT_HASH_BYTES]);

#endif
