/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD: one dialogue with the network for each modem, from the code to its last answer.
 *
 *   ussd_dial() -> turn -> answered ---------------------------------> over
 *                            | the network asks      ^          ^
 *                            v                       |          | cancelled: nobody
 *                        waiting -> ussd_reply() -> turn        | replied in time
 *                            +----------------------------------+
 *
 * Each turn and each wait for a reply takes USSD_LIMIT_MS at most; then, and when who asked
 * leaves, the modem is told to cancel. A dialogue belongs to the client that began it. The
 * modem, oFono or its interface going ends it (tests/unit/test_ussd.c). What may be dialled
 * the caller has looked at.
 */
#ifndef PHONE_USSD_H
#define PHONE_USSD_H

#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "ofono/ussd_call.h"

enum {
	USSD_LIMIT_MS = 120 * 1000,
	USSD_TEXT_BYTES = 800, /* 182 characters of the GSM alphabet, in UTF-8 */
	USSD_NOTICES = 4,
	USSD_PER_HOUR_MAX = 60,
};

/* outcomes of ussd_check() */
enum {
	USSD_E_BUSY = 1,    /* the modem is at a dialogue */
	USSD_E_NO_DIALOGUE, /* nothing was asked of this client after this code */
};

struct ussd;
struct ussd_dialogue;

struct ussd_order {
	struct modem *modem; /* modem_has_ussd() */
	int64_t client_id;
	const char *code;
	const char *reply; /* ussd_reply(); else NULL */
	bool may_reply; /* what the network asks may be answered; else it is cancelled */
};

/* A code or a reply under way; the caller's. */
struct ussd_turn {
	/* Once, later, not after ussd_leave(). `asks`: the network waits for a reply. */
	void (*done)(void *data, const struct ussd_call_result *result, bool asks);
	void *data;
	/* its own */
	struct modem_sim card; /* it may go meanwhile, and its modem, too */
	struct ussd_dialogue *dialogue;
};

/* What the network said by itself, to that card, while the gateway ran. */
struct ussd_notice {
	struct modem_sim card; /* not known: there is none */
	int64_t wall_ms;
	bool asks;
	char text[USSD_TEXT_BYTES];
};

/* `limit_ms`: USSD_LIMIT_MS but in tests. 0 or -errno. */
int ussd_new(sd_event *loop, struct ofono *ofono, int limit_ms, struct ussd **ussd_out);
/* No turn is under way. NULL is fine. */
void ussd_free(struct ussd *ussd);

/* Could this be dialled, or replied? 0 or USSD_E_... */
int ussd_check(const struct ussd *ussd, const struct ussd_order *order);
/*
 * How long until there are fewer than `per_hour` codes in the last hour, counted since the
 * start, at most USSD_PER_HOUR_MAX of them; 0: there are.
 */
int64_t ussd_wait_ms(const struct ussd *ussd, int64_t per_hour);

/* What ussd_check() lets through. 0, or -ENOMEM: nothing was done. */
int ussd_dial(struct ussd *ussd, const struct ussd_order *order, struct ussd_turn *turn);
int ussd_reply(struct ussd *ussd, const struct ussd_order *order, struct ussd_turn *turn);
/* Instead of a reply that ussd_check() lets through: the dialogue is cancelled. */
void ussd_end(struct ussd *ussd, const struct ussd_order *order);
/* Nobody wants the answer any more: the dialogue is cancelled. */
void ussd_leave(struct ussd_turn *turn);
/* This client replies no more: dialogues in which it would have to are cancelled. */
void ussd_revoke(struct ussd *ussd, int64_t client_id);
/* Before the loop ends: nobody can reply any more. */
void ussd_stop(struct ussd *ussd);

/* Some modem can dial codes. */
bool ussd_is_possible(const struct ussd *ussd);
/* Hear, without an event, that this differs. */
struct observers *ussd_observers(struct ussd *ussd);

/* The newest USSD_NOTICES of all modems, oldest first. */
const struct ussd_notice *ussd_notices(const struct ussd *ussd);

#endif
