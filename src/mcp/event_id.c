/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/event_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void event_id_write(struct event_id id, char text[EVENT_ID_BYTES])
{
	snprintf(text, EVENT_ID_BYTES, "%016" PRIx64 "-%" PRIu64, id.stream, id.event);
}

bool event_id_read(const char *text, struct event_id *id_out)
{
	char again[EVENT_ID_BYTES];
	struct event_id id;

	if (sscanf(text, "%16" SCNx64 "-%" SCNu64, &id.stream, &id.event) != 2)
		return false;
	event_id_write(id, again);
	if (strcmp(text, again) != 0)
		return false;
	*id_out = id;
	return true;
}
