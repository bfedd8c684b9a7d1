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

extern const struct tool tool_send_sms;
extern const struct tool tool_get_sms_subscriptions;
extern const struct tool tool_get_sms_status;
extern const struct tool tool_list_sms;
extern const struct tool tool_list_sms_conversations;
extern const struct tool tool_wait_for_sms;
extern const struct tool tool_mark_sms_read;
extern const struct tool tool_cancel_sms;
extern const struct tool tool_edit_sms;
extern const struct tool tool_get_gateway_status;
extern const struct tool tool_send_ussd;
extern const struct tool tool_list_calls;
extern const struct tool tool_find_contact;
extern const struct tool tool_place_call;
extern const struct tool tool_hang_up;
extern const struct tool tool_list_approvals;
extern const struct tool tool_decide_approval;
extern const struct tool tool_list_changes;

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
