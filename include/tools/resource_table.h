/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resource table: every resource there is, in the order that clients see.
 */
#ifndef TOOLS_RESOURCE_TABLE_H
#define TOOLS_RESOURCE_TABLE_H

#include "mcp/resource.h"

extern const struct resource resource_inbox;
extern const struct resource resource_message;
extern const struct resource resource_conversation;
extern const struct resource resource_console;
extern const struct resource resource_subscriptions;
extern const struct resource resource_status;
extern const struct resource resource_voicemail;
extern const struct resource resource_recent_calls;
extern const struct resource resource_alerts;

extern const struct resource *const resource_table[]; /* ends with NULL */

#endif
