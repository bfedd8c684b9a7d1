/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_table.h"

const struct tool *const tool_table[] = {
	&tool_send_sms,
	&tool_get_sms_subscriptions,
	NULL,
};
