/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake oFono for tests of src/phone and src/sms: replaces the functions of ofono/ofono.h and
 * ofono/message.h. The test makes the modems and changes their facts. Calls wait until the
 * test answers them, in any order, or never.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "ofono/message.h"
#include "ofono/modem.h"
#include "ofono/ofono.h"

struct ofono {
	struct observers observers;
	struct modem_list modems;
	bool uses_delivery_reports;
	const struct modem *default_modem;
	bool is_incomplete;
	bool uses_phonebooks;
	bool sends_again_safely; /* as the radios of a hub do */
	enum ofono_line line;
};

struct message_send {
	struct modem *modem; /* may be gone */
	char number[24];
	char text[64];		    /* the beginning */
	struct message_order order; /* without its strings */
	void (*done)(void *data, const struct message_send_result *result);
	void *data;
	TAILQ_ENTRY(message_send) link;
};

struct message_listing {
	struct modem *modem; /* may be gone */
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count);
	void *data;
	TAILQ_ENTRY(message_listing) link;
};

struct message_cancel {
	struct modem *modem; /* may be gone */
	char uuid[MESSAGE_UUID_BYTES];
	struct message_order order; /* without its strings */
	void (*done)(void *data, enum message_cancel_outcome outcome);
	void *data;
	TAILQ_ENTRY(message_cancel) link;
};

static struct ofono fake_ofono;
static TAILQ_HEAD(, message_cancel) fake_cancels = TAILQ_HEAD_INITIALIZER(fake_cancels);
static TAILQ_HEAD(fake_send_list,
		  message_send) fake_sends = TAILQ_HEAD_INITIALIZER(fake_sends);
static TAILQ_HEAD(,
		  message_listing) fake_listings = TAILQ_HEAD_INITIALIZER(fake_listings);
static bool fake_no_memory;	 /* message_send() and message_list() give NULL */
static unsigned fake_send_count; /* SendMessage calls ever made */

struct observers *ofono_observers(struct ofono *ofono)
{
	return &ofono->observers;
}

const struct modem_list *ofono_modems(const struct ofono *ofono)
{
	return &ofono->modems;
}

const struct modem *ofono_default_modem(const struct ofono *ofono)
{
	return ofono->default_modem;
}

bool ofono_is_complete(const struct ofono *ofono)
{
	return !ofono->is_incomplete;
}

enum ofono_line ofono_line(const struct ofono *ofono)
{
	return ofono->line;
}

bool ofono_sends_emoji(const struct ofono *ofono)
{
	return ofono->line == OFONO_LINE_FORK;
}

bool ofono_sends_again_safely(const struct ofono *ofono)
{
	return ofono->sends_again_safely;
}

struct message_send *message_send(struct modem *modem, const struct message_order *order,
				  void (*done)(void *data,
					       const struct message_send_result *result),
				  void *data)
{
	struct message_send *send;

	if (fake_no_memory)
		return NULL;
	send = calloc(1, sizeof(*send));
	send->modem = modem;
	strncpy(send->number, order->number, sizeof(send->number) - 1);
	strncpy(send->text, order->text, sizeof(send->text) - 1);
	send->order = *order;
	send->done = done;
	send->data = data;
	TAILQ_INSERT_TAIL(&fake_sends, send, link);
	fake_send_count++;
	return send;
}

void message_send_cancel(struct message_send *send)
{
	if (!send)
		return;
	TAILQ_REMOVE(&fake_sends, send, link);
	free(send);
}

struct message_listing *message_list(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count),
	void *data)
{
	struct message_listing *listing;

	if (fake_no_memory)
		return NULL;
	listing = calloc(1, sizeof(*listing));
	listing->modem = modem;
	listing->done = done;
	listing->data = data;
	TAILQ_INSERT_TAIL(&fake_listings, listing, link);
	return listing;
}

void message_listing_cancel(struct message_listing *listing)
{
	if (!listing)
		return;
	TAILQ_REMOVE(&fake_listings, listing, link);
	free(listing);
}

void ofono_use_delivery_reports(struct ofono *ofono)
{
	ofono->uses_delivery_reports = true;
}

void ofono_use_phonebooks(struct ofono *ofono, bool use)
{
	ofono->uses_phonebooks = use;
}

struct message_cancel *message_cancel(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, enum message_cancel_outcome outcome), void *data)
{
	struct message_cancel *cancel;

	if (fake_no_memory)
		return NULL;
	cancel = calloc(1, sizeof(*cancel));
	cancel->modem = modem;
	strcpy(cancel->uuid, order->uuid);
	cancel->order = *order;
	cancel->done = done;
	cancel->data = data;
	TAILQ_INSERT_TAIL(&fake_cancels, cancel, link);
	return cancel;
}

void message_cancel_stop(struct message_cancel *cancel)
{
	if (!cancel)
		return;
	TAILQ_REMOVE(&fake_cancels, cancel, link);
	free(cancel);
}

static inline void fake_init(void)
{
	observers_init(&fake_ofono.observers);
	TAILQ_INIT(&fake_ofono.modems);
	fake_ofono.uses_delivery_reports = false;
	fake_ofono.default_modem = NULL;
	fake_ofono.is_incomplete = false;
	fake_ofono.sends_again_safely = false;
	fake_ofono.line = OFONO_LINE_UPSTREAM;
	fake_no_memory = false;
	fake_send_count = 0;
}

static inline void fake_notify(enum ofono_event_type type, struct modem *modem)
{
	struct ofono_event event = { .type = type, .modem = modem };

	observers_notify(&fake_ofono.observers, &event);
}

/* A modem without facts, added after the others. */
static inline struct modem *fake_modem_add(const char *path)
{
	struct modem *modem = calloc(1, sizeof(*modem));

	strcpy(modem->path, path);
	strcpy(modem->type, "hardware");
	modem->ofono = &fake_ofono;
	TAILQ_INSERT_TAIL(&fake_ofono.modems, modem, link);
	fake_notify(MODEM_ADDED, modem);
	return modem;
}

static inline void fake_changed(struct modem *modem)
{
	fake_notify(MODEM_CHANGED, modem);
}

/* The modem is still listed during the event, as the contract allows. */
static inline void fake_modem_remove(struct modem *modem)
{
	fake_notify(MODEM_REMOVED, modem);
	TAILQ_REMOVE(&fake_ofono.modems, modem, link);
	free(modem);
}

static inline void fake_deinit(void)
{
	struct modem *modem;

	while ((modem = TAILQ_FIRST(&fake_ofono.modems))) {
		TAILQ_REMOVE(&fake_ofono.modems, modem, link);
		free(modem);
	}
	observers_deinit(&fake_ofono.observers);
}

/* Inserts a card; "" for an identity that the modem does not show. */
static inline void fake_card(struct modem *modem, const char *iccid, const char *imsi)
{
	memset(&modem->sim, 0, sizeof(modem->sim));
	modem->sim.known = true;
	modem->sim.present = true;
	strcpy(modem->sim.card_identifier, iccid);
	strcpy(modem->sim.subscriber_identity, imsi);
	strcpy(modem->sim.pin_required, "none");
}

/* Makes the modem able to send. */
static inline void fake_ready(struct modem *modem)
{
	modem->powered = modem->online = true;
	modem->interfaces =
		MODEM_SIM_MANAGER | MODEM_MESSAGE_MANAGER | MODEM_NETWORK_REGISTRATION;
	strcpy(modem->network.status, "registered");
	fake_changed(modem);
}

/* A modem that can send, with a card of this ICCID. */
static inline struct modem *fake_modem_ready(const char *path, const char *iccid)
{
	struct modem *modem = fake_modem_add(path);

	fake_card(modem, iccid, "");
	fake_ready(modem);
	return modem;
}

/* Answers a call, which is not pending any more when its callback runs. */
static inline void fake_answer(struct message_send *send,
			       enum message_send_outcome outcome,
			       const char *uuid_or_error)
{
	struct message_send_result result = { .outcome = outcome };

	if (outcome == SEND_ACCEPTED || outcome == SEND_FOUND)
		strcpy(result.uuid, uuid_or_error);
	else
		result.error = uuid_or_error;
	TAILQ_REMOVE(&fake_sends, send, link);
	send->done(send->data, &result);
	free(send);
}

/* `uuid` NULL: oFono did not answer; "": it holds no message. */
static inline void fake_list(struct message_listing *listing, const char *uuid)
{
	char uuids[2][MESSAGE_UUID_BYTES] = {
		"0000000000000000000000000000000000000000"
	};

	if (uuid && *uuid)
		strcpy(uuids[1], uuid);
	TAILQ_REMOVE(&fake_listings, listing, link);
	listing->done(listing->data, uuid ? uuids : NULL, uuid ? 2 : 0);
	free(listing);
}

/* Answers the oldest Cancel. */
static inline void fake_cancel_answer(enum message_cancel_outcome outcome)
{
	struct message_cancel *cancel = TAILQ_FIRST(&fake_cancels);

	TAILQ_REMOVE(&fake_cancels, cancel, link);
	cancel->done(cancel->data, outcome);
	free(cancel);
}

static inline void fake_report(const char *uuid, bool delivered)
{
	struct ofono_event event = { .type = MESSAGE_REPORT,
				     .uuid = uuid,
				     .delivered = delivered };

	observers_notify(&fake_ofono.observers, &event);
}

static inline void fake_message_state(struct modem *modem, const char *uuid,
				      enum ofono_message_state state)
{
	struct ofono_event event = {
		.type = MESSAGE_STATE, .modem = modem, .uuid = uuid, .state = state
	};

	observers_notify(&fake_ofono.observers, &event);
}
