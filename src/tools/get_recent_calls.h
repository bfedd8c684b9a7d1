/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Get recent calls: a call as JSON, for the tool and for calls://recent.
 */
#ifndef TOOLS_GET_RECENT_CALLS_H
#define TOOLS_GET_RECENT_CALLS_H

#include "store/store_event.h"
#include "tools/view.h"

void get_recent_calls_write_row(const struct view *view, const struct event *call);

#endif
