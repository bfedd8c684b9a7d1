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
 * Each turn and each wait for a reply takes USSD_TIMEOUT_MS at most; then, and when the client
 * leaves, oFono is asked to cancel. A dialogue belongs to the client that began it. It ends
 * when the modem, oFono or the D-Bus interface goes (tests/unit/test_ussd.c). The caller has
 * checked that the code may be dialled.
 */
#pragma once

#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "ofono/modem_call.h"

enum {
	USSD_TIMEOUT_MS = 120 * 1000,
	USSD_TEXT_BYTES = 800, /* 182 characters of the GSM alphabet, in UTF-8 */
	USSD_NOTICES = 4,
	USSD_PER_HOUR_MAX = 60,
};

/* outcomes of ussd_check() */
enum {
	USSD_E_BUSY = 1,    /* the modem has a dialogue */
	USSD_E_NO_DIALOGUE, /* the network asked this client nothing after this code */
};

struct ussd;
struct ussd_dialogue;

struct ussd_order {
	struct modem *modem; /* modem_has_ussd() */
	int64_t client_id;
	const char *code;
	const char *reply; /* ussd_reply(); else NULL */
	bool may_reply; /* the client may answer the network; else its question is cancelled */
};

/* A code or a reply in progress; the caller owns it. */
struct ussd_turn {
	/* Runs once, later, not after ussd_abandon(). `asks` says that the network waits for a
	 * reply. */
	void (*done)(void *data, const struct ussd_call_result *result, bool asks);
	void *data;
	/* filled in by ussd_dial() and ussd_reply() */
	struct modem_sim card; /* a copy: the modem may disappear meanwhile */
	struct ussd_dialogue *dialogue;
};

/* A text that the network sent unasked to a card. */
struct ussd_notice {
	struct modem_sim card; /* not `known`: there is no notice in this place */
	int64_t wall_ms;
	bool asks; /* the network waits for a reply */
	char text[USSD_TEXT_BYTES];
};

/* `limit_ms` is USSD_TIMEOUT_MS except in tests. Returns 0 or -errno. */
int ussd_new(sd_event *loop, struct ofono *ofono, int limit_ms, struct ussd **ussd_out);
/* Call it only while no turn is in progress. NULL is fine. */
void ussd_free(struct ussd *ussd);

/* May this be dialled, or replied? 0 or USSD_E_... */
int ussd_check(const struct ussd *ussd, const struct ussd_order *order);
/*
 * Returns how long until fewer than `per_hour` (USSD_PER_HOUR_MAX at most) codes were dialled in
 * the last hour, counted since the start; 0 for now.
 */
int64_t ussd_wait_ms(const struct ussd *ussd, int64_t per_hour);

/* Takes an order for which ussd_check() returns 0. Returns 0, or -ENOMEM if nothing was done. */
int ussd_dial(struct ussd *ussd, const struct ussd_order *order, struct ussd_turn *turn);
int ussd_reply(struct ussd *ussd, const struct ussd_order *order, struct ussd_turn *turn);
/* Cancels the dialogue instead of a reply for which ussd_check() returns 0. */
void ussd_end(struct ussd *ussd, const struct ussd_order *order);
/* The client does not want the answer any more: cancels the dialogue. */
void ussd_abandon(struct ussd_turn *turn);
/* The client lost its permission: cancels its dialogues that wait for a reply. */
void ussd_revoke(struct ussd *ussd, int64_t client_id);
/* Before the loop ends: cancels all dialogues that wait for a reply. */
void ussd_stop(struct ussd *ussd);

/* Returns whether some modem can dial codes. */
bool ussd_is_possible(const struct ussd *ussd);
/* No event data: ussd_is_possible() differs. */
struct observers *ussd_observers(struct ussd *ussd);

/* Returns the newest USSD_NOTICES of all modems, oldest first. */
const struct ussd_notice *ussd_notices(const struct ussd *ussd);
