/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Join code: what a phone needs to join a fleet, as one word that the hub prints and the owner
 * enters on the phone ("sudo ofono-mcp join CODE").
 *
 *   ofm1.BASE64URL.CHECK     BASE64URL: a JSON object; CHECK: 8 hex digits of its SHA-256
 *
 * `secret` is used once: it seals the first contact, in which the hub replaces it by a key that
 * the code does not hold (FLEET_REKEY).  After that the hub refuses the secret, so a code that is
 * found later opens nothing but the phone's user name and password at the broker.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "fleet/fleet_frame.h"
#include "fleet/fleet_topic.h"

enum {
	JOIN_CODE_HOST_BYTES = 256,
	JOIN_CODE_PASSWORD_BYTES = 129,
	JOIN_CODE_CA_BYTES = 8192, /* PEM, with NUL */
	JOIN_CODE_MAX = 16 * 1024, /* characters of a code */
};

#define JOIN_CODE_START "ofm1."

struct join_code {
	char prefix[FLEET_PREFIX_BYTES];
	char phone[FLEET_NAME_BYTES];
	char host[JOIN_CODE_HOST_BYTES];
	unsigned port;
	bool tls;
	char password[JOIN_CODE_PASSWORD_BYTES]; /* at the broker; "" if there is none */
	char ca[JOIN_CODE_CA_BYTES]; /* certificates to trust, PEM; "" for the system's */
	struct fleet_frame_key secret;
};

/* Appends the code. Returns 0, -EINVAL if a member is not valid, or -ENOMEM. */
int join_code_write(const struct join_code *code, struct buffer *out);

/*
 * Spaces and line breaks inside are ignored. Returns NULL if it was read, else what is wrong, in
 * words.
 */
const char *join_code_read(const char *text, struct join_code *code_out);
