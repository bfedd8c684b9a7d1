/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voice dial: a call that is placed, and the end of one.
 *
 * oFono would put a call that goes on on hold, and dials emergency numbers: whoever calls has
 * looked at the number before. So it is asked for its calls first, and dials only when there
 * is none. Nothing is ever tried again. Numbers are not logged.
 *
 * Source: oFono doc/voicecallmanager-api.txt, doc/voicecall-api.txt.
 */
#ifndef OFONO_VOICE_DIAL_H
#define OFONO_VOICE_DIAL_H

#include "ofono/modem.h"

enum dial_outcome {
	DIAL_PLACED,	    /* .path */
	DIAL_OTHER_CALL,    /* not done: there is a call on that modem */
	DIAL_REFUSED,	    /* not done: oFono or the modem would not */
	DIAL_NOT_SUPPORTED, /* not done: the modem cannot place calls now */
	DIAL_NOT_ALLOWED,   /* not done: the bus's policy */
	DIAL_NOT_HANDED,    /* not done: oFono was not reached */
	DIAL_UNKNOWN,	    /* no answer; it may have been done */
};

struct dial_result {
	enum dial_outcome outcome;
	const char *path; /* of the call, DIAL_PLACED; else NULL */
};

/* What oFono says of one of its calls; texts live during the callback. */
struct voice_call {
	const char *path;
	const char *state;  /* "active"; "" unknown */
	const char *number; /* "" unknown */
};

struct voice_dial;    /* under way */
struct voice_listing; /* likewise */

/* It can be asked to place calls. */
bool modem_has_calls(const struct modem *modem);

/*
 * Calls `number`, of at most 31 letters: digits and perhaps "+" before them. The callback
 * follows the rules of bus_call(): exactly once, later, not after voice_dial_stop(). No answer
 * to Dial within `limit_ms`: DIAL_UNKNOWN. NULL: no memory, nothing was done. Every dial has
 * ended or is stopped before its modem goes.
 */
struct voice_dial *voice_dial(struct modem *modem, const char *number, int limit_ms,
			      void (*done)(void *data, const struct dial_result *result),
			      void *data);
/* Stop listening; what was asked of oFono goes on. NULL is fine. */
void voice_dial_stop(struct voice_dial *dial);

/* The call at this path ends; nobody hears here whether it did: its signals tell. */
void voice_hang_up(struct modem *modem, const char *path);

/* Each call of the modem is `found`, then all are, with NULL, also when it cannot be told. */
struct voice_listing *voice_list(struct modem *modem,
				 void (*found)(void *data, const struct voice_call *call),
				 void *data);
void voice_listing_stop(struct voice_listing *listing); /* NULL is fine */

#endif
