/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhook signature: what proves to a receiver that a delivery is ours, and the ID of a
 * subscription.
 *
 * Sources: Standard Webhooks, "whsec_" secrets and "v1" signatures; the MCP events extension,
 * "Webhook delivery".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

enum {
	WEBHOOK_SECRET_LEAST = 24, /* bytes */
	WEBHOOK_SECRET_MOST = 64,
	WEBHOOK_SIGNATURES_BYTES = 128, /* of two secrets */
	WEBHOOK_ID_BYTES = 37,		/* "sub_" and 32 digits */
};

struct webhook_secret {
	uint8_t bytes[WEBHOOK_SECRET_MOST];
	size_t length; /* 0 if there is none */
};

/* Returns false if it is not "whsec_" and base64 of 24 to 64 bytes. */
bool webhook_signature_read_secret(const char *text, struct webhook_secret *secret_out);

struct webhook_signature_subject {
	const char *message_id; /* the header webhook-id */
	int64_t timestamp;	/* the header webhook-timestamp, in seconds */
	const char *body;
	size_t length;
};

/*
 * Writes the header webhook-signature: one signature for each secret that has a length, separated
 * by spaces. Returns false if memory runs out.
 */
bool webhook_signature_write(const struct webhook_signature_subject *subject,
			     const struct webhook_secret *secrets, size_t count,
			     char text_out[WEBHOOK_SIGNATURES_BYTES]);

/*
 * Writes "sub_" and digits that depend on nothing but the key: the client, the URL as it was given,
 * the name of the event and the canonical JSON of its arguments. Returns false if memory runs out.
 */
bool webhook_signature_write_id(int64_t client_id, const char *url, const char *name,
				const char *arguments_json,
				char id_out[WEBHOOK_ID_BYTES]);
