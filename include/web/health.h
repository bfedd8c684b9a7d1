/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Health: why no message could be sent now, whoever asked and whoever it was for.
 *
 * Ready means that none of these reasons holds: a message that the rules let pass would be
 * handed to oFono at once. What one client may do, and what is left of its limits, is no part
 * of it. The words are for strangers, too: they name no number, operator, card or count.
 */
#ifndef WEB_HEALTH_H
#define WEB_HEALTH_H

#include "tools/services.h"

struct health_reason {
	const char *name; /* "paused": a word for machines */
	const char *text; /* a sentence for people */
	bool (*holds)(const struct services *services);
};

/* In the order of telling; ends with a NULL name. */
extern const struct health_reason health_reasons[];

bool health_is_ready(const struct services *services);

#endif
