/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool table: every tool, resource and event type, in the order that clients see, and every
 * kind of task. The first two tools are those of the app that this product re-implements; they stay
 * first.
 */
#pragma once

#include "mcp/event.h"
#include "mcp/resource.h"
#include "mcp/task.h"
#include "mcp/tool.h"

/* The tools, a row for each: row(NAME) is "struct tool tool_NAME", in src/tools/NAME.c. */
/* clang-format off */
#define TOOL_ROWS(row) \
	row(send_sms) \
	row(get_sms_subscriptions) \
	row(get_sms_status) \
	row(list_sms) \
	row(list_sms_conversations) \
	row(wait_for_sms) \
	row(mark_sms_read) \
	row(cancel_sms) \
	row(edit_sms) \
	row(get_gateway_status) \
	row(send_ussd) \
	row(list_calls) \
	row(find_contact) \
	row(place_call) \
	row(hang_up) \
	row(list_approvals) \
	row(decide_approval) \
	row(list_changes)
/* clang-format on */

#define TOOL_DECLARATION(name) extern const struct tool tool_##name;
#define TOOL_ADDRESS(name)     &tool_##name,

TOOL_ROWS(TOOL_DECLARATION)

extern const struct resource resource_inbox;
extern const struct resource resource_message;
extern const struct resource resource_conversation;
extern const struct resource resource_console;
extern const struct resource resource_subscriptions;
extern const struct resource resource_status;
extern const struct resource resource_voicemail;
extern const struct resource resource_recent_calls;
extern const struct resource resource_alerts;

extern const struct event_type event_sms_received;
extern const struct event_type event_sms_status_changed;
extern const struct event_type event_call_missed;
extern const struct event_type event_alert_received;
extern const struct event_type event_approval_requested;
extern const struct event_type event_approval_decided;
extern const struct event_type event_sim_state_changed;
extern const struct event_type event_balance_changed;
extern const struct event_type event_gateway_offline_gap;
extern const struct event_type event_sms_command;

extern const struct task_kind sms_task_kind;
extern const struct task_kind many_task_kind;

/* Each ends with NULL. */
extern const struct tool *const tool_table[];
extern const struct resource *const resource_table[];
extern const struct event_type *const event_table[];
extern const struct task_kind *const task_table[];
