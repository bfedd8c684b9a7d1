/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks run in three steps. Form: is it a message at all? Then the policy looks at it, which
 * also finds the message that a call only repeats. Acceptance: could it be accepted now? So a
 * repeated call is answered with its first message even when send_at has passed meanwhile or
 * the disk is full. The SIM comes last in send_sms, because the user may have to be asked.
 */
#include "tools/sms_order.h"

#include <string.h>

#include "base/clock.h"
#include "config/config.h"
#include "mcp/elicitation.h"
#include "sms/outbox_approval.h"
#include "tools/argument.h"
#include "tools/sim_choice.h"

enum { SMS_ORDER_MS_PER_SECOND = 1000 };

const char *const sms_order_wait_words[] = {
	[ORDER_WAIT_NONE] = "none",
	[ORDER_WAIT_SENT] = "sent",
	[ORDER_WAIT_DELIVERED] = "delivered",
	NULL,
};

static enum sms_order_wait sms_order_read_wait(const struct tool_call *call)
{
	const char *word = argument_text(call, "wait_for");
	int wait = ORDER_WAIT_SENT;

	for (int i = 0; word && sms_order_wait_words[i]; i++) {
		if (strcmp(sms_order_wait_words[i], word) == 0)
			wait = i;
	}
	return (enum sms_order_wait)wait;
}

void sms_order_read(struct sms_order *order, struct tool_call *call)
{
	*order = (struct sms_order){
		.call = call,
		.recipient = argument_text(call, "to_phone_number"),
		.text = argument_text(call, "sms_text"),
		.idempotency_key = argument_text(call, "idempotency_key"),
		.send_at = argument_text(call, "send_at"),
		.wait_for = sms_order_read_wait(call),
		.wait_seconds = argument_integer(
			call, "wait_seconds", call->services->config->send_wait_seconds),
		.dry_run = argument_boolean(call, "dry_run"),
	};
	phone_number_parse(order->recipient, order->number);
	segments_measure(order->text, &order->segments);
	if (!order->idempotency_key && elicitation_order(call)) {
		order->idempotency_key = elicitation_order(call);
		order->key_is_ours = true;
	}
}

static bool sms_order_refuse(struct refusal *refusal_out, enum failure failure,
			     const char *message)
{
	*refusal_out = (struct refusal){ failure, message };
	return false;
}

static bool sms_order_refuse_time(struct sms_order *order, struct refusal *refusal_out,
				  const char *flaw)
{
	char now[CLOCK_TEXT_BYTES];

	clock_format(clock_wall_ms(), now);
	return sms_order_refuse(refusal_out, FAILURE_INVALID_ARGUMENTS,
				arena_printf(order->call->arena,
					     "send_at %s; it is %s by the phone's clock.",
					     flaw, now));
}

static bool sms_order_check_text(struct sms_order *order, struct refusal *refusal_out)
{
	if (*order->text)
		return true;
	return sms_order_refuse(refusal_out, FAILURE_INVALID_TEXT, "sms_text is empty.");
}

static bool sms_order_parse_time(struct sms_order *order, struct refusal *refusal_out)
{
	if (!order->send_at || clock_parse(order->send_at, &order->send_at_ms))
		return true;
	return sms_order_refuse_time(order, refusal_out,
				     "must be an RFC 3339 time with UTC offset, for "
				     "example 2026-11-21T08:30:00+01:00");
}

const sms_order_check sms_order_form_checks[] = { sms_order_check_text,
						  sms_order_parse_time, NULL };

static bool sms_order_check_time(struct sms_order *order, struct refusal *refusal_out)
{
	int64_t now_ms = clock_wall_ms();

	if (!order->send_at_ms)
		return true;
	if (order->send_at_ms <= now_ms)
		return sms_order_refuse_time(order, refusal_out,
					     "has passed, so nothing was scheduled");
	if (order->send_at_ms - now_ms > (int64_t)ORDER_AHEAD_DAYS * CLOCK_MS_PER_DAY)
		return sms_order_refuse_time(order, refusal_out,
					     "is more than 30 days ahead");
	return true;
}

/* Counts from the time at which it is to be sent. The schema has checked the bounds. */
static bool sms_order_set_expiry(struct sms_order *order, struct refusal *refusal_out)
{
	int64_t seconds = argument_integer(order->call, "valid_for_seconds", 0);
	int64_t from_ms = order->send_at_ms ? order->send_at_ms : clock_wall_ms();

	(void)refusal_out;
	order->expires_at_ms = seconds ? from_ms + seconds * SMS_ORDER_MS_PER_SECOND : 0;
	return true;
}

static bool sms_order_check_storage(struct sms_order *order, struct refusal *refusal_out)
{
	const struct services *services = order->call->services;
	const char *trouble;

	if (outbox_has_storage(services->outbox))
		return true;
	trouble = store_trouble(services->store);
	if (trouble)
		return sms_order_refuse(refusal_out, FAILURE_INTERNAL, trouble);
	return sms_order_refuse(
		refusal_out, FAILURE_STORAGE_FULL,
		arena_printf(order->call->arena,
			     "Less than %lld MiB are free on the phone's storage, which "
			     "are reserved for incoming messages.",
			     (long long)services->config->reserve_mib));
}

const sms_order_check sms_order_acceptance_checks[] = { sms_order_check_time,
							sms_order_set_expiry,
							sms_order_check_storage, NULL };

static bool sms_order_choose_sim(struct sms_order *order, struct refusal *refusal_out)
{
	return sim_choice_make(order->call, order->send_at != NULL, &order->sim_id,
			       refusal_out);
}

const sms_order_check sms_order_sim_checks[] = { sms_order_choose_sim, NULL };

bool sms_order_pass(struct sms_order *order, const sms_order_check *checks)
{
	struct refusal refusal;

	for (; *checks; checks++) {
		if ((*checks)(order, &refusal))
			continue;
		tool_failure_answer_with(order->call, &refusal, NULL, NULL);
		return false;
	}
	return true;
}

uint32_t sms_order_risky_character(const struct sms_order *order)
{
	uint32_t character = order->segments.unsendable;
	bool is_emoji = character > 0xffff;

	return is_emoji && ofono_sends_emoji(order->call->services->ofono) ? 0
									   : character;
}

struct policy_request sms_order_request(const struct sms_order *order)
{
	int64_t named = argument_integer(order->call, "subscription_id", 0);

	if (!sims_knows(order->call->services->sims, named))
		named = 0;
	return (struct policy_request){
		.arena = order->call->arena,
		.client = order->call->client,
		.number = order->recipient,
		.text = order->text,
		.segments = order->segments.count,
		.sim_id = order->sim_id ? order->sim_id : named,
		.send_at_ms = order->send_at_ms,
		.idempotency_key = order->idempotency_key,
		.key_is_ours = order->key_is_ours,
	};
}

struct store_message_draft sms_order_draft(const struct sms_order *order)
{
	struct store_message_draft draft = {
		.sim_id = order->sim_id,
		.client_id = order->call->client->id,
		.number = order->number,
		.text = order->text,
		.segments = order->segments.count,
		.state = order->approval == ORDER_APPROVAL_AWAITED
				 ? STATE_WAITING_APPROVAL
			 : order->send_at_ms ? STATE_SCHEDULED
					     : STATE_QUEUED,
		.idempotency_key = order->idempotency_key,
		.send_at_ms = order->send_at_ms,
		.expires_at_ms = order->expires_at_ms,
		.created_ms = clock_wall_ms(),
	};

	if (order->approval == ORDER_APPROVAL_GIVEN) {
		draft.reason = outbox_approval_by_user;
		draft.expires_at_ms = outbox_approval_expiry(
			draft.created_ms, draft.send_at_ms, draft.expires_at_ms);
	}
	return draft;
}
