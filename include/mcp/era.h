/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Era: everything in which families of MCP revisions differ, as one constant table each.
 *
 * The era of a request is decided once, in era_decide(); afterwards all code calls through
 * the table, and no handler knows the revision. Adding a family is one more table.
 */
#ifndef MCP_ERA_H
#define MCP_ERA_H

#include "mcp/request.h"

struct method {
	const char *name;
	void (*run)(struct request *request);
};

struct era {
	const char *name;
	const char *const *versions;  /* newest first, ends with NULL */
	const struct method *methods; /* ends with a NULL name */
	/* Members that every result of this era begins with. */
	void (*open_result)(const struct request *request, struct json_writer *writer);
	/* HTTP status under which an error with this code travels. */
	unsigned (*error_status)(enum rpc_code code);
};

/* initialize, protocol revisions 2025-11-25 back to 2024-11-05 */
extern const struct era era_2025;

struct era_refusal {
	enum rpc_code code;
	const char *text;
};

/*
 * The era that serves this message; NULL with a refusal (HTTP 400) when none does.
 * Source: MCP, basic/transports, "Protocol Version Header".
 */
const struct era *era_decide(struct exchange *exchange, const struct rpc_message *message,
			     struct era_refusal *refusal_out);

/* The version an initialize gets: the one asked for when served, else the newest. */
const char *era_negotiate(const struct era *era, const char *asked);

#endif
