/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dialogue is in the list from the code until its end. It either has a turn (a call to oFono
 * in progress), or a timer (the network waits for the client's reply). The state machine is in
 * phone/ussd.h.
 */
#include "phone/ussd.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "config/ussd_code.h"

enum {
	USSD_USEC_PER_MS = 1000,
	USSD_ACCURACY_USEC = 100 * 1000,
	USSD_HOUR_MS = 60 * 60 * 1000,
};

struct ussd_dialogue {
	struct ussd *ussd;
	struct modem *modem;
	int64_t client_id;
	bool may_reply;
	char code[USSD_CODE_BYTES];
	struct ussd_call *call;
	struct ussd_turn *turn; /* NULL if the network waits for a reply */
	sd_event_source *timer; /* limits that wait */
	TAILQ_ENTRY(ussd_dialogue) link;
};

struct ussd {
	sd_event *loop;
	struct ofono *ofono;
	int limit_ms;
	bool possible; /* as last reported */
	struct observer ofono_observer;
	struct observers observers;
	struct ussd_notice notices[USSD_NOTICES];
	/* boot clock, newest first; 0 if there is none */
	int64_t dialled_ms[USSD_PER_HOUR_MAX];
	TAILQ_HEAD(ussd_dialogue_list, ussd_dialogue) dialogues;
};

/* ---- dialogues */

static struct ussd_dialogue *ussd_find(const struct ussd *ussd, const struct modem *modem)
{
	struct ussd_dialogue *dialogue;

	TAILQ_FOREACH (dialogue, &ussd->dialogues, link) {
		if (dialogue->modem == modem)
			return dialogue;
	}
	return NULL;
}

static void ussd_dialogue_free(struct ussd_dialogue *dialogue)
{
	TAILQ_REMOVE(&dialogue->ussd->dialogues, dialogue, link);
	ussd_call_stop(dialogue->call);
	sd_event_source_disable_unref(dialogue->timer);
	free(dialogue);
}

static void ussd_dialogue_cancel(struct ussd_dialogue *dialogue)
{
	ussd_call_cancel(dialogue->modem);
	ussd_dialogue_free(dialogue);
}

static int ussd_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct ussd_dialogue *dialogue = data;

	log_info("ussd: %s: nobody replied in time", dialogue->modem->path);
	ussd_dialogue_cancel(dialogue);
	return 0;
}

/* Returns false if memory runs out. */
static bool ussd_wait_for_reply(struct ussd_dialogue *dialogue)
{
	dialogue->turn = NULL;
	return sd_event_add_time_relative(
		       dialogue->ussd->loop, &dialogue->timer, CLOCK_MONOTONIC,
		       (uint64_t)dialogue->ussd->limit_ms * USSD_USEC_PER_MS,
		       USSD_ACCURACY_USEC, ussd_on_timer, dialogue) >= 0;
}

static void ussd_on_done(void *data, const struct ussd_call_result *result)
{
	struct ussd_dialogue *dialogue = data;
	struct ussd_turn *turn = dialogue->turn;
	bool asks = result->outcome == USSD_ANSWERED &&
		    modem_awaits_ussd_reply(dialogue->modem);

	dialogue->call = NULL;
	if (result->outcome == USSD_UNKNOWN ||
	    (asks && (!dialogue->may_reply || !ussd_wait_for_reply(dialogue))))
		ussd_dialogue_cancel(dialogue);
	else if (!asks)
		ussd_dialogue_free(dialogue);
	turn->dialogue = NULL;
	turn->done(turn->data, result, asks);
}

/* ---- requests of clients */

int ussd_check(const struct ussd *ussd, const struct ussd_order *order)
{
	const struct ussd_dialogue *dialogue = ussd_find(ussd, order->modem);

	if (!order->reply)
		return dialogue ? USSD_E_BUSY : 0;
	if (!dialogue || dialogue->client_id != order->client_id ||
	    strcmp(dialogue->code, order->code) != 0)
		return USSD_E_NO_DIALOGUE;
	return dialogue->turn ? USSD_E_BUSY : 0;
}

int64_t ussd_wait_ms(const struct ussd *ussd, int64_t per_hour)
{
	int64_t at_ms, wait_ms;

	assert(per_hour >= 1 && per_hour <= USSD_PER_HOUR_MAX);
	at_ms = ussd->dialled_ms[per_hour - 1];
	wait_ms = at_ms + USSD_HOUR_MS - clock_boot_ms();
	return at_ms && wait_ms > 0 ? wait_ms : 0;
}

static void ussd_count_dialled(struct ussd *ussd)
{
	memmove(&ussd->dialled_ms[1], &ussd->dialled_ms[0],
		(USSD_PER_HOUR_MAX - 1) * sizeof(ussd->dialled_ms[0]));
	ussd->dialled_ms[0] = clock_boot_ms();
}

static void ussd_begin_turn(struct ussd_dialogue *dialogue, struct ussd_turn *turn)
{
	turn->card = dialogue->modem->sim;
	turn->dialogue = dialogue;
	dialogue->turn = turn;
}

int ussd_dial(struct ussd *ussd, const struct ussd_order *order, struct ussd_turn *turn)
{
	struct ussd_dialogue *dialogue = calloc(1, sizeof(*dialogue));

	assert(strlen(order->code) < USSD_CODE_BYTES && ussd_check(ussd, order) == 0);
	if (!dialogue)
		return -ENOMEM;
	dialogue->ussd = ussd;
	dialogue->modem = order->modem;
	dialogue->client_id = order->client_id;
	dialogue->may_reply = order->may_reply;
	strcpy(dialogue->code, order->code);
	dialogue->call = ussd_call_initiate(order->modem, order->code, ussd->limit_ms,
					    ussd_on_done, dialogue);
	if (!dialogue->call) {
		free(dialogue);
		return -ENOMEM;
	}
	TAILQ_INSERT_TAIL(&ussd->dialogues, dialogue, link);
	ussd_count_dialled(ussd);
	ussd_begin_turn(dialogue, turn);
	return 0;
}

int ussd_reply(struct ussd *ussd, const struct ussd_order *order, struct ussd_turn *turn)
{
	struct ussd_dialogue *dialogue = ussd_find(ussd, order->modem);

	assert(dialogue && ussd_check(ussd, order) == 0);
	dialogue->call = ussd_call_respond(order->modem, order->reply, ussd->limit_ms,
					   ussd_on_done, dialogue);
	if (!dialogue->call)
		return -ENOMEM;
	dialogue->timer = sd_event_source_disable_unref(dialogue->timer);
	dialogue->may_reply = order->may_reply;
	ussd_begin_turn(dialogue, turn);
	return 0;
}

void ussd_abandon(struct ussd_turn *turn)
{
	if (turn->dialogue)
		ussd_dialogue_cancel(turn->dialogue);
	turn->dialogue = NULL;
}

void ussd_end(struct ussd *ussd, const struct ussd_order *order)
{
	assert(order->reply && ussd_check(ussd, order) == 0);
	ussd_dialogue_cancel(ussd_find(ussd, order->modem));
}

/* If `client_id` is NULL, those of all clients count. */
static void ussd_cancel_waiting(struct ussd *ussd, const int64_t *client_id)
{
	struct ussd_dialogue *dialogue, *next;

	for (dialogue = TAILQ_FIRST(&ussd->dialogues); dialogue; dialogue = next) {
		next = TAILQ_NEXT(dialogue, link);
		if (!dialogue->turn && (!client_id || dialogue->client_id == *client_id))
			ussd_dialogue_cancel(dialogue);
	}
}

void ussd_revoke(struct ussd *ussd, int64_t client_id)
{
	ussd_cancel_waiting(ussd, &client_id);
}

void ussd_stop(struct ussd *ussd)
{
	ussd_cancel_waiting(ussd, NULL);
}

/* ---- events of oFono */

/* The modem is gone, or has lost the interface. */
static void ussd_on_modem_gone(struct ussd *ussd, const struct modem *modem)
{
	const struct ussd_call_result unknown = { .outcome = USSD_UNKNOWN };
	struct ussd_dialogue *dialogue = ussd_find(ussd, modem);
	struct ussd_turn *turn = dialogue ? dialogue->turn : NULL;

	if (dialogue)
		ussd_dialogue_free(dialogue);
	if (!turn)
		return;
	turn->dialogue = NULL;
	turn->done(turn->data, &unknown, false);
}

static void ussd_on_modem_changed(struct ussd *ussd, const struct modem *modem)
{
	struct ussd_dialogue *dialogue = ussd_find(ussd, modem);

	if (!modem_has_ussd(modem))
		ussd_on_modem_gone(ussd, modem);
	else if (dialogue && !dialogue->turn && !modem_awaits_ussd_reply(modem))
		/* The network ended it, or another program on the phone replied. */
		ussd_dialogue_free(dialogue);
}

static void ussd_add_notice(struct ussd *ussd, const struct ofono_event *event)
{
	struct ussd_notice *last = &ussd->notices[USSD_NOTICES - 1];
	size_t length = strlen(event->text);

	memmove(&ussd->notices[0], &ussd->notices[1],
		(USSD_NOTICES - 1) * sizeof(ussd->notices[0]));
	*last = (struct ussd_notice){ .wall_ms = clock_wall_ms(),
				      .asks = event->type == USSD_REQUESTED };
	last->card = event->modem->sim;
	if (length >= sizeof(last->text))
		length = sizeof(last->text) - 1;
	while (!utf8_valid(event->text, length))
		length--; /* not within a character */
	memcpy(last->text, event->text, length);
	log_info("ussd: %s: the network sent a text unasked", event->modem->path);
}

/* `removed` is a modem that is still listed, but about to go; NULL if there is none. */
static void ussd_update_possible(struct ussd *ussd, const struct modem *removed)
{
	const struct modem *modem;
	bool possible = false;

	TAILQ_FOREACH (modem, ofono_modems(ussd->ofono), link)
		possible |= modem != removed && modem_has_ussd(modem);
	if (possible == ussd->possible)
		return;
	ussd->possible = possible;
	observers_notify(&ussd->observers, NULL);
}

static void ussd_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct ussd *ussd = data;

	if (event->type == USSD_NOTIFIED || event->type == USSD_REQUESTED) {
		ussd_add_notice(ussd, event);
	} else if (event->type == MODEM_REMOVED) {
		ussd_on_modem_gone(ussd, event->modem);
		ussd_update_possible(ussd, event->modem);
	} else if (event->type == MODEM_ADDED || event->type == MODEM_CHANGED) {
		ussd_on_modem_changed(ussd, event->modem);
		ussd_update_possible(ussd, NULL);
	}
}

bool ussd_is_possible(const struct ussd *ussd)
{
	return ussd->possible;
}

struct observers *ussd_observers(struct ussd *ussd)
{
	return &ussd->observers;
}

const struct ussd_notice *ussd_notices(const struct ussd *ussd)
{
	return ussd->notices;
}

/* ---- start and end */

int ussd_new(sd_event *loop, struct ofono *ofono, int limit_ms, struct ussd **ussd_out)
{
	struct ussd *ussd = calloc(1, sizeof(*ussd));

	if (!ussd)
		return -ENOMEM;
	ussd->loop = loop;
	ussd->ofono = ofono;
	ussd->limit_ms = limit_ms;
	TAILQ_INIT(&ussd->dialogues);
	observers_init(&ussd->observers);
	observer_add(ofono_observers(ofono), &ussd->ofono_observer, ussd_on_ofono_event,
		     ussd);
	*ussd_out = ussd;
	return 0;
}

void ussd_free(struct ussd *ussd)
{
	if (!ussd)
		return;
	observer_remove(&ussd->ofono_observer);
	while (!TAILQ_EMPTY(&ussd->dialogues))
		ussd_dialogue_cancel(TAILQ_FIRST(&ussd->dialogues));
	observers_deinit(&ussd->observers);
	free(ussd);
}
