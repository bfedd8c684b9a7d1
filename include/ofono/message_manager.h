/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.MessageManager: handing messages to oFono, and asking what it still holds.
 *
 * oFono queues a message and answers at once; what became of it arrives as MESSAGE_STATE.
 * The answer to SendMessage always precedes the events of that message.
 */
#ifndef OFONO_MESSAGE_MANAGER_H
#define OFONO_MESSAGE_MANAGER_H

#include <stddef.h>

#include "ofono/modem.h"
#include "ofono/ofono.h"

enum send_outcome {
	SEND_ACCEPTED,	 /* in oFono's queue, under a UUID */
	SEND_REFUSED,	 /* oFono will never send it: .error tells why */
	SEND_NOT_HANDED, /* it certainly did not reach oFono: may be handed over again */
	SEND_UNKNOWN,	 /* nobody knows: must never be handed over again */
};

struct send_result {
	enum send_outcome outcome;
	char uuid[MESSAGE_UUID_BYTES]; /* SEND_ACCEPTED */
	const char *error; /* D-Bus error name, else NULL; for the callback only */
};

struct message_send; /* a SendMessage under way */

/*
 * No timeout: a late answer is still an answer. The callback follows the rules of bus_call():
 * exactly once, later, not after message_send_cancel(). When the modem or oFono goes away
 * meanwhile the callback still runs. `number` and `text` are valid UTF-8.
 * NULL: no memory, or not UTF-8; nothing was handed over.
 *
 * Every message_send and message_listing has ended or is cancelled before ofono_free().
 */
struct message_send *message_send(
	struct modem *modem, const char *number, const char *text,
	void (*done)(void *data, const struct send_result *result), void *data);
/* Stop listening; the message may go out all the same. NULL is fine. */
void message_send_cancel(struct message_send *send);

struct message_listing; /* a GetMessages under way */

/*
 * UUIDs that oFono still holds for this modem. `uuids` is NULL when it could not tell.
 * Same rules for the callback.
 */
struct message_listing *message_list(struct modem *modem,
				     void (*done)(void *data,
						  char (*uuids)[MESSAGE_UUID_BYTES],
						  size_t count),
				     void *data);
void message_listing_cancel(struct message_listing *listing); /* NULL is fine */

#endif
