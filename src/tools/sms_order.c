/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sms_order.h"

#include <string.h>

#include "base/clock.h"
#include "config/config.h"
#include "mcp/elicitation.h"
#include "sms/outbox_approval.h"
#include "tools/argument.h"
#include "tools/sim_choice.h"

enum { MS_PER_SECOND = 1000 };

const char *const order_wait_words[] = {
	[ORDER_WAIT_NONE] = "none",
	[ORDER_WAIT_SENT] = "sent",
	[ORDER_WAIT_DELIVERED] = "delivered",
	NULL,
};

static enum order_wait read_wait_for(const struct tool_call *call)
{
	const char *word = argument_text(call, "wait_for");
	int wait = ORDER_WAIT_SENT;

	for (int i = 0; word && order_wait_words[i]; i++) {
		if (strcmp(order_wait_words[i], word) == 0)
			wait = i;
	}
	return (enum order_wait)wait;
}

void sms_order_read(struct sms_order *order, struct tool_call *call)
{
	const struct services *services = call->services;

	*order = (struct sms_order){
		.call = call,
		.recipient = argument_text(call, "to_phone_number"),
		.text = argument_text(call, "sms_text"),
		.idempotency_key = argument_text(call, "idempotency_key"),
		.send_at = argument_text(call, "send_at"),
		.wait_for = read_wait_for(call),
		.wait_seconds = argument_integer(call, "wait_seconds",
						 services->config->send_wait_seconds),
		.dry_run = argument_boolean(call, "dry_run"),
	};
	phone_number_parse(order->recipient, order->number);
	segments_measure(order->text, &order->segments);
	if (!order->idempotency_key && elicitation_order(call)) {
		order->idempotency_key = elicitation_order(call);
		order->key_is_ours = true;
	}
}

static bool refuse(struct refusal *refusal_out, enum failure failure, const char *message)
{
	*refusal_out = (struct refusal){ failure, message };
	return false;
}

static bool check_text(struct sms_order *order, struct refusal *refusal_out)
{
	if (*order->text)
		return true;
	return refuse(refusal_out, FAILURE_INVALID_TEXT, "sms_text is empty.");
}

static bool refuse_time(struct sms_order *order, struct refusal *refusal_out,
			const char *flaw)
{
	char now[CLOCK_TEXT_BYTES];

	clock_format(clock_wall_ms(), now);
	return refuse(refusal_out, FAILURE_INVALID_ARGUMENTS,
		      arena_printf(order->call->arena,
				   "send_at %s; it is %s by the phone's clock.", flaw,
				   now));
}

/* A time that is over is not refused before the policy has looked for a repeat. */
static bool read_send_at(struct sms_order *order, struct refusal *refusal_out)
{
	if (!order->send_at || clock_parse(order->send_at, &order->send_at_ms))
		return true;
	return refuse_time(order, refusal_out,
			   "must be a time with its offset from UTC as RFC 3339 "
			   "has it, for example 2026-11-21T08:30:00+01:00");
}

static bool check_send_at(struct sms_order *order, struct refusal *refusal_out)
{
	int64_t now_ms = clock_wall_ms();

	if (!order->send_at_ms)
		return true;
	if (order->send_at_ms <= now_ms)
		return refuse_time(order, refusal_out,
				   "is over already, so nothing was scheduled");
	if (order->send_at_ms - now_ms >
	    (int64_t)ORDER_AHEAD_DAYS * 24 * 60 * 60 * MS_PER_SECOND)
		return refuse_time(order, refusal_out, "is more than 30 days ahead");
	return true;
}

/* The validity counts from the moment at which it is to go out. */
static bool check_validity(struct sms_order *order, struct refusal *refusal_out)
{
	int64_t seconds = argument_integer(order->call, "valid_for_seconds", 0);
	int64_t from_ms = order->send_at_ms ? order->send_at_ms : clock_wall_ms();

	(void)refusal_out; /* its bounds are the schema's */
	order->expires_at_ms = seconds ? from_ms + seconds * MS_PER_SECOND : 0;
	return true;
}

static bool check_sim(struct sms_order *order, struct refusal *refusal_out)
{
	return sim_choice(order->call, order->send_at != NULL, &order->sim_id,
			  refusal_out);
}

static bool check_storage(struct sms_order *order, struct refusal *refusal_out)
{
	const struct services *services = order->call->services;
	const char *trouble;

	if (outbox_has_storage(services->outbox))
		return true;
	trouble = store_trouble(services->store);
	if (trouble)
		return refuse(refusal_out, FAILURE_INTERNAL, trouble);
	return refuse(refusal_out, FAILURE_STORAGE_FULL,
		      arena_printf(order->call->arena,
				   "Less than %lld MiB are left on the phone's storage, "
				   "which are reserved for messages that come in.",
				   (long long)services->config->reserve_mib));
}

const sms_order_check sms_order_form_checks[] = { check_text, read_send_at, NULL };

const sms_order_check sms_order_acceptance_checks[] = { check_send_at, check_validity,
							check_storage, NULL };

const sms_order_check sms_order_sim_checks[] = { check_sim, NULL };

struct policy_request sms_order_request(const struct sms_order *order)
{
	const struct services *services = order->call->services;
	int64_t given = argument_integer(order->call, "subscription_id", 0);

	if (!sims_is_known(services->sims, given))
		given = 0;
	return (struct policy_request){
		.arena = order->call->arena,
		.client = order->call->client,
		.number = order->recipient,
		.text = order->text,
		.segments = order->segments.count,
		.sim_id = order->sim_id ? order->sim_id : given,
		.send_at_ms = order->send_at_ms,
		.idempotency_key = order->idempotency_key,
		.key_is_ours = order->key_is_ours,
	};
}

bool sms_order_pass(struct sms_order *order, const sms_order_check *checks)
{
	struct refusal refusal;

	for (; *checks; checks++) {
		if ((*checks)(order, &refusal))
			continue;
		failure_answer_with(order->call, &refusal, NULL, NULL);
		return false;
	}
	return true;
}

static enum message_state first_state(const struct sms_order *order)
{
	if (order->approval == ORDER_APPROVAL_AWAITED)
		return STATE_WAITING_APPROVAL;
	return order->send_at_ms ? STATE_SCHEDULED : STATE_QUEUED;
}

struct store_message_draft sms_order_draft(const struct sms_order *order)
{
	struct store_message_draft draft = {
		.sim_id = order->sim_id,
		.client_id = order->call->client->id,
		.number = order->number,
		.text = order->text,
		.segments = order->segments.count,
		.state = first_state(order),
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

uint32_t sms_order_risky_character(const struct sms_order *order)
{
	const struct services *services = order->call->services;
	uint32_t character = order->segments.unsendable;

	return character > 0xffff && ofono_sends_emoji(services->ofono) ? 0 : character;
}
