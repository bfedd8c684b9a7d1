/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message: submits a message to oFono, lists the messages that oFono still holds, and cancels
 * one.
 *
 * oFono queues a message and answers at once; the outcome arrives later as MESSAGE_STATE
 * (ofono/ofono.h). The answer to SendMessage always precedes the events of that message, and
 * MESSAGE_STATE always precedes the answer to the cancel that caused it.
 *
 * All callbacks follow the rules of bus_call(): exactly once, later, not after the call was
 * stopped. They run also when the modem or oFono goes away meanwhile. Each call has ended or
 * is stopped before ofono_free().
 */
#pragma once

#include <stddef.h>

#include "ofono/modem.h"
#include "ofono/ofono.h"

/* What to send or to cancel; oFono needs only number and text, or the UUID. */
struct message_order {
	/* The message's ID in our store, and from 1 how often a radio was to send it: a message
	 * that was taken back from one gets the next attempt. With the same two, a radio that
	 * ofono_sends_again_safely() sends the message once. */
	int64_t id;
	unsigned attempt;
	int64_t epoch; /* of the radio's memory, for which the attempt was made; 0: not known */
	bool is_repeat;	    /* this attempt was submitted before, without an answer */
	const char *number; /* valid UTF-8, like `text`; not to cancel */
	const char *text;
	const char *uuid;   /* to cancel; "" not known */
	int64_t expires_ms; /* wall clock: not sent after; 0 for never */
	const char *
		/* the client that asked for it, for an audit log; NULL if there is none */
		on_behalf;
};

enum message_send_outcome {
	SEND_ACCEPTED,	    /* in oFono's queue, with a UUID */
	SEND_REFUSED,	    /* oFono will never send it; see .error */
	SEND_NOT_SUBMITTED, /* it certainly did not reach oFono: may be submitted again */
	SEND_UNKNOWN,	    /* oFono may have it: must never be submitted again */
	/* only of radios that send again safely */
	SEND_NOT_HERE, /* refused for now, and not kept; .error is the code of a failure */
	SEND_FOUND, /* it accepted this attempt before, with a UUID, and is to be asked about it */
	SEND_FORGOTTEN, /* a repeat, but the radio's memory was replaced since the first try */
};

struct message_send_result {
	enum message_send_outcome outcome;
	char uuid[MESSAGE_UUID_BYTES]; /* SEND_ACCEPTED, SEND_FOUND */
	/* D-Bus error name or code of a failure, else NULL; valid during the callback */
	const char *error;
};

struct message_send; /* a SendMessage call in progress */

/*
 * It has no timeout: a late answer still counts. `order` is needed during the call only. Returns
 * NULL, and submits nothing, if memory runs out or the text is not UTF-8.
 */
struct message_send *message_send(struct modem *modem, const struct message_order *order,
				  void (*done)(void *data,
					       const struct message_send_result *result),
				  void *data);
/* After this the callback does not run; oFono may send the message all the same. NULL is fine. */
void message_send_cancel(struct message_send *send);

struct message_listing; /* a GetMessages call in progress */

/*
 * Returns the UUIDs that oFono holds for this modem. `uuids` is NULL when oFono did not answer. A radio
 * that sends again safely is asked for `order` alone: it returns the UUID if it knows the message, and
 * then reports the state.
 */
struct message_listing *message_list(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count),
	void *data);
void message_listing_cancel(struct message_listing *listing); /* NULL is fine */

enum message_cancel_outcome {
	CANCEL_DONE,	  /* oFono has dropped it; no segment went out */
	CANCEL_REFUSED,	  /* it is being sent, a segment is out, or it is finished */
	CANCEL_NOT_THERE, /* oFono does not hold it (any more) */
	CANCEL_NOT_ASKED, /* oFono was not reached: nothing is cancelled */
	CANCEL_UNKNOWN,	  /* no answer: it may be cancelled */
	CANCEL_FORGOTTEN, /* the radio's memory was replaced: nobody knows whether it was sent */
};

struct message_cancel; /* GetMessages, then Cancel, in progress */

/*
 * Finds the message in GetMessages by its UUID, then cancels it. A radio that sends again safely
 * finds it by ID and attempt, and after CANCEL_DONE it will never send this attempt, even if it did
 * not know the message. Returns NULL if memory runs out.
 */
struct message_cancel *message_cancel(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, enum message_cancel_outcome outcome), void *data);
/* After this the callback does not run; oFono may cancel it all the same. NULL is fine. */
void message_cancel_stop(struct message_cancel *cancel);

/*
 * Writes the UUID in the object path of a message: what follows "/message_", cut to fit. Returns
 * false if it is empty, which would look like a message that has no UUID yet.
 */
bool message_uuid(const char *path, char uuid[MESSAGE_UUID_BYTES]);
