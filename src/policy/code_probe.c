/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/code_probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/crypto.h"

enum {
	CODE_PROBES_CLIENTS = 64,
	CODE_PROBES_MS = 60 * 60 * 1000,
};

struct code_probe_client {
	int64_t client_id; /* 0 if it is free */
	struct {
		int64_t at_ms;			 /* monotonic clock; 0 if there is none */
		uint8_t text[CLIENT_HASH_BYTES]; /* its SHA-256 */
	} last[CODE_PROBES_PER_HOUR];		 /* newest first */
};

struct code_probes {
	struct code_probe_client clients[CODE_PROBES_CLIENTS];
};

struct code_probes *code_probes_new(void)
{
	return calloc(1, sizeof(struct code_probes));
}

void code_probes_free(struct code_probes *probes)
{
	free(probes);
}

static const struct code_probe_client *code_probes_find(const struct code_probes *probes,
							int64_t client_id)
{
	for (size_t i = 0; i < CODE_PROBES_CLIENTS; i++) {
		if (probes->clients[i].client_id == client_id)
			return &probes->clients[i];
	}
	return NULL;
}

int64_t code_probes_end_ms(const struct code_probes *probes, int64_t client_id,
			   int64_t now_ms)
{
	const struct code_probe_client *client = code_probes_find(probes, client_id);
	int64_t oldest_ms = client ? client->last[CODE_PROBES_PER_HOUR - 1].at_ms : 0;

	return oldest_ms && now_ms - oldest_ms < CODE_PROBES_MS
		       ? oldest_ms + CODE_PROBES_MS
		       : 0;
}

/* Returns the client's own place, or the one that was used least recently. */
static struct code_probe_client *code_probes_place(struct code_probes *probes,
						   int64_t client_id)
{
	struct code_probe_client *place = &probes->clients[0];

	for (size_t i = 0; i < CODE_PROBES_CLIENTS; i++) {
		struct code_probe_client *client = &probes->clients[i];

		if (client->client_id == client_id)
			return client;
		if (client->last[0].at_ms < place->last[0].at_ms)
			place = client;
	}
	*place = (struct code_probe_client){ .client_id = client_id };
	return place;
}

void code_probes_count(struct code_probes *probes, int64_t client_id, const char *text,
		       int64_t now_ms)
{
	struct code_probe_client *client = code_probes_place(probes, client_id);
	uint8_t hash[CLIENT_HASH_BYTES];

	crypto_hash_token(text, strlen(text), hash);
	for (size_t i = 0; i < CODE_PROBES_PER_HOUR; i++) {
		if (client->last[i].at_ms &&
		    !memcmp(client->last[i].text, hash, sizeof(hash)))
			return;
	}
	memmove(client->last + 1, client->last,
		sizeof(client->last) - sizeof(*client->last));
	client->last[0].at_ms = now_ms;
	memcpy(client->last[0].text, hash, sizeof(hash));
}
