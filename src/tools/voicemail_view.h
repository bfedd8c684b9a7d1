/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voicemail view: what is known of each card's voicemail, as JSON.
 */
#ifndef TOOLS_VOICEMAIL_VIEW_H
#define TOOLS_VOICEMAIL_VIEW_H

#include "mcp/tool.h"
#include "phone/sim.h"

extern const struct schema_field voicemail_view_fields[]; /* for output schemas */

/* An array, in order of slot. */
void voicemail_view_write(struct json_writer *writer, const struct sims *sims);

#endif
