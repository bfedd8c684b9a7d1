/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fleet frame: what hub and link publish, sealed with the phone's key (AES-256-GCM), so that the
 * broker can delay or drop it, but not read, forge, replay, swap or reflect it.
 *
 *   version 1, kind 1, epoch 8, session 16, number 8, nonce 12 | sealed text | tag 16
 *
 * Numbers are big-endian; the nonce is random.  The head, the topic and the correlation data are
 * associated data: a frame opens only where, and as the answer to what, it was made for.
 *
 *  - epoch: of the hub; grows with each start of it.  A link refuses a lower one than it has seen
 *    (FLEET_STALE_HUB); the gateway keeps the highest one and refuses as well.
 *  - session: the link draws a new one for each connection and names it in its presence.  A
 *    request must carry it, so what was sealed for an earlier connection is refused.
 *  - number: the hub counts its requests to a phone, from 1 in each epoch or session; it must
 *    never use a number twice for an epoch and session.  The link takes each number once.
 *
 * An answer carries epoch, session and number of its request, and its correlation data; the hub
 * compares them.  Presence has epoch 0 and number 0.  Old presence can be replayed by the broker,
 * so it is a hint: a request that the link refuses is answered with the session that holds
 * (tests/unit/test_fleet_frame.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	FLEET_KEY_BYTES = 32,
	FLEET_SESSION_BYTES = 16,
	FLEET_CORRELATION_BYTES = 16,
	FLEET_FRAME_HEAD_BYTES = 46,
	FLEET_FRAME_TAG_BYTES = 16,
	FLEET_TEXT_MAX = 512 * 1024, /* bytes of the text inside */
	FLEET_FRAME_MAX = FLEET_FRAME_HEAD_BYTES + FLEET_TEXT_MAX + FLEET_FRAME_TAG_BYTES,
};

struct fleet_frame_key {
	uint8_t bytes[FLEET_KEY_BYTES];
};

enum fleet_frame_kind {
	/* link to hub, on F/phone/P/here: presence, a JSON object: {"state":"here"} */
	FLEET_HERE = 1,
	/* hub to link, on F/phone/P/rpc */
	FLEET_REQUEST = 2, /* an MCP request, for the gateway */
	FLEET_REKEY = 3,   /* the key from now on, of FLEET_KEY_BYTES */
	/* link to hub, on F/hub/answer/P */
	FLEET_ANSWER =
		4, /* the JSON-RPC answer of the gateway, or of the link: fleet_error.h */
	FLEET_REKEYED = 5, /* empty, sealed with the old key: the new one is on disk */
	/* The request was refused unread, and nothing was done: */
	FLEET_OTHER_SESSION = 6, /* the frame's session is the one that holds */
	FLEET_STALE_HUB = 7,	 /* the text is 8 bytes: the highest epoch seen */
	FLEET_REPLAYED = 8,	 /* this number was taken before */
};

struct fleet_frame {
	enum fleet_frame_kind kind;
	uint64_t epoch;
	uint8_t session[FLEET_SESSION_BYTES];
	uint64_t number;
};

/* Where a frame travels. `correlation` may be NULL with length 0. */
struct fleet_frame_place {
	const char *topic;
	const void *correlation;
	size_t correlation_length;
};

enum {
	FLEET_E_FORGED = 1, /* not sealed with this key for this place, or damaged */
};

/*
 * Appends the sealed frame. Returns 0, -EMSGSIZE if the text is too long, -ENOMEM, or -EIO if there
 * are no random numbers.
 */
int fleet_frame_seal(const struct fleet_frame_key *key, const struct fleet_frame *frame,
		     const struct fleet_frame_place *place, const char *text,
		     size_t length, struct buffer *out);

/*
 * Opens a frame and appends its text, which must be wiped if it is a key. Returns 0, FLEET_E_FORGED
 * or -ENOMEM. On success the frame was sealed by the peer for this place; whether it is new is for
 * the caller to see (fleet_window.h, or epoch, session, number and correlation of the request).
 */
int fleet_frame_open(const struct fleet_frame_key *key,
		     const struct fleet_frame_place *place, const char *payload,
		     size_t payload_length, struct fleet_frame *frame_out,
		     struct buffer *text);

/*
 * Draws random bytes for a key, session or correlation. Returns false if there are no random
 * numbers.
 */
bool fleet_frame_draw(void *bytes, size_t length);
