/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD call: dials a code to the network, and answers what the network asks then, through
 * org.ofono.SupplementaryServices.
 *
 * The same method of oFono executes MMI codes, call forwarding among them: the caller has
 * checked the code (config/ussd_code.h). Nothing is ever tried again. Codes, replies and
 * answers are not logged.
 *
 * Texts that the network sends unasked arrive as USSD_NOTIFIED and USSD_REQUESTED
 * (ofono/ofono.h); modem_awaits_ussd_reply() says whether the network waits for a reply.
 *
 * Source: oFono doc/supplementaryservices-api.txt.
 */
#ifndef OFONO_USSD_CALL_H
#define OFONO_USSD_CALL_H

#include "ofono/modem.h"

enum ussd_call_outcome {
	USSD_ANSWERED,	     /* .text; see modem_awaits_ussd_reply() */
	USSD_EXECUTED,	     /* oFono took it for an MMI code and executed it */
	USSD_BUSY,	     /* not done: another code is in progress */
	USSD_NOT_RECOGNIZED, /* not done: not a USSD code */
	USSD_NOT_SUPPORTED,  /* the network or the modem does not support it */
	USSD_NOT_ACTIVE,     /* not done: the network asks for no reply */
	USSD_TERMINATED,     /* the network ended the dialogue */
	USSD_TIMED_OUT,	     /* the network did not answer */
	USSD_NOT_ALLOWED,    /* not done: the D-Bus policy forbids it */
	USSD_NOT_SUBMITTED,  /* not done: oFono was not reached */
	USSD_FAILED,	     /* oFono or the network refused without a reason */
	USSD_UNKNOWN,	     /* no answer: it may have been done */
};

struct ussd_call_result {
	enum ussd_call_outcome outcome;
	const char *text; /* USSD_ANSWERED; else NULL */
};

struct ussd_call; /* a call in progress */

/*
 * Dials a code, or replies to the network; the text is UTF-8. The callback follows the rules
 * of bus_call(): exactly once, later, not after ussd_call_stop(). No answer within
 * `timeout_ms`: USSD_UNKNOWN, and the network may still work on it. NULL: no memory, nothing
 * was done. Each call has ended or is stopped before its modem disappears.
 */
struct ussd_call *ussd_call_initiate(
	struct modem *modem, const char *code, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data);
struct ussd_call *ussd_call_respond(
	struct modem *modem, const char *reply, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data);
/* The callback will not run; the dialogue goes on. NULL is fine. */
void ussd_call_stop(struct ussd_call *call);

/* The modem aborts its dialogue with the network. A failure is only logged. */
void ussd_call_cancel(struct modem *modem);

#endif
