/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deciding the era of a message.
 *
 * `initialize` opens the 2025 family whatever its headers say: clients that always stamp
 * the newest version must still get in. Everything else goes by MCP-Protocol-Version; a
 * message without it is served as the oldest revision asks (assume 2025-03-26).
 */
#include "mcp/era.h"

#include <string.h>

static const struct era *const eras[] = { &era_2025 };

static bool serves(const struct era *era, const char *version)
{
	for (const char *const *served = era->versions; *served; served++) {
		if (strcmp(*served, version) == 0)
			return true;
	}
	return false;
}

static const struct era *find(const char *version)
{
	for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++) {
		if (serves(eras[i], version))
			return eras[i];
	}
	return NULL;
}

const struct era *era_decide(struct exchange *exchange, const struct rpc_message *message,
			     struct era_refusal *refusal_out)
{
	bool conflict = false;
	const char *version =
		exchange_header(exchange, "MCP-Protocol-Version", &conflict);
	const struct era *era;

	if (message->method && strcmp(message->method, "initialize") == 0)
		return &era_2025;
	if (conflict) {
		*refusal_out = (struct era_refusal){
			RPC_REFUSED,
			"MCP-Protocol-Version stands twice with different values"
		};
		return NULL;
	}
	era = version ? find(version) : &era_2025;
	if (!era)
		*refusal_out = (struct era_refusal){
			RPC_REFUSED, "Unsupported protocol version: this server speaks "
				     "2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05; "
				     "begin with initialize"
		};
	return era;
}

const char *era_negotiate(const struct era *era, const char *asked)
{
	return serves(era, asked) ? asked : era->versions[0];
}
