/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash: FNV-1a with 64 bits, for texts that nobody profits from making collide. Some values
 * are stored, so the function must not change. Tokens and keys use base/crypto.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_add(uint64_t hash, const void *data, size_t length)
{
	const unsigned char *at = data, *end = at + length;

	while (at < end)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}
