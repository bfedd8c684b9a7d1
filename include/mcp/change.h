/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change: something that clients may want to hear of. Who makes changes keeps observers of
 * this event and hands them in (endpoint_new()); streams listen.
 */
#ifndef MCP_CHANGE_H
#define MCP_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

enum change_type {
	CHANGE_RESOURCE, /* what resources/read gives for `subject` */
	CHANGE_TOOLS,	 /* what tools/list gives */
	CHANGE_CUT,	 /* a client is to come again: its streams end */
};

struct change {
	enum change_type type;
	/* A URI whose variable is not percent-encoded, see resource_find(); else NULL. */
	const char *subject;
	/* Of CHANGE_TOOLS: only this client's; 0: everybody's. */
	int64_t client_id;
};

/* Is it about what this client may do? */
static inline bool change_is_of(const struct change *change, int64_t client_id)
{
	return !change->client_id || change->client_id == client_id;
}

#endif
