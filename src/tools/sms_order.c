/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sms_order.h"

#include <string.h>

#include "base/clock.h"
#include "base/shown_text.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "mcp/ask.h"
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
	if (!order->idempotency_key && ask_order(call)) {
		order->idempotency_key = ask_order(call);
		order->key_is_ours = true;
	}
}

static bool refuse(struct refusal *refusal_out, enum failure failure, const char *message)
{
	*refusal_out = (struct refusal){ failure, message };
	return false;
}

static bool check_number(struct sms_order *order, struct refusal *refusal_out)
{
	enum phone_number_problem problem =
		phone_number_parse(order->recipient, order->number);

	if (problem == PHONE_NUMBER_OK)
		return true;
	return refuse(refusal_out, FAILURE_INVALID_NUMBER,
		      arena_printf(order->call->arena, "to_phone_number %s.",
				   phone_number_problem_text(problem)));
}

static bool check_text(struct sms_order *order, struct refusal *refusal_out)
{
	segments_measure(order->text, &order->segments);
	if (*order->text)
		return true;
	return refuse(refusal_out, FAILURE_INVALID_TEXT, "sms_text is empty.");
}

const char *sms_order_name_character(const struct sms_order *order, uint32_t code)
{
	const char *end = order->text;
	const char *at = end;

	while (*end) {
		at = end;
		if (utf8_next(&end) == code)
			break;
	}
	return arena_printf(order->call->arena, "U+%04X (%s)", code,
			    shown_text_quote(order->call->arena, at, 1));
}

static int64_t units_in(enum segments_encoding encoding, int64_t segments)
{
	if (segments == 1)
		return encoding == SEGMENTS_GSM7 ? 160 : 70;
	return segments * (encoding == SEGMENTS_GSM7 ? 153 : 67);
}

static const char *explain_length(const struct sms_order *order, int64_t most)
{
	const struct segments *segments = &order->segments;
	struct arena *arena = order->call->arena;
	const char *cause = "";

	if (segments->culprit)
		cause = arena_printf(
			arena,
			" The character %s is not in the GSM alphabet; without "
			"such characters more than twice as much fits.",
			sms_order_name_character(order, segments->culprit));
	return arena_printf(
		arena,
		"The text needs %u segments, and the owner allows %lld in one "
		"message: it has %u units in %s, and %lld fit.%s",
		segments->count, (long long)most, segments->units,
		segments_encoding_name(segments->encoding),
		(long long)units_in(segments->encoding, most), cause ? cause : "");
}

static bool check_length(struct sms_order *order, struct refusal *refusal_out)
{
	const struct services *services = order->call->services;
	int64_t most = services->config->max_segments;

	if (order->segments.count <= most)
		return true;
	return refuse(refusal_out, FAILURE_TEXT_TOO_LONG, explain_length(order, most));
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

static bool check_send_at(struct sms_order *order, struct refusal *refusal_out)
{
	int64_t now_ms = clock_wall_ms(), send_at_ms;

	if (!order->send_at)
		return true;
	if (!timestamp_parse(order->send_at, &send_at_ms))
		return refuse_time(order, refusal_out,
				   "must be a time with its offset from UTC as RFC 3339 "
				   "has it, for example 2026-11-21T08:30:00+01:00");
	if (send_at_ms <= now_ms)
		return refuse_time(order, refusal_out,
				   "is over already, so nothing was scheduled");
	if (send_at_ms - now_ms >
	    (int64_t)ORDER_AHEAD_DAYS * 24 * 60 * 60 * MS_PER_SECOND)
		return refuse_time(order, refusal_out, "is more than 30 days ahead");
	order->send_at_ms = send_at_ms;
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

static bool check_queue(struct sms_order *order, struct refusal *refusal_out)
{
	const struct services *services = order->call->services;

	if (!outbox_is_full(services->outbox))
		return true;
	return refuse(refusal_out, FAILURE_QUEUE_FULL,
		      "Too many messages are waiting to be sent.");
}

static bool check_storage(struct sms_order *order, struct refusal *refusal_out)
{
	const struct services *services = order->call->services;

	if (outbox_has_storage(services->outbox))
		return true;
	if (store_is_damaged(services->store))
		return refuse(
			refusal_out, FAILURE_INTERNAL,
			"The gateway's records are damaged, so nothing is sent until "
			"it was restarted.");
	return refuse(refusal_out, FAILURE_STORAGE_FULL,
		      arena_printf(order->call->arena,
				   "Less than %lld MiB are left on the phone's storage, "
				   "which are reserved for messages that come in.",
				   (long long)services->config->reserve_mib));
}

const sms_order_check sms_order_identity_checks[] = { check_number, check_text, NULL };

const sms_order_check sms_order_acceptance_checks[] = { check_length,	check_send_at,
							check_validity, check_queue,
							check_storage,	NULL };

const sms_order_check sms_order_sim_checks[] = { check_sim, NULL };

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

struct message_draft sms_order_draft(const struct sms_order *order)
{
	return (struct message_draft){
		.sim_id = order->sim_id,
		.client_id = exchange_client(order->call->request->exchange)->id,
		.number = order->number,
		.text = order->text,
		.segments = order->segments.count,
		.state = order->send_at_ms ? STATE_SCHEDULED : STATE_QUEUED,
		.idempotency_key = order->idempotency_key,
		.send_at_ms = order->send_at_ms,
		.expires_at_ms = order->expires_at_ms,
	};
}
