/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Obstacle: why no message could be sent now, whoever asked and whoever it was for. The one
 * table of it: /healthz, the metrics and why_not of the status tell from it.
 *
 * Ready means that none of these reasons holds: a message that the rules let pass would be
 * handed to oFono at once. What one client may do, and what is left of its limits, is no part
 * of it. The text is for strangers, too: it names no number, operator, card or count.
 */
#ifndef TOOLS_OBSTACLE_H
#define TOOLS_OBSTACLE_H

#include "tools/services.h"

struct obstacle {
	const char *name; /* "paused": a word for machines */
	const char *text; /* a sentence for people */
	bool (*holds)(const struct services *services);
	/* More, for those who may know it; NULL: the text is all. It gives NULL for want of
	 * memory. */
	const char *(*in_detail)(const struct services *services, struct arena *arena);
};

/* In the order of telling; ends with a NULL name. */
extern const struct obstacle obstacles[];

/* The first that holds; NULL: none. */
const struct obstacle *obstacle_find(const struct services *services);
const char *obstacle_in_detail(const struct obstacle *obstacle,
			       const struct services *services, struct arena *arena);
/* "No SIM can send: modem /ril_0: it is switched off.", without what to do. NULL: no memory. */
const char *obstacle_tell_of_modems(const struct services *services, struct arena *arena);
/* "modem /ril_0: it is switched off (for the owner: ...)". NULL: nothing stops it, or no memory. */
const char *obstacle_tell_of_modem(const struct services *services,
				   const struct modem *modem, struct arena *arena);
bool obstacles_are_none(const struct services *services);

#endif
