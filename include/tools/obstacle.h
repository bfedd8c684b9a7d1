/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Obstacle: what stops the gateway from sending any message now, for all clients and all
 * recipients, and what stops a single modem. /healthz, the metrics and "why_not" of the status all
 * use this one table.
 *
 * The gateway is ready if no obstacle holds: a message that the policy allows would be
 * submitted to oFono at once. A client's permissions and limits do not count here.
 */
#pragma once

#include "tools/services.h"

struct obstacle {
	const char *name; /* "paused": for machines */
	/* A sentence that strangers may read: no number, operator, card or count. */
	const char *text;
	bool (*holds)(const struct services *services);
	/* More detail for those who may know it, NULL without memory; NULL if `text` is all. */
	const char *(*describe)(const struct services *services, struct arena *arena);
};

/* Most important first; ends with a NULL name. */
extern const struct obstacle obstacle_table[];

/* Returns the first obstacle that holds, or NULL. */
const struct obstacle *obstacle_find(const struct services *services);
bool obstacle_is_none(const struct services *services);
/* Returns NULL if memory runs out. */
const char *obstacle_details(const struct obstacle *obstacle,
			     const struct services *services, struct arena *arena);

/* Why one modem cannot send, and how the owner fixes it. */
struct obstacle_modem {
	const char *text; /* "it is in flight mode" */
	const char *step; /* what to do; NULL without a command: only waiting helps */
	/* takes the modem's path as argument; NULL if there is none */
	const char *command;
	const char *then; /* a second command, likewise */
};

/* Returns NULL if nothing stops it. The result is constant: its address identifies it. */
const struct obstacle_modem *obstacle_of_modem(const struct services *services,
					       const struct modem *modem);
/*
 * "modem /ril_0: it is switched off (for the owner: ...)". Returns NULL if there is no obstacle, or
 * memory runs out.
 */
const char *obstacle_describe_modem(const struct services *services,
				    const struct modem *modem, struct arena *arena);
/*
 * "No SIM can send: modem /ril_0: it is switched off.", without steps. Returns NULL if memory runs
 * out.
 */
const char *obstacle_describe_modems(const struct services *services,
				     struct arena *arena);
