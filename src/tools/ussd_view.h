/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD view: what send_ussd gives when the network has answered.
 */
#ifndef TOOLS_USSD_VIEW_H
#define TOOLS_USSD_VIEW_H

#include "base/json.h"
#include "mcp/schema.h"
#include "tools/ussd_dialling.h"

extern const struct schema_field ussd_view_fields[];

/* `text` is a stranger's; `asks`: the network waits for a reply. */
void ussd_view_write(struct json_writer *writer, const struct ussd_dialling *dialling,
		     const char *text, bool asks);

#endif
