/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/resource_table.h"

const struct resource *const resource_table[] = {
	&resource_inbox,	&resource_subscriptions,
	&resource_status,	&resource_voicemail,
	&resource_recent_calls, &resource_alerts,
	&resource_message,	&resource_conversation,
	&resource_console,	NULL,
};
