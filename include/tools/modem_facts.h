/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem facts: each modem as JSON, and what stops it from sending, in one sentence, from facts
 * that are known here already.
 */
#ifndef TOOLS_MODEM_FACTS_H
#define TOOLS_MODEM_FACTS_H

#include "mcp/schema.h"
#include "tools/services.h"

extern const struct schema_field modem_facts_fields[]; /* of one modem */

struct modem_obstacle {
	const char *text; /* "it is in flight mode" */
	const char
		*step; /* for the owner, in words; NULL with no command: to wait is all */
	/* For the owner; the path of the modem stands behind each. NULL: there is none. */
	const char *command;
	const char *then;
};

/* NULL: nothing stops it. */
const struct modem_obstacle *modem_facts_obstacle(const struct services *services,
						  const struct modem *modem);

/* Differs, when anything that is told of a modem does but the strength of its signal. */
uint64_t modem_facts_sum(const struct services *services);

/* "modems":[...], Bluetooth phones left out, for they are none of ours */
void modem_facts_write(struct json_writer *writer, const struct services *services);

#endif
