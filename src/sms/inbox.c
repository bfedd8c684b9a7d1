/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inbox: what oFono signalled in one turn of the loop goes to the disk at its end, before
 * anybody is told, with one wait for the disk. A group that is refused is tried one by one:
 * what fits is stored, and one that the store itself refuses takes no other with it. What
 * the disk refuses stays in the queue, and nothing overtakes it, so that numbers stay in the
 * order in which oFono told (tests/unit/test_inbox.c).
 */
#include "sms/inbox.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/each_turn.h"
#include "base/log.h"
#include "sms/hearing.h"
#include "sms/inbox_queue.h"
#include "sms/received.h"

enum {
	ACCURACY_USEC = 100 * 1000,
	GROUP_MAX = 64, /* messages that wait for the disk together */
};

static const struct inbox_timing default_timing = { .retry_ms = 5000, .grace_ms = 2000 };

struct inbox {
	struct store *store;
	struct sims *sims;
	struct ofono *ofono;
	uint64_t retry_ms;
	struct hearing hearing;
	struct tally *tally; /* NULL: nobody counts */
	struct observers observers;
	struct observer ofono_observer;
	struct inbox_queue queue; /* not on disk yet */
	bool is_due;		  /* something came in this turn */
	bool is_refused;	  /* the disk takes nothing; it was said */
	unsigned lost;		  /* for which there was no room */
	sd_event_source *turn_end;
	sd_event_source *retry; /* enabled while the disk refuses */
};

static void inbox_lose(struct inbox *inbox, const struct incoming_draft *draft,
		       const char *why)
{
	inbox->lost++;
	log_error("inbox: a message from %s is lost, %s; %u are lost so far",
		  log_number(draft->number), why, inbox->lost);
}

static const char *const opt_meanings[] = {
	[OPT_NONE] = "",
	[OPT_OUT] = ", who wants no more messages",
	[OPT_IN] = ", who wants messages",
};

/* It is on disk. */
static void tell_stored(struct inbox *inbox, const struct incoming_entry *entry)
{
	const struct incoming_draft *draft = entry->draft;
	struct inbox_event event = {
		.message_id = entry->message_id,
		.sim_id = draft->sim_id,
		.number = draft->number,
		.text = draft->text,
		.opt = draft->opt,
	};

	log_info("inbox: message %lld from %s%s%s%s", (long long)entry->message_id,
		 log_number(draft->number), entry->known ? ": told again" : "",
		 draft->spool_file ? ", by the spool" : "", opt_meanings[draft->opt]);
	if (entry->known)
		return;
	if (inbox->tally)
		tally_row(inbox->tally, draft->sim_id)->received++;
	observers_notify(&inbox->observers, &event);
}

/* 0: all of them are on disk, and the observers know. Else none is: the store's error. */
static int store_entries(struct inbox *inbox, struct incoming_entry *entries,
			 size_t count)
{
	int error = store_incoming_add_group(inbox->store, entries, count);

	if (error)
		return error;
	hearing_save(&inbox->hearing);
	for (size_t i = 0; i < count; i++)
		tell_stored(inbox, &entries[i]);
	return 0;
}

static int store_one(struct inbox *inbox, const struct incoming_draft *draft)
{
	struct incoming_entry entry = { .draft = draft };

	return store_entries(inbox, &entry, 1);
}

/* ---- the queue -------------------------------------------------------------------- */

static void identify(struct inbox *inbox, struct unstored *unstored)
{
	if (!unstored->draft.sim_id)
		unstored->draft.sim_id = sims_identify(inbox->sims, &unstored->card);
}

/* The oldest `count` of the queue. */
static int store_oldest(struct inbox *inbox, size_t count)
{
	struct incoming_entry entries[GROUP_MAX] = { 0 };
	struct unstored *unstored = TAILQ_FIRST(&inbox->queue.list);
	int error;

	for (size_t i = 0; i < count; i++, unstored = TAILQ_NEXT(unstored, link)) {
		identify(inbox, unstored);
		entries[i].draft = &unstored->draft;
	}
	error = store_entries(inbox, entries, count);
	for (size_t i = 0; !error && i < count; i++)
		inbox_queue_drop(&inbox->queue);
	return error;
}

/* 0: it is stored; or never will be, and must not stand in the way of all others. */
static int store_oldest_alone(struct inbox *inbox)
{
	int error = store_oldest(inbox, 1);

	if (error != -EINVAL)
		return error;
	inbox_lose(inbox, &TAILQ_FIRST(&inbox->queue.list)->draft,
		   "the store refuses it");
	inbox_queue_drop(&inbox->queue);
	return 0;
}

static int store_group(struct inbox *inbox, size_t most)
{
	size_t count = inbox->queue.count < most ? inbox->queue.count : most;
	int error = count > 1 ? store_oldest(inbox, count) : -EAGAIN;

	if (!error)
		return 0;
	for (error = 0; !error && count > 0; count--)
		error = store_oldest_alone(inbox);
	return error;
}

static void inbox_retry_later(struct inbox *inbox)
{
	sd_event_source_set_time_relative(inbox->retry, inbox->retry_ms * 1000);
	sd_event_source_set_enabled(inbox->retry, SD_EVENT_ONESHOT);
}

static void note_refusal(struct inbox *inbox, int error)
{
	if (!inbox->is_refused)
		log_error("inbox: the disk takes no messages (%s); up to %d are kept in "
			  "memory meanwhile",
			  error < 0 ? strerror(-error) : "it is full", INBOX_MEMORY_MAX);
	inbox->is_refused = true;
	inbox_retry_later(inbox);
}

static void note_end_of_refusal(struct inbox *inbox)
{
	if (inbox->is_refused)
		log_info("inbox: the disk took all that waited");
	inbox->is_refused = false;
	sd_event_source_set_enabled(inbox->retry, SD_EVENT_OFF);
}

/* 0: nothing waits any more. A disk that refused is asked with the oldest one alone. */
static int store_queue(struct inbox *inbox)
{
	size_t most = inbox->is_refused ? 1 : GROUP_MAX;
	int error = 0;

	inbox->is_due = false;
	if (!inbox->queue.count)
		return 0;
	for (; !error && inbox->queue.count; most = GROUP_MAX)
		error = store_group(inbox, most);
	if (error)
		note_refusal(inbox, error);
	else
		note_end_of_refusal(inbox);
	return error;
}

static int on_turn_end(sd_event_source *source, void *data)
{
	struct inbox *inbox = data;

	(void)source;
	if (inbox->is_due)
		store_queue(inbox);
	return 0;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	store_queue(data);
	return 0;
}

/* There was no room for it in memory; perhaps there is on the disk. */
static void store_unqueued(struct inbox *inbox, const struct incoming_draft *draft,
			   const struct sim_facts *card)
{
	int error = store_queue(inbox);

	if (!error)
		error = store_one(inbox, draft);
	if (error && !inbox_queue_put(&inbox->queue, draft, card))
		inbox_lose(inbox, draft, "the disk and the memory are full");
}

static void inbox_take(struct inbox *inbox, const struct incoming_draft *draft,
		       const struct sim_facts *card)
{
	if (inbox_queue_put(&inbox->queue, draft, card))
		inbox->is_due = true;
	else
		store_unqueued(inbox, draft, card);
}

/* ---- what came in ----------------------------------------------------------------- */

static void on_received(struct inbox *inbox, const struct ofono_event *event)
{
	int64_t sim_id = sims_identify(inbox->sims, &event->modem->sim);
	struct received received;

	received_from_signal(&received, event, sim_id);
	inbox_take(inbox, &received.draft, &event->modem->sim);
	received_deinit(&received);
}

/* The ICCID that goes with this IMSI, as far as it is seen now; "" none. */
static const char *iccid_of(const struct inbox *inbox,
			    const struct inbox_spooled *spooled)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(inbox->ofono), link) {
		if (!strcmp(modem->path, spooled->modem) &&
		    !strcmp(modem->sim.subscriber_identity, spooled->imsi))
			return modem->sim.card_identifier;
	}
	return "";
}

/* The card may have left since: without an IMSI nobody knows which it was. */
static int identify_spooled(struct inbox *inbox, const struct inbox_spooled *spooled,
			    int64_t *sim_id_out)
{
	*sim_id_out = 0;
	if (!*spooled->imsi)
		return 0;
	return store_sim_identify(inbox->store, iccid_of(inbox, spooled), spooled->imsi,
				  sim_id_out);
}

/* 0, or an error, with nothing to be freed. */
static int read_spooled(struct inbox *inbox, const struct inbox_spooled *spooled,
			struct received *received_out)
{
	int64_t sim_id;
	int error = identify_spooled(inbox, spooled, &sim_id);

	return error ? error
		     : received_from_spool(received_out, spooled,
					   ofono_line(inbox->ofono), sim_id);
}

int inbox_take_spooled(struct inbox *inbox, const struct inbox_spooled *spooled,
		       size_t count)
{
	struct received read[INBOX_SPOOLED_MAX];
	struct incoming_entry entries[INBOX_SPOOLED_MAX] = { 0 };
	int error = store_queue(inbox);
	size_t done = 0;

	assert(count <= INBOX_SPOOLED_MAX);
	for (; !error && done < count; done += !error) {
		error = read_spooled(inbox, &spooled[done], &read[done]);
		entries[done].draft = &read[done].draft;
	}
	if (!error)
		error = store_entries(inbox, entries, count);
	while (done > 0)
		received_deinit(&read[--done]);
	return error;
}

static void on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct inbox *inbox = data;

	switch (event->type) {
	case MESSAGE_RECEIVED:
		on_received(inbox, event);
		break;
	case OFONO_AVAILABLE:
	case OFONO_UNAVAILABLE:
		hearing_ofono(&inbox->hearing, event->type == OFONO_AVAILABLE);
		break;
	default:
		break;
	}
}

static void remove_sources(struct inbox *inbox)
{
	sd_event_source_disable_unref(inbox->turn_end);
	sd_event_source_disable_unref(inbox->retry);
}

static int inbox_init(struct inbox *inbox, sd_event *loop)
{
	int error = sd_event_add_time_relative(loop, &inbox->retry, CLOCK_MONOTONIC, 0,
					       ACCURACY_USEC, on_retry, inbox);

	if (error >= 0)
		error = sd_event_source_set_enabled(inbox->retry, SD_EVENT_OFF);
	if (error >= 0)
		error = each_turn_add(loop, &inbox->turn_end, on_turn_end, inbox);
	if (error >= 0)
		error = hearing_init(&inbox->hearing, loop, inbox->store,
				     default_timing.grace_ms);
	if (error < 0)
		remove_sources(inbox);
	return error;
}

int inbox_new(sd_event *loop, struct store *store, struct sims *sims, struct ofono *ofono,
	      struct inbox **inbox_out)
{
	struct inbox *inbox = calloc(1, sizeof(*inbox));
	int error;

	if (!inbox)
		return -ENOMEM;
	inbox->store = store;
	inbox->sims = sims;
	inbox->ofono = ofono;
	inbox->retry_ms = default_timing.retry_ms;
	inbox_queue_init(&inbox->queue);
	observers_init(&inbox->observers);
	error = inbox_init(inbox, loop);
	if (error < 0) {
		free(inbox);
		return error;
	}
	observer_add(ofono_observers(ofono), &inbox->ofono_observer, on_ofono_event,
		     inbox);
	*inbox_out = inbox;
	return 0;
}

/* For the last time: what the disk still refuses dies with us, and is named. */
static void inbox_flush(struct inbox *inbox)
{
	store_queue(inbox);
	while (inbox->queue.count) {
		inbox_lose(inbox, &TAILQ_FIRST(&inbox->queue.list)->draft,
			   "the disk never took it");
		inbox_queue_drop(&inbox->queue);
	}
}

void inbox_free(struct inbox *inbox)
{
	if (!inbox)
		return;
	observer_remove(&inbox->ofono_observer);
	inbox_flush(inbox);
	hearing_deinit(&inbox->hearing);
	observers_deinit(&inbox->observers);
	remove_sources(inbox);
	free(inbox);
}

void inbox_set_timing(struct inbox *inbox, const struct inbox_timing *timing)
{
	inbox->retry_ms = timing->retry_ms;
	hearing_set_grace(&inbox->hearing, timing->grace_ms);
}

struct observers *inbox_observers(struct inbox *inbox)
{
	return &inbox->observers;
}

void inbox_set_tally(struct inbox *inbox, struct tally *tally)
{
	inbox->tally = tally;
}

int64_t inbox_deaf_ms(const struct inbox *inbox)
{
	return hearing_deaf_ms(&inbox->hearing);
}

unsigned inbox_unstored(const struct inbox *inbox)
{
	return inbox->queue.count;
}
