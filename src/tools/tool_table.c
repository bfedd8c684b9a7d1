/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool table: the release's tables. The rows of the tools are in the header, because the program of
 * tests/fixtures also has them, and more behind them.
 */
#include "tools/tool_table.h"

/* clang-format off */
const struct tool *const tool_table[] = {
	TOOL_ROWS(TOOL_ADDRESS)
	NULL,
};

const struct resource *const resource_table[] = {
	&resource_inbox,
	&resource_subscriptions,
	&resource_status,
	&resource_voicemail,
	&resource_recent_calls,
	&resource_alerts,
	&resource_message,
	&resource_conversation,
	&resource_console,
	NULL,
};
/* clang-format on */

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
