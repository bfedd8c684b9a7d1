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
	&tool_edit_sms,
	&tool_get_gateway_status,
	&tool_send_ussd,
	&tool_list_calls,
	&tool_find_contact,
	&tool_place_call,
	&tool_hang_up,
	&tool_list_approvals,
	&tool_decide_approval,
	&tool_list_changes,
	NULL,
};

const struct resource *const resource_table[] = {
	&resource_inbox,	&resource_subscriptions,
	&resource_status,	&resource_voicemail,
	&resource_recent_calls, &resource_alerts,
	&resource_message,	&resource_conversation,
	&resource_console,	NULL,
};

const struct event_type *const event_table[] = {
	&event_sms_received,
	&event_sms_status_changed,
	&event_call_missed,
	&event_alert_received,
	&event_approval_requested,
	&event_approval_decided,
	&event_sim_state_changed,
	&event_balance_changed,
	&event_gateway_offline_gap,
	&event_sms_command,
	NULL,
};

const struct task_kind *const task_table[] = { &sms_task_kind, &many_task_kind, NULL };
