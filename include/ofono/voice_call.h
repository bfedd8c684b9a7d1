/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voice call: places a call, hangs one up, lists the calls of a modem.
 *
 * oFono would put an active call on hold, and it dials emergency numbers: the caller has
 * checked the number. So oFono is asked for its calls first, and dials only when there is
 * none. Nothing is ever tried again. Numbers are not logged. What becomes of a call arrives as
 * CALL_CHANGED and CALL_REMOVED (ofono/ofono.h).
 *
 * Callbacks follow the rules of bus_call(): exactly once, later, not after the call was
 * stopped. Each dial and listing has ended or is stopped before its modem disappears.
 *
 * Source: oFono doc/voicecallmanager-api.txt, doc/voicecall-api.txt.
 */
#ifndef OFONO_VOICE_CALL_H
#define OFONO_VOICE_CALL_H

#include "ofono/modem.h"

enum voice_call_dial_outcome {
	DIAL_PLACED,	    /* .path */
	DIAL_OTHER_CALL,    /* not dialled: the modem has a call */
	DIAL_REFUSED,	    /* not dialled: oFono or the modem refused */
	DIAL_NOT_SUPPORTED, /* not dialled: the modem cannot place calls now */
	DIAL_NOT_ALLOWED,   /* not dialled: a policy of D-Bus or oFono forbids it */
	DIAL_NOT_SUBMITTED, /* not dialled: oFono was not reached */
	DIAL_UNKNOWN,	    /* no answer: it may have been dialled */
};

struct voice_call_dial_result {
	enum voice_call_dial_outcome outcome;
	const char *path; /* of the call, DIAL_PLACED; else NULL */
};

/* One of oFono's calls; its strings are valid during the callback. */
struct voice_call {
	const char *path;
	const char *state;  /* "active"; "" unknown */
	const char *number; /* "" unknown */
};

struct voice_call_dial;	   /* GetCalls, then Dial, in progress */
struct voice_call_listing; /* GetCalls in progress */

/*
 * Dials `number`: at most 31 characters, digits with an optional leading "+". No answer to
 * Dial within `timeout_ms`: DIAL_UNKNOWN. NULL: no memory, nothing was dialled.
 */
struct voice_call_dial *voice_call_dial(
	struct modem *modem, const char *number, int timeout_ms,
	void (*done)(void *data, const struct voice_call_dial_result *result),
	void *data);
/* The callback will not run; oFono may dial all the same. NULL is fine. */
void voice_call_dial_stop(struct voice_call_dial *dial);

/* Hangs up the call at this path. Its signals show whether that worked; a failure is logged. */
void voice_call_hang_up(struct modem *modem, const char *path);

/*
 * `found` runs for each call of the modem, then once with NULL, also when oFono does not
 * answer. NULL: no memory.
 */
struct voice_call_listing *voice_call_list(struct modem *modem,
					   void (*found)(void *data,
							 const struct voice_call *call),
					   void *data);
void voice_call_listing_stop(struct voice_call_listing *listing); /* NULL is fine */

#endif
