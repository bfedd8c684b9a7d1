/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/dry_run.h"

#include <stdio.h>

#include "base/buffer.h"
#include "tools/approval.h"
#include "tools/message_view.h"

enum { REFUSALS_MAX = 32 }; /* there are fewer rules and checks */

const struct schema_field dry_run_refusal_fields[] = {
	{ "code", SCHEMA_STRING, true, "As an error of send_sms has it" },
	{ "message", SCHEMA_STRING, true, "What is wrong" },
	{ "fix", SCHEMA_STRING, true, "What to do" },
	{ 0 },
};

struct dry_run {
	struct sms_order *order;
	struct refusal refusals[REFUSALS_MAX];
	size_t refusal_count;
	enum policy_repeat repeat;
	struct message first; /* when it is a repeat */
};

static void note(struct dry_run *dry_run, const struct refusal *refusal)
{
	if (dry_run->refusal_count < REFUSALS_MAX)
		dry_run->refusals[dry_run->refusal_count++] = *refusal;
}

static void run_checks(struct dry_run *dry_run, const sms_order_check *checks)
{
	struct refusal refusal;

	for (; *checks; checks++) {
		if (!(*checks)(dry_run->order, &refusal))
			note(dry_run, &refusal);
	}
}

static void hear(void *data, const struct verdict *verdict)
{
	struct dry_run *dry_run = data;
	const struct refusal refusal = { verdict->failure, verdict->message };

	if (verdict->repeat == POLICY_REPEAT_NONE) {
		note(dry_run, &refusal);
		return;
	}
	dry_run->repeat = verdict->repeat;
	dry_run->first = verdict->first;
}

/* The SIM first, for much of the policy is about it; told in the order of send_sms. */
static void run_all(struct dry_run *dry_run)
{
	struct sms_order *order = dry_run->order;
	const struct services *services = order->call->services;
	struct policy_request request;
	struct refusal refusal;
	bool chosen = (*sms_order_sim_checks)(order, &refusal);

	run_checks(dry_run, sms_order_form_checks);
	request = sms_order_request(order);
	policy_check_all(services->policy, &request, hear, dry_run);
	run_checks(dry_run, sms_order_acceptance_checks);
	if (!chosen)
		note(dry_run, &refusal);
}

static bool would_send(const struct dry_run *dry_run)
{
	return dry_run->refusal_count == 0 && dry_run->repeat == POLICY_REPEAT_NONE;
}

static void write_refusals(struct json_writer *writer, const struct dry_run *dry_run)
{
	json_key(writer, "refusals");
	json_open_array(writer);
	for (size_t i = 0; i < dry_run->refusal_count; i++) {
		const struct refusal *refusal = &dry_run->refusals[i];

		json_open_object(writer);
		json_put_string(writer, "code", failure_words(refusal->failure)->code);
		json_put_string(writer, "message",
				refusal->message ? refusal->message : "");
		json_put_string(writer, "fix", failure_words(refusal->failure)->fix);
		json_close_object(writer);
	}
	json_close_array(writer);
}

static void write_risky_character(struct json_writer *writer,
				  const struct sms_order *order)
{
	uint32_t character = sms_order_risky_character(order);
	char name[sizeof("U+10FFFF")];

	if (!character)
		return;
	snprintf(name, sizeof(name), "U+%04X", (unsigned)character & 0x1fffff);
	json_put_string(writer, "risky_character", name);
}

static void write_members(struct json_writer *writer, const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;

	json_put_boolean(writer, "dry_run", true);
	json_put_boolean(writer, "would_send", would_send(dry_run));
	if (*order->number)
		json_put_string(writer, "to_phone_number", order->number);
	if (order->sim_id)
		json_put_integer(writer, "subscription_id", order->sim_id);
	json_put_integer(writer, "segments", order->segments.count);
	json_put_string(writer, "encoding",
			segments_encoding_name(order->segments.encoding));
	json_put_integer(writer, "units", order->segments.units);
	json_put_integer(writer, "units_left", order->segments.room);
	write_risky_character(writer, order);
	if (order->send_at_ms)
		message_view_put_time(writer, "send_at", order->send_at_ms);
	if (order->expires_at_ms)
		message_view_put_time(writer, "expires_at", order->expires_at_ms);
	if (*order->number)
		json_put_string(
			writer, "approval",
			approval_is_needed(order->call, order->sim_id, order->number)
				? "required"
				: "not_required");
	if (dry_run->repeat != POLICY_REPEAT_NONE)
		json_put_integer(writer, "repeats_message_id", dry_run->first.id);
	write_refusals(writer, dry_run);
}

static const char *say_refusals(const struct dry_run *dry_run)
{
	struct arena *arena = dry_run->order->call->arena;
	const char *text = "";

	for (size_t i = 0; text && i < dry_run->refusal_count; i++) {
		const struct refusal *refusal = &dry_run->refusals[i];

		text = arena_printf(arena, "%s %s: %s %s", text,
				    failure_words(refusal->failure)->code,
				    refusal->message ? refusal->message : "",
				    failure_words(refusal->failure)->fix);
	}
	return text;
}

static const char *say_size(const struct dry_run *dry_run)
{
	const struct segments *segments = &dry_run->order->segments;

	return arena_printf(dry_run->order->call->arena,
			    "%u segment%s in %s (%u unit%s, %u left)", segments->count,
			    segments->count == 1 ? "" : "s",
			    segments_encoding_name(segments->encoding), segments->units,
			    segments->units == 1 ? "" : "s", segments->room);
}

static const char *say_character(const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;
	uint32_t character = sms_order_risky_character(order);

	if (!character)
		return "";
	return arena_printf(
		order->call->arena,
		" oFono may not be able to encode the character %s and "
		"refuse it then.",
		segments_name_character(order->call->arena, order->text, character));
}

static const char *say_approval(const struct sms_order *order)
{
	if (!approval_is_needed(order->call, order->sim_id, order->number))
		return "";
	return approval_may_ask(order->call)
		       ? " Your person would be asked for a yes first."
		       : " It would wait for the owner's yes first.";
}

static const char *say(const struct dry_run *dry_run)
{
	const struct sms_order *order = dry_run->order;
	struct arena *arena = order->call->arena;
	const char *size = say_size(dry_run);
	const char *character = say_character(dry_run);
	const char *refusals = say_refusals(dry_run);

	if (!size || !character || !refusals)
		return NULL;
	if (dry_run->refusal_count)
		return arena_printf(arena,
				    "Dry run, nothing was sent: it would be refused. The "
				    "text takes %s.%s%s",
				    size, character, refusals);
	if (dry_run->repeat != POLICY_REPEAT_NONE)
		return arena_printf(arena,
				    "Dry run, nothing was sent: it would not be sent "
				    "again, because it repeats message %lld (%s).",
				    (long long)dry_run->first.id,
				    message_state_name(dry_run->first.state));
	return arena_printf(arena,
			    "Dry run, nothing was sent: the SMS to %s would go out from "
			    "the SIM with subscription_id %lld as %s.%s%s",
			    order->recipient, (long long)order->sim_id, size, character,
			    say_approval(order));
}

void dry_run_answer(struct sms_order *order)
{
	struct dry_run dry_run = { .order = order };
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	run_all(&dry_run);
	if (writer) {
		json_open_object(writer);
		write_members(writer, &dry_run);
		json_close_object(writer);
		json_writer_free(writer);
	} else {
		structured.failed = true;
	}
	tool_call_succeed(order->call, say(&dry_run), &structured, true);
}
