/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run goes through the same checks as send_sms, but through all of them, so that a
 * client sees every reason for a refusal at once. The SIM is chosen first, because much of the
 * policy depends on it, but its refusal is listed where send_sms would report it: last. What
 * nothing refuses may still have to wait, for limits of the SIM or for earlier messages.
 */
#include "tools/dry_run.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "sms/outbox.h"
#include "tools/services.h"
#include "tools/user_question.h"
#include "tools/view.h"

enum { DRY_RUN_REFUSALS_MAX = 32 }; /* more than there are rules and checks */

const struct schema_field dry_run_refusal_fields[] = {
	{ "code", SCHEMA_STRING, true, "As in an error of send_sms" },
	{ "message", SCHEMA_STRING, true, "What is wrong" },
	{ "retry_after_seconds", SCHEMA_INTEGER, false, "When it may be accepted" },
	{ "fits", SCHEMA_INTEGER, false, "How many such messages are accepted then" },
	{ "fix", SCHEMA_STRING, true, "What to do" },
	{ 0 },
};

struct dry_run {
	struct sms_order *order;
	struct refusal refusals[DRY_RUN_REFUSALS_MAX];
	size_t refusal_count;
	struct refusal needs_owner; /* why the owner must approve it */
	bool is_for_owner;
	enum policy_repeat repeat;
	struct message first; /* the message that would be repeated */
	int64_t sim_free_ms;  /* when the limits of the SIM let it go; 0: now */
	unsigned queued;      /* messages that the SIM would send first */
};

static void dry_run_add_refusal(struct dry_run *dry_run, const struct refusal *refusal)
{
	if (dry_run->refusal_count < DRY_RUN_REFUSALS_MAX)
		dry_run->refusals[dry_run->refusal_count++] = *refusal;
}

static void dry_run_check(struct dry_run *dry_run, const sms_order_check *checks)
{
	struct refusal refusal;

	for (; *checks; checks++) {
		if (!(*checks)(dry_run->order, &refusal))
			dry_run_add_refusal(dry_run, &refusal);
	}
}

static void dry_run_on_verdict(void *data, const struct policy_verdict *verdict)
{
	struct dry_run *dry_run = data;
	const struct refusal refusal = sms_order_refusal(dry_run->order, verdict);

	if (verdict->needs_owner) {
		if (!dry_run->is_for_owner)
			dry_run->needs_owner = refusal;
		dry_run->is_for_owner = true;
		return;
	}
	if (verdict->repeat == POLICY_REPEAT_NONE) {
		dry_run_add_refusal(dry_run, &refusal);
		return;
	}
	dry_run->repeat = verdict->repeat;
	dry_run->first = verdict->first;
}

static bool dry_run_needs_approval(const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;

	return dry_run->is_for_owner ||
	       user_question_approval_needed(order->call, order->sim_id, order->number);
}

/* What would hold up a message that is to go out now. */
static void dry_run_find_wait(struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;
	const struct services *services = order->call->services;

	if (dry_run->refusal_count || dry_run->repeat != POLICY_REPEAT_NONE ||
	    order->send_at_ms || dry_run_needs_approval(dry_run))
		return;
	dry_run->sim_free_ms = sms_order_sim_free(order, NULL);
	if (!dry_run->sim_free_ms)
		dry_run->queued = outbox_queued(services->outbox, order->sim_id);
}

static void dry_run_check_all(struct dry_run *dry_run)
{
	struct sms_order *order = dry_run->order;
	struct policy_request request;
	struct policy_verdict verdict;
	struct refusal refusal;
	bool chosen = (*sms_order_sim_checks)(order, &refusal);

	dry_run_check(dry_run, sms_order_form_checks);
	if (order->is_spread) /* finds its time */
		sms_order_judge(order, NULL, &verdict);
	request = sms_order_request(order);
	policy_check_all(order->call->services->policy, &request, dry_run_on_verdict,
			 dry_run);
	dry_run_check(dry_run, sms_order_acceptance_checks);
	if (!chosen)
		dry_run_add_refusal(dry_run, &refusal);
	dry_run_find_wait(dry_run);
}

static void dry_run_write_refusals(struct json_writer *writer,
				   const struct dry_run *dry_run)
{
	json_key(writer, "refusals");
	json_open_array(writer);
	for (size_t i = 0; i < dry_run->refusal_count; i++) {
		const struct refusal *refusal = &dry_run->refusals[i];

		json_open_object(writer);
		json_put_string(writer, "code", failure_words(refusal->failure)->code);
		json_put_string(writer, "message",
				refusal->message ? refusal->message : "");
		if (refusal->retry_after_seconds)
			json_put_integer(writer, "retry_after_seconds",
					 refusal->retry_after_seconds);
		if (refusal->fits)
			json_put_integer(writer, "fits", refusal->fits);
		tool_call_put_fix(dry_run->order->call, writer, failure_fix(refusal));
		json_close_object(writer);
	}
	json_close_array(writer);
}

static void dry_run_write_risky_character(struct json_writer *writer,
					  const struct sms_order *order)
{
	uint32_t character = sms_order_risky_character(order);
	char name[sizeof("U+10FFFF")];

	if (!character)
		return;
	snprintf(name, sizeof(name), "U+%04X", (unsigned)character & 0x1fffff);
	json_put_string(writer, "risky_character", name);
}

static void dry_run_write(struct json_writer *writer, const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;
	bool repeats = dry_run->repeat != POLICY_REPEAT_NONE;

	json_open_object(writer);
	json_put_boolean(writer, "dry_run", true);
	json_put_boolean(writer, "would_send", !dry_run->refusal_count && !repeats);
	if (*order->number)
		json_put_string(writer, "to_phone_number", order->number);
	if (order->sim_id)
		json_put_integer(writer, "subscription_id", order->sim_id);
	json_put_integer(writer, "segments", order->segments.count);
	json_put_string(writer, "encoding",
			segments_encoding_name(order->segments.encoding));
	if (*order->number)
		view_put_cost(writer, order->call->services, order->sim_id, order->number,
			      order->segments.count);
	json_put_integer(writer, "units", order->segments.units);
	json_put_integer(writer, "units_left", order->segments.room);
	dry_run_write_risky_character(writer, order);
	if (order->send_at_ms)
		view_put_time(writer, "send_at", order->send_at_ms);
	else if (dry_run->sim_free_ms)
		view_put_time(writer, "send_at", dry_run->sim_free_ms);
	if (dry_run->queued)
		json_put_integer(writer, "queued_before", dry_run->queued);
	if (order->expires_at_ms)
		view_put_time(writer, "expires_at", order->expires_at_ms);
	if (*order->number)
		json_put_string(writer, "approval",
				dry_run_needs_approval(dry_run) ? "required"
								: "not_required");
	if (dry_run->is_for_owner)
		json_put_string(writer, "approval_reason",
				failure_words(dry_run->needs_owner.failure)->code);
	if (repeats)
		json_put_integer(writer, "repeats_message_id", dry_run->first.id);
	dry_run_write_refusals(writer, dry_run);
	json_close_object(writer);
}

/* NULL if memory runs out. So for all functions here that return text. */
/* Returns " rate_limited, quiet_hours"; the JSON has their messages. */
static const char *dry_run_format_refusals(const struct dry_run *dry_run)
{
	struct arena *arena = dry_run->order->call->arena;
	const char *text = "";

	for (size_t i = 0; text && i < dry_run->refusal_count; i++)
		text = arena_printf(arena, "%s%s %s", text, i ? "," : "",
				    failure_words(dry_run->refusals[i].failure)->code);
	return text;
}

static const char *dry_run_format_size(const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;
	const struct segments *segments = &order->segments;
	struct arena *arena = order->call->arena;
	const char *why = "";

	if (segments->count > 1 && segments->culprit)
		why = arena_printf(
			arena, "; %s is the first character outside the GSM alphabet",
			segments_name_character(arena, order->text, segments->culprit));
	if (!why)
		return NULL;
	return arena_printf(arena, "%u segment%s in %s (%u unit%s, %u left%s)",
			    segments->count, segments->count == 1 ? "" : "s",
			    segments_encoding_name(segments->encoding), segments->units,
			    segments->units == 1 ? "" : "s", segments->room, why);
}

static const char *dry_run_format_character(const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;
	uint32_t character = sms_order_risky_character(order);

	if (!character)
		return "";
	return arena_printf(
		order->call->arena,
		" oFono may be unable to encode the character %s and would then refuse it.",
		segments_name_character(order->call->arena, order->text, character));
}

static const char *dry_run_format_approval(const struct dry_run *dry_run)
{
	const struct tool_call *call = dry_run->order->call;

	if (!dry_run_needs_approval(dry_run))
		return "";
	if (dry_run->is_for_owner)
		return arena_printf(
			call->arena, " It would wait for the owner's approval first: %s",
			dry_run->needs_owner.message ? dry_run->needs_owner.message : "");
	return user_question_can_ask(call)
		       ? " Your user would be asked to approve it first."
		       : " It would wait for the owner's approval first.";
}

static const char *dry_run_format_wait(const struct dry_run *dry_run)
{
	struct arena *arena = dry_run->order->call->arena;
	char time[CLOCK_TEXT_BYTES];

	if (dry_run->queued)
		return arena_printf(arena,
				    " %u message%s of this SIM would be sent before it.",
				    dry_run->queued, dry_run->queued == 1 ? "" : "s");
	if (!dry_run->sim_free_ms)
		return "";
	clock_format(dry_run->sim_free_ms, time);
	return arena_printf(
		arena,
		" It would wait in the gateway until %s, because this SIM has sent all "
		"that the owner's limits allow for now.",
		time);
}

static const char *dry_run_format(const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;
	struct arena *arena = order->call->arena;
	const char *size = dry_run_format_size(dry_run);
	const char *character = dry_run_format_character(dry_run);
	const char *refusals = dry_run_format_refusals(dry_run);
	const char *approval = dry_run_format_approval(dry_run);
	const char *wait = dry_run_format_wait(dry_run);

	if (!size || !character || !refusals || !approval || !wait)
		return NULL;
	if (dry_run->refusal_count)
		return arena_printf(arena,
				    "Dry run, nothing was sent: it would be refused "
				    "(see refusals):%s. The text takes %s.%s",
				    refusals, size, character);
	if (dry_run->repeat != POLICY_REPEAT_NONE)
		return arena_printf(arena,
				    "Dry run, nothing was sent: it would not be sent "
				    "again, because it repeats message %lld (%s).",
				    (long long)dry_run->first.id,
				    message_state_name(dry_run->first.state));
	return arena_printf(arena,
			    "Dry run, nothing was sent: the SMS to %s would be sent from "
			    "the SIM with subscription_id %lld as %s.%s%s%s",
			    order->recipient, (long long)order->sim_id, size, character,
			    approval, wait);
}

void dry_run_answer(struct sms_order *order)
{
	struct dry_run dry_run = { .order = order };
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	dry_run_check_all(&dry_run);
	if (writer) {
		dry_run_write(writer, &dry_run);
		json_writer_free(writer);
	}
	tool_call_succeed(order->call, dry_run_format(&dry_run), &structured, true);
}
