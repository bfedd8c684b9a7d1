/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inbox: each message goes to the disk inside the handler of its signal; only what the disk
 * refuses waits here. While something waits nothing overtakes it, so that numbers stay in
 * the order in which oFono told (tests/unit/test_inbox.c).
 */
#include "sms/inbox.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/log.h"
#include "sms/hearing.h"
#include "sms/mended_text.h"
#include "sms/opt_word.h"

enum { ACCURACY_USEC = 100 * 1000 };

static const struct inbox_timing default_timing = { .retry_ms = 5000, .grace_ms = 2000 };

/* A message that the disk has not taken. The draft's texts are its own. */
struct unstored {
	struct incoming_draft draft;
	struct sim_facts card; /* its number may be what the disk refused */
	TAILQ_ENTRY(unstored) link;
};

struct inbox {
	struct store *store;
	struct sims *sims;
	struct ofono *ofono;
	uint64_t retry_ms;
	struct hearing hearing;
	struct tally *tally; /* NULL: nobody counts */
	struct observers observers;
	struct observer ofono_observer;
	TAILQ_HEAD(unstored_list, unstored) unstored; /* in the order of their coming */
	unsigned unstored_count;
	unsigned lost;		/* for which there was no room */
	sd_event_source *retry; /* enabled while something waits */
};

static void unstored_free(struct unstored *unstored)
{
	free((char *)unstored->draft.number);
	free((char *)unstored->draft.text);
	free((char *)unstored->draft.sent_time);
	free(unstored);
}

/* NULL: no memory. */
static struct unstored *unstored_new(const struct incoming_draft *draft,
				     const struct sim_facts *card)
{
	struct unstored *unstored = calloc(1, sizeof(*unstored));

	if (!unstored)
		return NULL;
	unstored->draft = *draft;
	unstored->card = *card;
	unstored->draft.number = strdup(draft->number);
	unstored->draft.text = strdup(draft->text);
	unstored->draft.sent_time = strdup(draft->sent_time);
	if (unstored->draft.number && unstored->draft.text && unstored->draft.sent_time)
		return unstored;
	unstored_free(unstored);
	return NULL;
}

static void inbox_lose(struct inbox *inbox, const struct incoming_draft *draft)
{
	inbox->lost++;
	log_error(
		"inbox: a message from %s is lost, the disk and the memory are full; %u "
		"are lost so far",
		log_number(draft->number), inbox->lost);
}

static void inbox_retry_later(struct inbox *inbox)
{
	sd_event_source_set_time_relative(inbox->retry, inbox->retry_ms * 1000);
	sd_event_source_set_enabled(inbox->retry, SD_EVENT_ONESHOT);
}

static void inbox_keep(struct inbox *inbox, const struct incoming_draft *draft,
		       const struct sim_facts *card)
{
	struct unstored *unstored = NULL;

	if (inbox->unstored_count < INBOX_MEMORY_MAX)
		unstored = unstored_new(draft, card);
	if (!unstored) {
		inbox_lose(inbox, draft);
		return;
	}
	TAILQ_INSERT_TAIL(&inbox->unstored, unstored, link);
	inbox->unstored_count++;
	inbox_retry_later(inbox);
}

static const char *const opt_meanings[] = {
	[OPT_NONE] = "",
	[OPT_OUT] = ", who wants no more messages",
	[OPT_IN] = ", who wants messages",
};

/* 0: it is on disk, and the observers know. Else the store's error. */
static int inbox_store(struct inbox *inbox, const struct incoming_draft *draft)
{
	struct inbox_event event = {
		.sim_id = draft->sim_id,
		.number = draft->number,
		.opt = draft->opt,
	};
	bool known;
	int error = store_incoming_add(inbox->store, draft, &event.message_id, &known);

	if (error)
		return error;
	log_info("inbox: message %lld from %s%s%s%s", (long long)event.message_id,
		 log_number(draft->number), known ? ": told again" : "",
		 draft->spool_file ? ", by the spool" : "", opt_meanings[draft->opt]);
	hearing_save(&inbox->hearing);
	if (!known && inbox->tally)
		tally_row(inbox->tally, draft->sim_id)->received++;
	if (!known)
		observers_notify(&inbox->observers, &event);
	return 0;
}

/* Stores the oldest one that waits. */
static int unstored_store(struct inbox *inbox)
{
	struct unstored *unstored = TAILQ_FIRST(&inbox->unstored);
	int error;

	if (!unstored->draft.sim_id)
		unstored->draft.sim_id = sims_identify(inbox->sims, &unstored->card);
	error = inbox_store(inbox, &unstored->draft);
	if (error)
		return error;
	TAILQ_REMOVE(&inbox->unstored, unstored, link);
	inbox->unstored_count--;
	unstored_free(unstored);
	return 0;
}

/* 0: nothing waits any more. */
static int inbox_retry(struct inbox *inbox)
{
	int error = 0;

	if (TAILQ_EMPTY(&inbox->unstored))
		return 0;
	while (!error && !TAILQ_EMPTY(&inbox->unstored))
		error = unstored_store(inbox);
	if (error)
		return error;
	log_info("inbox: the disk took all that waited");
	sd_event_source_set_enabled(inbox->retry, SD_EVENT_OFF);
	return 0;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	struct inbox *inbox = data;
	(void)source;
	(void)usec;
	if (inbox_retry(inbox))
		inbox_retry_later(inbox);
	return 0;
}

static void inbox_take(struct inbox *inbox, const struct incoming_draft *draft,
		       const struct sim_facts *card)
{
	int error = inbox_retry(inbox);

	if (!error)
		error = inbox_store(inbox, draft);
	if (!error)
		return;
	if (TAILQ_EMPTY(&inbox->unstored))
		log_error("inbox: the disk takes no messages (%s); up to %d are kept in "
			  "memory meanwhile",
			  error < 0 ? strerror(-error) : "it is full", INBOX_MEMORY_MAX);
	inbox_keep(inbox, draft, card);
}

/*
 * Text as oFono told it becomes text as it is stored, with what follows from it. To be
 * freed by the caller; NULL: no memory, the draft keeps the text that it has.
 */
static char *draft_mend(struct incoming_draft *draft)
{
	bool mended = false;
	char *text = mended_text(draft->text, &mended);

	if (mended)
		draft->flags |= MESSAGE_REPAIRED;
	if (!*draft->text)
		draft->flags |= MESSAGE_UNREADABLE;
	if (draft->told_ms < CLOCK_SANE_MS)
		draft->flags |= MESSAGE_CLOCK_WRONG;
	if (text) /* damaged is better than none */
		draft->text = text;
	draft->opt = opt_word_find(draft->text, &draft->opt_word);
	return text;
}

static void on_received(struct inbox *inbox, const struct ofono_event *event)
{
	struct incoming_draft draft = {
		.sim_id = sims_identify(inbox->sims, &event->modem->sim),
		.told_ms = clock_wall_ms(),
		.number = event->sender,
		.text = event->text,
		.sent_time = event->sent_time,
		.flags = event->immediate ? MESSAGE_IMMEDIATE : 0,
	};
	char *text = draft_mend(&draft);

	inbox_take(inbox, &draft, &event->modem->sim);
	free(text);
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

int inbox_take_spooled(struct inbox *inbox, const struct inbox_spooled *spooled)
{
	struct incoming_draft draft = {
		.told_ms = spooled->received_ms,
		.number = spooled->sender,
		.text = spooled->text,
		.sent_time = spooled->sent_time,
		.spool_file = spooled->file,
	};
	int error = inbox_retry(inbox);
	char *text;

	if (!error)
		error = identify_spooled(inbox, spooled, &draft.sim_id);
	if (error)
		return error;
	text = draft_mend(&draft);
	error = text ? inbox_store(inbox, &draft) : -ENOMEM;
	free(text);
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
	case OFONO_BUS_KNOWN:
	case MODEM_ADDED:
	case MODEM_CHANGED:
	case MODEM_REMOVED:
	case MESSAGE_STATE:
	case CALL_ADDED:
	case CALL_CHANGED:
	case CALL_REMOVED:
	case BROADCAST_RECEIVED:
	case MESSAGE_REPORT:
	case USSD_NOTIFIED:
	case USSD_REQUESTED:
		break;
	}
}

static int inbox_init(struct inbox *inbox, sd_event *loop)
{
	int error = sd_event_add_time_relative(loop, &inbox->retry, CLOCK_MONOTONIC, 0,
					       ACCURACY_USEC, on_retry, inbox);

	if (error < 0)
		return error;
	sd_event_source_set_enabled(inbox->retry, SD_EVENT_OFF);
	error = hearing_init(&inbox->hearing, loop, inbox->store,
			     default_timing.grace_ms);
	if (error < 0)
		sd_event_source_disable_unref(inbox->retry);
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
	TAILQ_INIT(&inbox->unstored);
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
	struct unstored *unstored;

	inbox_retry(inbox);
	while ((unstored = TAILQ_FIRST(&inbox->unstored))) {
		inbox_lose(inbox, &unstored->draft);
		TAILQ_REMOVE(&inbox->unstored, unstored, link);
		inbox->unstored_count--;
		unstored_free(unstored);
	}
	assert(!inbox->unstored_count);
}

void inbox_free(struct inbox *inbox)
{
	if (!inbox)
		return;
	observer_remove(&inbox->ofono_observer);
	inbox_flush(inbox);
	hearing_deinit(&inbox->hearing);
	observers_deinit(&inbox->observers);
	sd_event_source_disable_unref(inbox->retry);
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
	return inbox->unstored_count;
}
