/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event id: of an event on a stream of a session, "<stream>-<event>", as Last-Event-ID brings
 * it back. Numbers of streams are never used again, also not by a later process.
 *
 * Source: MCP 2025-11-25, basic/transports, "Resumability and Redelivery".
 */
#ifndef MCP_EVENT_ID_H
#define MCP_EVENT_ID_H

#include <stdbool.h>
#include <stdint.h>

enum { EVENT_ID_BYTES = 40 };

struct event_id {
	uint64_t stream;
	uint64_t event; /* 0: before the first */
};

void event_id_write(struct event_id id, char text[EVENT_ID_BYTES]);
bool event_id_read(const char *text, struct event_id *id_out); /* false: none of ours */

#endif
