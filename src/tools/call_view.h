/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call view: a call as JSON, in the tool and in the resource. The number is a
 * stranger's word, as that of a message.
 */
#ifndef TOOLS_CALL_VIEW_H
#define TOOLS_CALL_VIEW_H

#include "store/store_event.h"
#include "tools/message_view.h"

extern const struct schema_field call_view_fields[]; /* for output schemas */

void call_view_write(const struct message_view *view, const struct event *call);

#endif
