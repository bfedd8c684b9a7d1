/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change: an event that clients may subscribe to. Its source keeps the observers and
 * passes them to endpoint_new(); streams observe.
 */
#ifndef MCP_CHANGE_H
#define MCP_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

enum change_type {
	CHANGE_RESOURCE,  /* resources/read gives something else for `subject` */
	CHANGE_TOOLS,	  /* the tool list changed */
	CHANGE_RECONNECT, /* end the client's streams, so that it reconnects */
};

struct change {
	enum change_type type;
	/* A URI whose variable is not percent-encoded, see resource_find(); else NULL. */
	const char *subject;
	/* The client it concerns; 0: all. Always 0 with CHANGE_RESOURCE. */
	int64_t client_id;
};

/* Whether the change concerns this client. */
static inline bool change_is_of(const struct change *change, int64_t client_id)
{
	return !change->client_id || change->client_id == client_id;
}

#endif
