/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/fleet_frame.h"

#include <assert.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include "fleet/fleet_topic.h"

enum {
	FLEET_FRAME_VERSION = 1,
	FLEET_FRAME_NONCE_BYTES = 12,
	FLEET_FRAME_CORRELATION_MAX = 64,
	FLEET_FRAME_FACTS_MAX =
		FLEET_FRAME_HEAD_BYTES + FLEET_TOPIC_BYTES + FLEET_FRAME_CORRELATION_MAX,
	/* where they are in the head */
	FLEET_FRAME_KIND_AT = 1,
	FLEET_FRAME_EPOCH_AT = 2,
	FLEET_FRAME_SESSION_AT = 10,
	FLEET_FRAME_NUMBER_AT = 26,
	FLEET_FRAME_NONCE_AT = 34,
};

_Static_assert((int)FLEET_FRAME_NONCE_AT + (int)FLEET_FRAME_NONCE_BYTES ==
		       (int)FLEET_FRAME_HEAD_BYTES,
	       "the nonce ends the head");

/* What is authenticated beside the text. */
struct fleet_frame_facts {
	uint8_t bytes[FLEET_FRAME_FACTS_MAX];
	size_t length;
};

static void fleet_frame_put_number(uint8_t *at, uint64_t number)
{
	for (int byte = 7; byte >= 0; byte--, number >>= 8)
		at[byte] = (uint8_t)number;
}

static uint64_t fleet_frame_get_number(const uint8_t *at)
{
	uint64_t number = 0;

	for (int byte = 0; byte < 8; byte++)
		number = number << 8 | at[byte];
	return number;
}

bool fleet_frame_draw(void *bytes, size_t length)
{
	return gnutls_rnd(GNUTLS_RND_KEY, bytes, length) == 0;
}

/*
 * The NUL after the topic keeps its end apart from the beginning of the correlation. Returns false
 * if either is longer than any of ours.
 */
static bool fleet_frame_collect(const uint8_t head[FLEET_FRAME_HEAD_BYTES],
				const struct fleet_frame_place *place,
				struct fleet_frame_facts *facts)
{
	size_t topic_bytes = strlen(place->topic) + 1;

	if (topic_bytes > FLEET_TOPIC_BYTES ||
	    place->correlation_length > FLEET_FRAME_CORRELATION_MAX)
		return false;
	memcpy(facts->bytes, head, FLEET_FRAME_HEAD_BYTES);
	memcpy(facts->bytes + FLEET_FRAME_HEAD_BYTES, place->topic, topic_bytes);
	facts->length = FLEET_FRAME_HEAD_BYTES + topic_bytes;
	if (place->correlation_length)
		memcpy(facts->bytes + facts->length, place->correlation,
		       place->correlation_length);
	facts->length += place->correlation_length;
	return true;
}

static bool fleet_frame_open_cipher(const struct fleet_frame_key *key,
				    gnutls_aead_cipher_hd_t *cipher_out)
{
	/* GnuTLS takes the key as not const, and does not write to it. */
	gnutls_datum_t datum = { (unsigned char *)(uintptr_t)key->bytes,
				 FLEET_KEY_BYTES };

	return gnutls_aead_cipher_init(cipher_out, GNUTLS_CIPHER_AES_256_GCM, &datum) ==
	       0;
}

/* Makes room for `length` bytes at the end; NULL if memory runs out. The caller sets the length. */
static uint8_t *fleet_frame_room(struct buffer *out, size_t length)
{
	static const char zeros[512];
	size_t before = out->length;

	for (size_t left = length; left && !out->failed;) {
		size_t piece = left < sizeof(zeros) ? left : sizeof(zeros);

		buffer_append(out, zeros, piece);
		left -= piece;
	}
	if (out->failed)
		return NULL;
	out->length = before;
	return (uint8_t *)out->data + before;
}

int fleet_frame_seal(const struct fleet_frame_key *key, const struct fleet_frame *frame,
		     const struct fleet_frame_place *place, const char *text,
		     size_t length, struct buffer *out)
{
	uint8_t head[FLEET_FRAME_HEAD_BYTES] = { FLEET_FRAME_VERSION,
						 (uint8_t)frame->kind };
	size_t sealed_bytes = length + FLEET_FRAME_TAG_BYTES;
	struct fleet_frame_facts facts;
	gnutls_aead_cipher_hd_t cipher;
	uint8_t *room;
	int result;

	if (length > FLEET_TEXT_MAX)
		return -EMSGSIZE;
	fleet_frame_put_number(head + FLEET_FRAME_EPOCH_AT, frame->epoch);
	memcpy(head + FLEET_FRAME_SESSION_AT, frame->session, FLEET_SESSION_BYTES);
	fleet_frame_put_number(head + FLEET_FRAME_NUMBER_AT, frame->number);
	if (gnutls_rnd(GNUTLS_RND_NONCE, head + FLEET_FRAME_NONCE_AT,
		       FLEET_FRAME_NONCE_BYTES) != 0)
		return -EIO;
	if (!fleet_frame_collect(head, place, &facts))
		return -EMSGSIZE;
	room = fleet_frame_room(out, FLEET_FRAME_HEAD_BYTES + sealed_bytes);
	if (!room || !fleet_frame_open_cipher(key, &cipher))
		return -ENOMEM;
	result = gnutls_aead_cipher_encrypt(
		cipher, head + FLEET_FRAME_NONCE_AT, FLEET_FRAME_NONCE_BYTES, facts.bytes,
		facts.length, FLEET_FRAME_TAG_BYTES, text, length,
		room + FLEET_FRAME_HEAD_BYTES, &sealed_bytes);
	gnutls_aead_cipher_deinit(cipher);
	if (result != 0)
		return -EIO;
	memcpy(room, head, sizeof(head));
	out->length += FLEET_FRAME_HEAD_BYTES + sealed_bytes;
	return 0;
}

static bool fleet_frame_read_head(const uint8_t *head, struct fleet_frame *frame)
{
	if (head[0] != FLEET_FRAME_VERSION || head[FLEET_FRAME_KIND_AT] < FLEET_HERE ||
	    head[FLEET_FRAME_KIND_AT] > FLEET_REPLAYED)
		return false;
	frame->kind = head[FLEET_FRAME_KIND_AT];
	frame->epoch = fleet_frame_get_number(head + FLEET_FRAME_EPOCH_AT);
	memcpy(frame->session, head + FLEET_FRAME_SESSION_AT, FLEET_SESSION_BYTES);
	frame->number = fleet_frame_get_number(head + FLEET_FRAME_NUMBER_AT);
	return true;
}

int fleet_frame_open(const struct fleet_frame_key *key,
		     const struct fleet_frame_place *place, const char *payload,
		     size_t payload_length, struct fleet_frame *frame_out,
		     struct buffer *text)
{
	const uint8_t *head = (const uint8_t *)payload;
	struct fleet_frame_facts facts;
	gnutls_aead_cipher_hd_t cipher;
	struct fleet_frame frame;
	size_t length;
	uint8_t *room;
	int result;

	if (payload_length < FLEET_FRAME_HEAD_BYTES + FLEET_FRAME_TAG_BYTES ||
	    payload_length > FLEET_FRAME_MAX || !fleet_frame_read_head(head, &frame) ||
	    !fleet_frame_collect(head, place, &facts))
		return FLEET_E_FORGED;
	/* GnuTLS wants room for the tag as well in some of its implementations. */
	length = payload_length - FLEET_FRAME_HEAD_BYTES;
	room = fleet_frame_room(text, length);
	if (!room || !fleet_frame_open_cipher(key, &cipher))
		return -ENOMEM;
	result = gnutls_aead_cipher_decrypt(
		cipher, head + FLEET_FRAME_NONCE_AT, FLEET_FRAME_NONCE_BYTES, facts.bytes,
		facts.length, FLEET_FRAME_TAG_BYTES, head + FLEET_FRAME_HEAD_BYTES,
		payload_length - FLEET_FRAME_HEAD_BYTES, room, &length);
	gnutls_aead_cipher_deinit(cipher);
	if (result != 0)
		return FLEET_E_FORGED;
	text->length += length;
	*frame_out = frame;
	return 0;
}
