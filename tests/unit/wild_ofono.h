/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A random oFono that does everything that oFono may do: it answers late, wrongly or never,
 * reports a state before the answer, twice or not at all, cancels or refuses to, reports
 * deliveries in any order, loses modems and swaps SIM cards.
 *
 * It records what really became of each message. The text of a message is its ID.
 */
#pragma once

#include "outbox_bench.h"

enum { SIMS = 3, MESSAGES_MAX = 40 };

enum fate { NOT_TAKEN, TAKEN, SENT, FAILED, DROPPED };

/* by message ID */
static struct truth {
	int64_t sim_id;
	enum fate fate;
	bool scheduled;	 /* it may go out in any order */
	bool taken_back; /* the outbox reported it as cancelled: it must never go out */
	bool needs_yes;	 /* it must not go out before it is approved */
	bool rejected;
	bool was_reported; /* a report "delivered" was sent */
} truths[MESSAGES_MAX + 1];

static int64_t submitted;
static int64_t newest_taken[SIMS + 1]; /* by SIM, without scheduled ones */
static bool calm;		       /* it reports every state, in order */
static struct modem *modems[SIMS];
static int64_t card_in[SIMS]; /* by modem; 0: no card */

static inline bool chance(int percent)
{
	return rand() % 100 < percent;
}

static inline void uuid_of(int64_t id, char uuid[MESSAGE_UUID_BYTES])
{
	snprintf(uuid, MESSAGE_UUID_BYTES, "%040lld", (long long)id);
}

/* ---- modems and cards */

static inline void insert_card(int place, int64_t sim_id)
{
	char iccid[16];

	card_in[place] = sim_id;
	snprintf(iccid, sizeof(iccid), "%lld", (long long)sim_id);
	fake_card(modems[place], iccid, "");
}

static inline void remove_card(int place)
{
	card_in[place] = 0;
	memset(&modems[place]->sim, 0, sizeof(modems[place]->sim));
	modems[place]->interfaces = MODEM_SIM_MANAGER;
	fake_changed(modems[place]);
}

static inline void swap_cards(int one, int other)
{
	int64_t card = card_in[one], other_card = card_in[other];

	if (one == other)
		return;
	remove_card(one);
	remove_card(other);
	if (other_card)
		insert_card(one, other_card);
	if (card)
		insert_card(other, card);
}

static inline void add_modem(int place)
{
	static const char *const paths[SIMS] = { "/sim0", "/sim1", "/sim2" };

	modems[place] = fake_modem_add(paths[place]);
	modems[place]->uses_delivery_reports = chance(50);
}

static inline void replace_modem(int place)
{
	int64_t card = card_in[place];

	fake_modem_remove(modems[place]);
	if (chance(50))
		turn();
	add_modem(place);
	if (card)
		insert_card(place, card);
}

static inline void disturb(int place)
{
	switch (rand() % 5) {
	case 0:
		modems[place]->interfaces = MODEM_SIM_MANAGER;
		fake_changed(modems[place]);
		break;
	case 1:
		modems[place]->network.status[0] = '\0';
		fake_changed(modems[place]);
		break;
	case 2:
		replace_modem(place);
		break;
	case 3:
		swap_cards(place, rand() % SIMS);
		break;
	case 4:
		modems[place]->online = false;
		fake_changed(modems[place]);
		break;
	}
}

/* ---- messages */

/*
 * oFono puts a message into its queue. Asserts that this is the first time, that the message is
 * neither cancelled nor unapproved, and that the order is right.
 */
static inline void take(int64_t id)
{
	struct truth *truth = &truths[id];

	assert_int_equal(truth->fate, NOT_TAKEN);
	assert_false(truth->taken_back);
	assert_false(truth->needs_yes);
	assert_false(truth->rejected);
	truth->fate = TAKEN;
	if (truth->scheduled)
		return;
	assert_true(id > newest_taken[truth->sim_id]);
	newest_taken[truth->sim_id] = id;
}

/* The first message in oFono's queue for a SIM card. 0: none. */
static inline int64_t queue_head(int64_t sim_id)
{
	int64_t id;

	for (id = 1; id <= submitted; id++) {
		if (truths[id].sim_id == sim_id && truths[id].fate == TAKEN)
			return id;
	}
	return 0;
}

static inline void tell_state(int place, int64_t id)
{
	static const enum ofono_message_state words[] = {
		[SENT] = MESSAGE_SENT,
		[FAILED] = MESSAGE_FAILED,
		[DROPPED] = MESSAGE_CANCELLED,
	};
	char uuid[MESSAGE_UUID_BYTES];

	uuid_of(id, uuid);
	fake_message_state(modems[place], uuid, words[truths[id].fate]);
}

/* A modem sends the first message of its queue; `told`: oFono reports it. */
static inline void transmit(int place, bool told)
{
	int64_t id = queue_head(card_in[place]);

	if (!id || !modem_can_send(modems[place]))
		return;
	truths[id].fate = chance(80) ? SENT : FAILED;
	while (told) { /* sometimes more than once */
		tell_state(place, id);
		told = chance(10);
	}
}

/* A report for any message that was sent, any number of times. */
static inline void report(void)
{
	int64_t id = submitted ? 1 + rand() % submitted : 0;
	char uuid[MESSAGE_UUID_BYTES];
	bool delivered = chance(70);

	if (!id || truths[id].fate != SENT)
		return;
	uuid_of(id, uuid);
	truths[id].was_reported |= delivered;
	fake_report(uuid, delivered);
}

/* ---- calls */

static inline struct message_send *any_send(void)
{
	struct message_send *send;

	TAILQ_FOREACH (send, &fake_sends, link) {
		if (chance(50))
			break;
	}
	return send;
}

static inline int place_of(const struct modem *modem)
{
	int place;

	for (place = 0; place < SIMS - 1 && modems[place] != modem; place++)
		;
	return place;
}

static inline void accept_send(struct message_send *send, int64_t id)
{
	char uuid[MESSAGE_UUID_BYTES];

	uuid_of(id, uuid);
	take(id);
	if (!calm && chance(10)) /* the state comes before the answer */
		transmit(place_of(send->modem), true);
	fake_answer(send, SEND_ACCEPTED, uuid);
}

static inline void answer_send(void)
{
	struct message_send *send = any_send();
	int64_t id;

	if (!send)
		return;
	id = atoll(send->text);
	switch (rand() % 8) {
	case 0:
		truths[id].fate = FAILED;
		fake_answer(send, SEND_REFUSED, "org.ofono.Error.Failed");
		break;
	case 1:
		fake_answer(send, SEND_NOT_SUBMITTED, "x.NotSent");
		break;
	case 2:
		take(id);
		fake_answer(send, SEND_UNKNOWN, "org.freedesktop.DBus.Error.NoReply");
		break;
	case 3:
		fake_answer(send, SEND_UNKNOWN, "org.freedesktop.DBus.Error.NoReply");
		break;
	default:
		accept_send(send, id);
		break;
	}
}

static inline void answer_listing(void)
{
	struct message_listing *listing = TAILQ_FIRST(&fake_listings);
	char uuids[MESSAGES_MAX][MESSAGE_UUID_BYTES];
	size_t count = 0;
	int64_t id;
	int place;

	if (!listing)
		return;
	place = place_of(listing->modem);
	assert_ptr_equal(modems[place], listing->modem);
	for (id = 1; id <= submitted; id++) {
		if (truths[id].fate == TAKEN && truths[id].sim_id == card_in[place])
			uuid_of(id, uuids[count++]);
	}
	TAILQ_REMOVE(&fake_listings, listing, link);
	if (chance(20))
		listing->done(listing->data, NULL, 0);
	else
		listing->done(listing->data, uuids, count);
	free(listing);
}

/* oFono drops it, and may report that. False: it is too late. */
static inline bool drop(int64_t id, bool told)
{
	if (truths[id].fate != TAKEN)
		return false;
	truths[id].fate = DROPPED;
	if (told)
		tell_state(rand() % SIMS, id);
	return true;
}

static inline void answer_cancel(void)
{
	struct message_cancel *cancel = TAILQ_FIRST(&fake_cancels);
	int64_t id;

	if (!cancel)
		return;
	id = atoll(cancel->uuid);
	switch (rand() % 4) {
	case 0:
		fake_cancel_answer(CANCEL_NOT_ASKED);
		break;
	case 1:
		fake_cancel_answer(truths[id].fate == TAKEN ? CANCEL_REFUSED
							    : CANCEL_NOT_THERE);
		break;
	case 2:
		if (chance(50))
			drop(id, chance(50));
		fake_cancel_answer(CANCEL_UNKNOWN);
		break;
	case 3:
		fake_cancel_answer(drop(id, chance(50)) ? CANCEL_DONE : CANCEL_NOT_THERE);
		break;
	}
}

/* Calls that were on the bus when the gateway died are executed or not. */
static inline void finish_alone(void)
{
	struct message_send *send;
	struct message_cancel *cancel;
	int place;

	TAILQ_FOREACH (send, &fake_sends, link) {
		if (chance(50))
			take(atoll(send->text));
	}
	TAILQ_FOREACH (cancel, &fake_cancels, link) {
		if (chance(50))
			drop(atoll(cancel->uuid), false);
	}
	for (place = 0; place < SIMS; place++) {
		if (chance(50))
			transmit(place, false);
	}
}

static inline void wild_start(void)
{
	int place;

	memset(truths, 0, sizeof(truths));
	memset(newest_taken, 0, sizeof(newest_taken));
	submitted = 0;
	calm = false;
	for (place = 0; place < SIMS; place++) {
		add_modem(place);
		insert_card(place, place + 1);
		fake_ready(modems[place]);
	}
}

/* Puts every SIM card back, makes every modem ready, and resolves messages with a lost state. */
static inline void wild_settle(void)
{
	int place;

	calm = true;
	for (place = 0; place < SIMS; place++) {
		remove_card(place);
		fake_changed(modems[place]);
	}
	for (place = 0; place < SIMS; place++) {
		insert_card(place, place + 1);
		fake_ready(modems[place]);
	}
}
