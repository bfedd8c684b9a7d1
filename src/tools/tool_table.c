/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_table.h"

const struct tool *const tool_table[] = {
	&tool_send_sms,
	&tool_get_sms_subscriptions,
	&tool_get_sms_status,
	&tool_list_sms,
	&tool_list_sms_conversations,
	&tool_wait_for_sms,
	&tool_mark_sms_read,
	&tool_cancel_sms,
	&tool_get_gateway_status,
	&tool_send_ussd,
	&tool_get_recent_calls,
	&tool_find_contact,
	&tool_place_call,
	&tool_hang_up,
	&tool_list_approvals,
	&tool_decide_approval,
	NULL,
};

const struct resource *const resource_table[] = {
	&resource_inbox,	&resource_subscriptions,
	&resource_status,	&resource_voicemail,
	&resource_recent_calls, &resource_alerts,
	&resource_message,	&resource_conversation,
	&resource_console,	NULL,
};

const struct task_kind *const task_table[] = { &sms_task_kind, NULL };
