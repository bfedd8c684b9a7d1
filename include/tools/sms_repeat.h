/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS repeat: the message that an order asks for a second time.
 *
 * With an idempotency_key, of the client's or of what its person was asked about, the message that this client's key stands for, whenever that
 * was. Without one, the first with the same number, text and send_at within
 * sms.duplicate_seconds that did not fail: a client that lost its connection and asks again
 * must not send twice, and one that was told of a failure must be able to try again.
 */
#ifndef TOOLS_SMS_REPEAT_H
#define TOOLS_SMS_REPEAT_H

#include "tools/sms_order.h"

enum sms_repeat {
	REPEAT_NONE,
	REPEAT_KEY,  /* "replayed" */
	REPEAT_SAME, /* "duplicate" */
};

/*
 * The order has passed its identity checks. The message lives in the call's arena. False:
 * the key stands for something else, or the store fails.
 */
bool sms_repeat_find(const struct sms_order *order, enum sms_repeat *repeat_out,
		     struct message *message_out, struct refusal *refusal_out);

#endif
