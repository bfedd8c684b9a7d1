/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Supplementary services: USSD, a code that is dialled to the network, its answer, and the
 * replies that it asks for.
 *
 * The same call of oFono executes MMI codes, call forwarding among them: whoever calls has
 * looked at the code before (config/ussd_code.h). Nothing is ever tried again. Neither codes,
 * replies nor answers are logged.
 *
 * What the network begins by itself is told as USSD_NOTIFIED and USSD_REQUESTED
 * (ofono/ofono.h); whether a reply is asked for is modem.ussd_state.
 *
 * Source: oFono doc/supplementaryservices-api.txt.
 */
#ifndef OFONO_SUPPLEMENTARY_SERVICES_H
#define OFONO_SUPPLEMENTARY_SERVICES_H

#include "ofono/modem.h"

enum ussd_outcome {
	USSD_ANSWERED,	     /* .text; a reply may be asked for, see ussd_is_asked() */
	USSD_EXECUTED,	     /* oFono took it for an MMI code, and obeyed */
	USSD_BUSY,	     /* not done: oFono is at another code */
	USSD_NOT_RECOGNIZED, /* not done: it is no code */
	USSD_NOT_SUPPORTED,  /* the network or the modem knows no such code */
	USSD_NOT_ACTIVE,     /* not done: no reply is asked for */
	USSD_TERMINATED,     /* the network ended it */
	USSD_TIMED_OUT,	     /* the network gave up */
	USSD_NOT_ALLOWED,    /* not done: the bus's policy */
	USSD_NOT_HANDED,     /* not done: oFono was not reached */
	USSD_FAILED,  /* oFono or the network refused, for no reason that it told */
	USSD_UNKNOWN, /* no answer; it may have been done */
};

struct ussd_result {
	enum ussd_outcome outcome;
	const char *text; /* USSD_ANSWERED; else NULL */
};

struct ussd_call; /* under way */

/* It can be asked to dial codes. */
bool modem_has_ussd(const struct modem *modem);
/* The network waits for a reply. */
bool ussd_is_asked(const struct modem *modem);

/*
 * Dials a code, or answers what was asked; `text` is UTF-8. The callback follows the rules of
 * bus_call(): exactly once, later, not after ussd_call_stop(). No answer within `limit_ms`:
 * USSD_UNKNOWN, and the network may still be at it. NULL: no memory, nothing was done.
 * Every call has ended or is stopped before its modem goes.
 */
struct ussd_call *ussd_initiate(struct modem *modem, const char *code, int limit_ms,
				void (*done)(void *data,
					     const struct ussd_result *result),
				void *data);
struct ussd_call *ussd_respond(struct modem *modem, const char *reply, int limit_ms,
			       void (*done)(void *data, const struct ussd_result *result),
			       void *data);
/* Stop listening; the network goes on. NULL is fine. */
void ussd_call_stop(struct ussd_call *call);

/* The modem gives up what it is at with the network; nobody hears whether it did. */
void ussd_cancel(struct modem *modem);

#endif
