/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem calls: what the gateway asks a modem to do besides sending messages: call, run a USSD
 * dialogue, unlock the card.
 */
#pragma once

#include "ofono/modem.h"

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
	const char *state;  /* "active"; "" if unknown */
	const char *number; /* "" if unknown */
};

struct voice_call_dial;	   /* GetCalls, then Dial, in progress */
struct voice_call_listing; /* GetCalls in progress */

/*
 * Dials `number`: at most 31 characters, digits with an optional leading "+". The outcome is
 * DIAL_UNKNOWN if Dial is not answered within `timeout_ms`. Returns NULL if memory runs out, and
 * nothing was dialled.
 */
struct voice_call_dial *voice_call_dial(
	struct modem *modem, const char *number, int timeout_ms,
	void (*done)(void *data, const struct voice_call_dial_result *result),
	void *data);
/* After this the callback does not run; oFono may dial all the same. NULL is fine. */
void voice_call_dial_stop(struct voice_call_dial *dial);

/* Hangs up the call at this path. Its signals show whether that worked; a failure is logged. */
void voice_call_hang_up(struct modem *modem, const char *path);

/*
 * `found` runs for each call of the modem, then once with NULL, also when oFono does not answer.
 * Returns NULL if memory runs out.
 */
struct voice_call_listing *voice_call_list(struct modem *modem,
					   void (*found)(void *data,
							 const struct voice_call *call),
					   void *data);
void voice_call_listing_stop(struct voice_call_listing *listing); /* NULL is fine */

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
 * Dials a code, or replies to the network; the text is UTF-8. The callback follows the rules of
 * bus_call(): exactly once, later, not after ussd_call_stop(). No answer within `timeout_ms`:
 * USSD_UNKNOWN, and the network may still work on it. Returns NULL if memory runs out, and nothing
 * was done. Each call has ended or is stopped before its modem disappears.
 */
struct ussd_call *ussd_call_initiate(
	struct modem *modem, const char *code, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data);
struct ussd_call *ussd_call_respond(
	struct modem *modem, const char *reply, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data);
/* After this the callback does not run; the dialogue goes on. NULL is fine. */
void ussd_call_stop(struct ussd_call *call);

/* The modem aborts its dialogue with the network. A failure is only logged. */
void ussd_call_cancel(struct modem *modem);

/*
 * SIM unlock: gives a card its PIN, or its PUK and a new PIN, once.
 *
 * A wrong code costs one of a few attempts, and after the last PUK attempt the card is lost:
 * nothing here ever tries again, whatever the answer (tests/unit/test_sim_unlock.c,
 * tests/integration/test_unlock.py). Codes are neither kept nor logged. libdbus has a copy
 * until the call has left, in memory that it does not clear.
 *
 * Source: oFono doc/sim-api.txt, EnterPin and ResetPin.
 */

enum sim_unlock_outcome {
	UNLOCK_DONE,
	UNLOCK_WRONG,	    /* cost an attempt; Retries follows as MODEM_CHANGED */
	UNLOCK_BUSY,	    /* not tried: oFono is doing something else with the card */
	UNLOCK_NOT_TAKEN,   /* not tried: the card does not ask for this code */
	UNLOCK_IMPOSSIBLE,  /* not tried: oFono cannot do it with this modem */
	UNLOCK_NOT_ALLOWED, /* not tried: a policy of D-Bus or oFono forbids it */
	UNLOCK_NOT_ASKED,   /* not tried: oFono was not reached */
	UNLOCK_UNKNOWN,	    /* no answer: it may have been tried */
};

const char *sim_unlock_outcome_name(
	enum sim_unlock_outcome outcome); /* "unlocked", ... */

struct sim_unlock_codes {
	const char *code;    /* the PIN, or the PUK */
	const char *new_pin; /* with the PUK; else NULL */
};

struct sim_unlock; /* a call in progress */

/* Makes oFono's own check: a PIN has 4 to 8 digits, a PUK 8. */
bool sim_unlock_pin_is_valid(const char *pin);
bool sim_unlock_puk_is_valid(const char *puk);

/*
 * Opens the lock in force, which is SIM_LOCK_PIN or SIM_LOCK_PUK, with valid codes. The callback
 * follows the rules of bus_call(): exactly once, later, not after sim_unlock_stop(). The modem may
 * disappear meanwhile. Returns NULL if memory runs out, and nothing was tried. Each call has ended
 * or is stopped before ofono_free().
 */
struct sim_unlock *sim_unlock(struct modem *modem, const struct sim_unlock_codes *codes,
			      void (*done)(void *data, enum sim_unlock_outcome outcome),
			      void *data);
/* After this the callback does not run; oFono may try the code all the same. NULL is fine. */
void sim_unlock_stop(struct sim_unlock *unlock);
