/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A signal of oFono -> the queue in memory -> the store, at the end of the loop turn, with
 * one fsync for all messages of the turn -> the observers.
 *
 * If the store refuses a group, its messages are tried one by one: what fits is stored, and a
 * message that the store will never take does not take others with it. What the disk refuses
 * stays in the queue, and nothing overtakes it, so that message IDs stay in the order in which
 * oFono signalled (tests/unit/test_inbox.c).
 */
#include "sms/inbox.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/event_loop.h"
#include "base/clock.h"
#include "base/log.h"
#include "sms/indexer.h"
#include "sms/mended_text.h"
#include "sms/opt_word.h"
#include "sms/receive_gaps.h"
#include "sms/sender.h"
#include "sms/sms_command.h"
#include "text/agent_address.h"
#include "text/service_text.h"

enum {
	ACCURACY_USEC = 100 * 1000,
	GROUP_MAX = 64, /* messages that wait for the disk together */
};

static const struct inbox_timing inbox_default_timing = { .retry_ms = 5000,
							  .grace_ms = 2000 };

/* A message that is not on disk yet. Its strings are its own. */
struct inbox_unstored {
	struct store_incoming_draft draft;
	struct modem_sim card; /* when even the SIM ID could not be stored */
	TAILQ_ENTRY(inbox_unstored) link;
};

struct inbox {
	struct store *store;
	struct sims *sims;
	struct ofono *ofono;
	const struct config *config; /* NULL if commands are ordinary messages */
	uint64_t retry_ms;
	struct receive_gaps gaps;
	struct message_counters *counters; /* NULL if nothing is counted */
	struct observers observers;
	struct observer ofono_observer;
	TAILQ_HEAD(inbox_unstored_list, inbox_unstored) queue; /* oldest first */
	unsigned queue_count;
	bool is_due;	 /* something was queued in this turn */
	bool is_refused; /* the disk takes nothing; already logged */
	unsigned lost;	 /* messages for which there was no room */
	sd_event_source *turn_end;
	sd_event_source *retry; /* enabled while the disk refuses */
};

static void inbox_lose(struct inbox *inbox, const struct store_incoming_draft *draft,
		       const char *why)
{
	inbox->lost++;
	log_error("inbox: a message from %s is lost: %s; %u lost so far",
		  log_number(draft->number), why, inbox->lost);
}

/* ---- the queue ----------------------------------------------------------------------- */

static void inbox_unstored_free(struct inbox_unstored *unstored)
{
	free((char *)unstored->draft.number);
	free((char *)unstored->draft.text);
	free((char *)unstored->draft.sent_time);
	free(unstored);
}

/* Puts a copy at the end. Returns false if there is no room, or no memory. */
static bool inbox_queue_put(struct inbox *inbox, const struct store_incoming_draft *draft,
			    const struct modem_sim *card)
{
	struct inbox_unstored *unstored;

	if (inbox->queue_count >= INBOX_MEMORY_MAX)
		return false;
	unstored = calloc(1, sizeof(*unstored));
	if (!unstored)
		return false;
	unstored->draft = *draft;
	unstored->card = *card;
	unstored->draft.number = strdup(draft->number);
	unstored->draft.text = strdup(draft->text);
	unstored->draft.sent_time = strdup(draft->sent_time);
	if (!unstored->draft.number || !unstored->draft.text ||
	    !unstored->draft.sent_time) {
		inbox_unstored_free(unstored);
		return false;
	}
	TAILQ_INSERT_TAIL(&inbox->queue, unstored, link);
	inbox->queue_count++;
	return true;
}

static void inbox_queue_drop_oldest(struct inbox *inbox)
{
	struct inbox_unstored *unstored = TAILQ_FIRST(&inbox->queue);

	TAILQ_REMOVE(&inbox->queue, unstored, link);
	inbox->queue_count--;
	inbox_unstored_free(unstored);
}

/* ---- storing ------------------------------------------------------------------------- */

static const char *const inbox_opt_texts[] = {
	[OPT_NONE] = "",
	[OPT_OUT] = ", opts out",
	[OPT_IN] = ", opts in",
	[OPT_ASKS] = ", opts out, and the owner decides: " PROGRAM_NAME " opt-outs",
};

static const char *inbox_describe_command(const struct store_incoming_entry *entry)
{
	if (entry->known || !(entry->flags & (MESSAGE_COMMAND | MESSAGE_ANSWER)))
		return "";
	if (entry->flags & MESSAGE_COMMAND_REFUSED)
		return ", a command that is refused";
	return entry->flags & MESSAGE_ANSWER ? ", an answer for an approval"
					     : ", a command";
}

/* It is on disk. */
static void inbox_notify(struct inbox *inbox, const struct store_incoming_entry *entry)
{
	const struct store_incoming_draft *draft = entry->draft;
	struct inbox_event event = {
		.message_id = entry->message_id,
		.sim_id = draft->sim_id,
		.number = draft->number,
		.text = draft->text,
		.opt = draft->opt,
		.flags = entry->flags,
	};

	log_info("inbox: message %lld from %s%s%s%s%s", (long long)entry->message_id,
		 log_number(draft->number), entry->known ? ", a repeat" : "",
		 draft->spool_file ? ", from the spool" : "", inbox_opt_texts[draft->opt],
		 inbox_describe_command(entry));
	if (entry->known)
		return;
	if (inbox->counters)
		message_counters_row(inbox->counters, draft->sim_id)->received++;
	observers_notify(&inbox->observers, &event);
}

/*
 * Senders can be forged. A STOP from a number of the owner would keep agents from texting the
 * owner, so it counts only when the owner confirms it (tests/integration/test_opt_out.py).
 */
static void inbox_ask_owner(const struct inbox *inbox, struct store_incoming_draft *draft)
{
	const struct store_party_address from = { draft->sim_id, draft->number };

	if (draft->opt == OPT_OUT &&
	    sender_trust(inbox->config, inbox->store, NULL, &from) == SENDER_OWNER)
		draft->opt = OPT_ASKS;
}

/*
 * Returns 0 if all of them are on disk, and the observers know. Otherwise none is: a store error.
 * What a message claims to be is found out right before it is stored, when its SIM is known.
 */
static int inbox_store_entries(struct inbox *inbox, struct store_incoming_entry *entries,
			       size_t count)
{
	struct store_command_claim claims[GROUP_MAX];
	int error;

	for (size_t i = 0; inbox->config && i < count; i++) {
		inbox_ask_owner(inbox, entries[i].draft);
		sms_command_claim(inbox->config, inbox->store, entries[i].draft,
				  &claims[i]);
		entries[i].claim = &claims[i];
	}
	error = store_incoming_add_group(inbox->store, entries, count);
	for (size_t i = 0; i < count; i++)
		entries[i].claim = NULL;
	if (error)
		return error;
	receive_gaps_save(&inbox->gaps);
	for (size_t i = 0; i < count; i++)
		inbox_notify(inbox, &entries[i]);
	return 0;
}

/* Stores the oldest `count` messages of the queue together. */
static int inbox_store_oldest(struct inbox *inbox, size_t count)
{
	struct store_incoming_entry entries[GROUP_MAX] = { 0 };
	struct inbox_unstored *unstored = TAILQ_FIRST(&inbox->queue);
	int error;

	for (size_t i = 0; i < count; i++, unstored = TAILQ_NEXT(unstored, link)) {
		if (!unstored->draft.sim_id)
			unstored->draft.sim_id =
				sims_identify(inbox->sims, &unstored->card);
		entries[i].draft = &unstored->draft;
	}
	error = inbox_store_entries(inbox, entries, count);
	for (size_t i = 0; !error && i < count; i++)
		inbox_queue_drop_oldest(inbox);
	return error;
}

/* Stores up to `most` messages: together, or one by one if the store refuses that. */
static int inbox_store_group(struct inbox *inbox, size_t most)
{
	size_t count = inbox->queue_count < most ? inbox->queue_count : most;
	int error = 0;

	if (count > 1 && !inbox_store_oldest(inbox, count))
		return 0;
	for (; !error && count > 0; count--) {
		error = inbox_store_oldest(inbox, 1);
		if (error == -EINVAL) { /* the store will never take it */
			inbox_lose(inbox, &TAILQ_FIRST(&inbox->queue)->draft,
				   "the store refuses it");
			inbox_queue_drop_oldest(inbox);
			error = 0;
		}
	}
	return error;
}

/*
 * Returns 0 if the queue is empty. While the disk refuses, it is tried with the oldest one alone.
 */
static int inbox_store_queue(struct inbox *inbox)
{
	size_t most = inbox->is_refused ? 1 : GROUP_MAX;
	int error = 0;

	inbox->is_due = false;
	if (!inbox->queue_count)
		return 0;
	for (; !error && inbox->queue_count; most = GROUP_MAX)
		error = inbox_store_group(inbox, most);
	if (!error) {
		if (inbox->is_refused)
			log_info("inbox: the disk has taken all waiting messages");
		inbox->is_refused = false;
		sd_event_source_set_enabled(inbox->retry, SD_EVENT_OFF);
		return 0;
	}
	if (!inbox->is_refused)
		log_error("inbox: messages cannot be stored (%s); "
			  "up to %d are kept in memory meanwhile",
			  error < 0 ? strerror(-error) : "the disk is full",
			  INBOX_MEMORY_MAX);
	inbox->is_refused = true;
	sd_event_source_set_time_relative(inbox->retry, inbox->retry_ms * 1000);
	sd_event_source_set_enabled(inbox->retry, SD_EVENT_ONESHOT);
	return error;
}

static int inbox_on_turn_end(sd_event_source *source, void *data)
{
	struct inbox *inbox = data;

	if (inbox->is_due)
		inbox_store_queue(inbox);
	return 0;
}

static int inbox_on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	inbox_store_queue(data);
	return 0;
}

/* ---- one message on the way to the store --------------------------------------------- */

struct inbox_draft {
	struct store_incoming_draft row; /* borrows from its source, and from `text` */
	char *text;			 /* repaired; NULL if the original text is used */
};

/* Without memory the row keeps the text as it is, damaged or not. */
static void inbox_draft_repair(struct inbox_draft *draft)
{
	unsigned flags = 0;

	draft->text = mended_text(draft->row.text, &flags);
	draft->row.flags |= flags;
	if (draft->text)
		draft->row.text = draft->text;
}

static void inbox_draft_complete(struct inbox_draft *draft)
{
	struct store_incoming_draft *row = &draft->row;

	if (!*row->text)
		row->flags |= MESSAGE_UNREADABLE;
	if (row->reported_ms < CLOCK_SANE_MS)
		row->flags |= MESSAGE_CLOCK_WRONG;
	if (agent_address_is_in(row->text))
		row->flags |= MESSAGE_ADDRESSES_AGENTS;
	if (service_text_kind(row->text))
		row->flags |= MESSAGE_SERVICE;
	row->flags |= indexer_judge(row->text);
	row->opt = opt_word_find(row->text, &row->opt_word);
}

static void inbox_draft_from_signal(struct inbox_draft *draft,
				    const struct ofono_event *event, int64_t sim_id)
{
	draft->row = (struct store_incoming_draft){
		.sim_id = sim_id,
		.reported_ms = clock_wall_ms(),
		.number = event->sender,
		.text = event->text,
		.sent_time = event->sent_time,
		.flags = event->immediate ? MESSAGE_IMMEDIATE : 0,
	};
	draft->text = NULL;
	if (ofono_line(event->modem->ofono) == OFONO_LINE_UPSTREAM)
		inbox_draft_repair(draft);
	inbox_draft_complete(draft);
}

/*
 * Did an ofonod write the file that damages emoji? ofonod only loads a plugin of its own
 * version, so the version in the file is that of ofonod. Upstream has damaged emoji since
 * 1.28. The forks call themselves 1.29, and no system ships upstream's 1.29. Files of older
 * plugins have no version; those plugins were built for upstream only.
 */
static bool inbox_draft_is_damaged(const struct inbox_spooled *spooled,
				   enum ofono_line line)
{
	unsigned major, minor;

	if (sscanf(spooled->ofono, "%u.%u", &major, &minor) != 2)
		return line != OFONO_LINE_FORK;
	return major > 1 || (major == 1 && minor >= 28 && minor != 29);
}

/* `line` is that of the oFono that runs now. Returns 0, or -ENOMEM with nothing to end. */
static int inbox_draft_from_spool(struct inbox_draft *draft,
				  const struct inbox_spooled *spooled,
				  enum ofono_line line, int64_t sim_id)
{
	bool is_damaged = inbox_draft_is_damaged(spooled, line);

	draft->row = (struct store_incoming_draft){
		.sim_id = sim_id,
		.reported_ms = spooled->received_ms,
		.number = spooled->sender,
		.text = spooled->text,
		.sent_time = spooled->sent_time,
		.spool_file = spooled->file,
	};
	draft->text = NULL;
	if (is_damaged)
		inbox_draft_repair(draft);
	if (is_damaged && !draft->text)
		return -ENOMEM;
	inbox_draft_complete(draft);
	return 0;
}

static void inbox_draft_deinit(struct inbox_draft *draft)
{
	free(draft->text);
}

/* ---- receiving ----------------------------------------------------------------------- */

static void inbox_on_message(struct inbox *inbox, const struct ofono_event *event)
{
	const struct modem_sim *card = &event->modem->sim;
	struct inbox_draft draft;
	struct store_incoming_entry entry = { .draft = &draft.row };
	int error;

	inbox_draft_from_signal(&draft, event, sims_identify(inbox->sims, card));
	if (event->origin) { /* it is reported again until it is stored */
		draft.row.spool_file = event->origin;
		error = inbox_store_queue(inbox);
		if (!error)
			error = inbox_store_entries(inbox, &entry, 1);
		*event->is_lost = error != 0;
		inbox_draft_deinit(&draft);
		return;
	}
	if (inbox_queue_put(inbox, &draft.row, card)) {
		inbox->is_due = true;
	} else {
		/* There is no room for it in memory; perhaps there is on the disk. */
		error = inbox_store_queue(inbox);
		if (!error)
			error = inbox_store_entries(inbox, &entry, 1);
		if (error && !inbox_queue_put(inbox, &draft.row, card))
			inbox_lose(inbox, &draft.row, "the disk and the memory are full");
	}
	inbox_draft_deinit(&draft);
}

/* Finds the ICCID that belongs to the IMSI, if the modem still shows that card; "" if unknown. */
static const char *inbox_iccid(const struct inbox *inbox,
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

/*
 * Returns 0, or an error with nothing to end. Without an IMSI the card is unknown: it may have
 * left.
 */
static int inbox_read_spooled(struct inbox *inbox, const struct inbox_spooled *spooled,
			      struct inbox_draft *draft_out)
{
	int64_t sim_id = 0;
	int error = 0;

	if (*spooled->imsi)
		error = store_sim_identify(inbox->store, inbox_iccid(inbox, spooled),
					   spooled->imsi, &sim_id);
	return error ? error
		     : inbox_draft_from_spool(draft_out, spooled,
					      ofono_line(inbox->ofono), sim_id);
}

int inbox_take_spooled(struct inbox *inbox, const struct inbox_spooled *spooled,
		       size_t count)
{
	struct inbox_draft drafts[INBOX_SPOOLED_MAX];
	struct store_incoming_entry entries[INBOX_SPOOLED_MAX] = { 0 };
	int error = inbox_store_queue(inbox);
	size_t done = 0;

	assert(count <= INBOX_SPOOLED_MAX);
	for (; !error && done < count; done += !error) {
		error = inbox_read_spooled(inbox, &spooled[done], &drafts[done]);
		entries[done].draft = &drafts[done].row;
	}
	if (!error)
		error = inbox_store_entries(inbox, entries, count);
	while (done > 0)
		inbox_draft_deinit(&drafts[--done]);
	return error;
}

static void inbox_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct inbox *inbox = data;

	switch (event->type) {
	case MESSAGE_RECEIVED:
		inbox_on_message(inbox, event);
		break;
	case OFONO_AVAILABLE:
	case OFONO_UNAVAILABLE:
		receive_gaps_set_ofono(&inbox->gaps, event->type == OFONO_AVAILABLE);
		break;
	default:
		break;
	}
}

/* ---- life ---------------------------------------------------------------------------- */

static void inbox_remove_sources(struct inbox *inbox)
{
	sd_event_source_disable_unref(inbox->turn_end);
	sd_event_source_disable_unref(inbox->retry);
}

static int inbox_init(struct inbox *inbox, sd_event *loop)
{
	int error = sd_event_add_time_relative(loop, &inbox->retry, CLOCK_MONOTONIC, 0,
					       ACCURACY_USEC, inbox_on_retry, inbox);

	if (error >= 0)
		error = sd_event_source_set_enabled(inbox->retry, SD_EVENT_OFF);
	if (error >= 0)
		error = event_loop_add_before_sleep(loop, &inbox->turn_end,
						    inbox_on_turn_end, inbox);
	if (error >= 0)
		error = receive_gaps_init(&inbox->gaps, loop, inbox->store,
					  inbox_default_timing.grace_ms);
	if (error < 0)
		inbox_remove_sources(inbox);
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
	inbox->retry_ms = inbox_default_timing.retry_ms;
	TAILQ_INIT(&inbox->queue);
	observers_init(&inbox->observers);
	error = inbox_init(inbox, loop);
	if (error < 0) {
		free(inbox);
		return error;
	}
	observer_add(ofono_observers(ofono), &inbox->ofono_observer, inbox_on_ofono_event,
		     inbox);
	*inbox_out = inbox;
	return 0;
}

/* Tries the disk for the last time. What it still refuses is lost, and logged. */
void inbox_free(struct inbox *inbox)
{
	if (!inbox)
		return;
	observer_remove(&inbox->ofono_observer);
	inbox_store_queue(inbox);
	while (inbox->queue_count) {
		inbox_lose(inbox, &TAILQ_FIRST(&inbox->queue)->draft,
			   "it could never be stored");
		inbox_queue_drop_oldest(inbox);
	}
	receive_gaps_deinit(&inbox->gaps);
	observers_deinit(&inbox->observers);
	inbox_remove_sources(inbox);
	free(inbox);
}

void inbox_set_timing(struct inbox *inbox, const struct inbox_timing *timing)
{
	inbox->retry_ms = timing->retry_ms;
	receive_gaps_set_grace(&inbox->gaps, timing->grace_ms);
}

struct observers *inbox_observers(struct inbox *inbox)
{
	return &inbox->observers;
}

void inbox_set_config(struct inbox *inbox, const struct config *config)
{
	inbox->config = config;
}

void inbox_set_message_counters(struct inbox *inbox, struct message_counters *counters)
{
	inbox->counters = counters;
}

int64_t inbox_gaps_ms(const struct inbox *inbox)
{
	return receive_gaps_total_ms(&inbox->gaps);
}

unsigned inbox_unstored(const struct inbox *inbox)
{
	return inbox->queue_count;
}
