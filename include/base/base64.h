/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Base64 of RFC 4648 section 4, strictly: whole groups, padded, no other character.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* `text_out` has room for crypto_base64_length(length) characters; no NUL is added. */
void crypto_base64_encode(const char *data, size_t length, char *text_out);
size_t crypto_base64_length(size_t length);

/* `data_out` has room for length / 4 * 3 bytes. False: that is no base64. */
bool crypto_base64_decode(const char *text, size_t length, char *data_out,
			  size_t *length_out);

#endif
