/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM view: the SIMs as JSON, the same wherever they are shown.
 */
#ifndef TOOLS_SIM_VIEW_H
#define TOOLS_SIM_VIEW_H

#include "mcp/schema.h"
#include "phone/sim.h"

enum sim_view {
	SIM_VIEW_BRIEF, /* the four members of the original app, nothing else */
	SIM_VIEW_FULL,
};

extern const struct schema_field sim_view_fields[]; /* of one SIM, in full */

/* {"count":N,"subscriptions":[...]} */
void sim_view_write(struct json_writer *writer, const struct sims *sims,
		    enum sim_view view);

#endif
