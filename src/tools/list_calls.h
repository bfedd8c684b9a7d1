/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * List calls: a call as JSON, for the tool and for calls://recent.
 */
#pragma once

#include "store/store_event.h"
#include "tools/view.h"

void list_calls_write_row(const struct view *view, const struct event *call);
