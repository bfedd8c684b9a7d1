/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sms_repeat.h"

#include <string.h>

#include "base/timestamp.h"
#include "sms/store_outgoing.h"

enum { MS_PER_SECOND = 1000 };

static bool refuse_key(const struct sms_order *order, const struct message *message,
		       struct refusal *refusal_out)
{
	refusal_out->failure = FAILURE_KEY_TAKEN;
	refusal_out->message = arena_printf(
		order->call->arena,
		"This idempotency_key stands for message %lld already, which has another "
		"%s.",
		(long long)message->id,
		strcmp(message->number, order->number) != 0 ? "number" : "text");
	return false;
}

static int find_by_key(const struct sms_order *order, struct message *message_out)
{
	const struct services *services = order->call->services;
	struct message_draft draft = sms_order_draft(order);

	return store_outgoing_by_key(services->store, draft.client_id,
				     draft.idempotency_key, order->call->arena,
				     message_out);
}

/* A time that is over by now was not when it was asked for the first time. */
static int find_same(const struct sms_order *order, struct message *message_out)
{
	const struct services *services = order->call->services;
	struct message_draft draft = sms_order_draft(order);
	int64_t seconds = services->config->duplicate_seconds;

	if (seconds == 0)
		return STORE_E_NOT_FOUND;
	if (order->send_at && !timestamp_parse(order->send_at, &draft.send_at_ms))
		return STORE_E_NOT_FOUND;
	return store_outgoing_same(services->store, &draft, seconds * MS_PER_SECOND,
				   order->call->arena, message_out);
}

bool sms_repeat_find(const struct sms_order *order, enum sms_repeat *repeat_out,
		     struct message *message_out, struct refusal *refusal_out)
{
	const char *key = order->idempotency_key;
	int error = key ? find_by_key(order, message_out) : STORE_E_NOT_FOUND;
	bool found = key && !error;

	*repeat_out = REPEAT_NONE;
	if (error == STORE_E_NOT_FOUND && (!key || order->key_is_ours))
		error = find_same(order, message_out);
	if (error == STORE_E_NOT_FOUND)
		return true;
	if (error) {
		*refusal_out = (struct refusal){ FAILURE_INTERNAL,
						 "The messages could not be read." };
		return false;
	}
	if (found && (strcmp(message_out->number, order->number) != 0 ||
		      strcmp(message_out->text, order->text) != 0))
		return refuse_key(order, message_out, refusal_out);
	*repeat_out = found ? REPEAT_KEY : REPEAT_SAME;
	return true;
}
