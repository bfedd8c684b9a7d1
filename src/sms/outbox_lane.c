/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lane is occupied while oFono may still send something of it that would be overtaken:
 *
 *   handing  SendMessage is not answered. After answer_ms the message is unknown, but the
 *            lane stays occupied: oFono is stuck, its SIM says so, and more calls would only
 *            pile up there.
 *            The late answer, or the loss of the modem, before or after, frees it.
 *            A State that overtakes the answer is kept until that names the message.
 *   handed   until its State comes: a registered modem that takes too long is stuck, and its
 *            SIM says so. The loss of the modem makes it
 *   held     oFono keeps it for the card. When the card's modem takes messages again, oFono
 *            is asked which it has: those are handed, the others unknown, for they may have
 *            been sent before anybody listened.
 */
#include "sms/outbox_lane.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sms/outbox_clock.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 10 * 1000,
};

static const char unknown_outcome[] = "unknown_outcome";
static const char modem_away[] = "modem_away";

struct lane_survey {
	bool unsaved; /* the disk lags behind */
	bool held;
	const struct outbox_message *handed; /* or NULL */
	struct outbox_message *next;	     /* first that is queued, or NULL */
};

static void lane_pause(struct outbox_lane *lane, uint64_t pause_ms)
{
	sd_event_source_set_time_relative(lane->pause_timer, pause_ms * USEC_PER_MS);
	sd_event_source_set_enabled(lane->pause_timer, SD_EVENT_ONESHOT);
}

static bool lane_is_paused(const struct outbox_lane *lane)
{
	return sd_event_source_get_enabled(lane->pause_timer, NULL) > 0;
}

/* 1 s, 2 s, 4 s, ... until the longest. */
static void lane_back_off(struct outbox_lane *lane, unsigned *refusals, uint64_t pause_ms)
{
	const struct outbox_timing *timing = &lane->shared->timing;
	unsigned refusal;

	for (refusal = 0; refusal < *refusals && pause_ms < timing->retry_most_ms;
	     refusal++)
		pause_ms *= 2;
	++*refusals;
	lane_pause(lane,
		   pause_ms < timing->retry_most_ms ? pause_ms : timing->retry_most_ms);
}

static void lane_accepted(struct outbox_lane *lane, struct outbox_message *message,
			  const char *uuid)
{
	lane->refusals = 0;
	outbox_message_hand(message, uuid,
			    lane->modem && lane->modem->uses_delivery_reports);
	outbox_told_pass(&lane->told, message);
	if (!lane->modem && message->state == STATE_HANDED) /* lost meanwhile */
		outbox_message_become(message, STATE_HELD, modem_away);
}

/* It is certain that oFono has it not. */
static void lane_not_handed(struct outbox_lane *lane, struct outbox_message *message,
			    const char *error)
{
	log_info("outbox: message %lld: oFono did not take it (%s)",
		 (long long)message->id, error ? error : "out of memory");
	/* Who waited has been told "unknown" and may have acted on it: no second try. */
	if (message->state == STATE_UNKNOWN)
		outbox_message_become(message, STATE_FAILED, "ofono_unavailable");
	else
		outbox_message_become(message, STATE_QUEUED, "not_taken");
	lane_back_off(lane, &lane->refusals, lane->shared->timing.retry_ms);
}

static void lane_put_down(struct outbox_lane *lane)
{
	if (lane->is_unanswered)
		sims_set_stuck(lane->shared->sims, lane->sim_id, false);
	lane->is_unanswered = false;
	lane->send = NULL;
	lane->in_hand = NULL;
	sd_event_source_set_enabled(lane->answer_timer, SD_EVENT_OFF);
	outbox_turn_later(lane->shared);
}

static void on_answer(void *data, const struct send_result *result)
{
	struct outbox_lane *lane = data;
	struct outbox_message *message = lane->in_hand;

	lane_put_down(lane);
	if (message->state == STATE_UNKNOWN)
		log_warning("outbox: message %lld: oFono answered late",
			    (long long)message->id);
	switch (result->outcome) {
	case SEND_ACCEPTED:
		lane_accepted(lane, message, result->uuid);
		break;
	case SEND_REFUSED:
		log_info("outbox: message %lld: oFono says %s", (long long)message->id,
			 result->error ? result->error : "no");
		lane->refusals = 0;
		outbox_message_become(
			message, STATE_FAILED,
			outbox_message_refusal(message, lane->modem, result->error));
		break;
	case SEND_NOT_HANDED:
		lane_not_handed(lane, message, result->error);
		break;
	case SEND_UNKNOWN:
		outbox_message_become(message, STATE_UNKNOWN, unknown_outcome);
		break;
	}
}

static int on_answer_late(sd_event_source *source, uint64_t usec, void *data)
{
	struct outbox_lane *lane = data;

	(void)source;
	(void)usec;
	log_warning("outbox: message %lld: no answer from oFono",
		    (long long)lane->in_hand->id);
	outbox_message_become(lane->in_hand, STATE_UNKNOWN, unknown_outcome);
	if (!lane->modem) { /* lost before: nothing will free the lane */
		message_send_cancel(lane->send);
		lane_put_down(lane);
		return 0;
	}
	lane->is_unanswered = true;
	sims_set_stuck(lane->shared->sims, lane->sim_id, true);
	return 0;
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct outbox_lane *lane = data;

	(void)source;
	(void)usec;
	outbox_turn_later(lane->shared);
	return 0;
}

/* The message is claimed: from here on only oFono's word makes it queued again. */
static void lane_send(struct outbox_lane *lane, struct outbox_message *message,
		      const struct outbox_words *words)
{
	const struct outbox_timing *timing = &lane->shared->timing;

	if (lane->modem) /* else lost meanwhile */
		lane->send = message_send(lane->modem, words->number, words->text,
					  on_answer, lane);
	if (!lane->send) {
		lane_not_handed(lane, message, NULL);
		return;
	}
	lane->in_hand = message;
	lane->told.count = 0;
	sd_event_source_set_time_relative(lane->answer_timer,
					  timing->answer_ms * USEC_PER_MS);
	sd_event_source_set_enabled(lane->answer_timer, SD_EVENT_ONESHOT);
}

void outbox_lane_send(struct outbox_lane *lane, int sync_error)
{
	struct outbox_message *message = lane->claimed;

	if (!message)
		return;
	lane->claimed = NULL;
	if (sync_error)
		lane_not_handed(lane, message, "the disk does not confirm it");
	else
		lane_send(lane, message, lane->claimed_words);
	free(lane->claimed_words);
	lane->claimed_words = NULL;
}

static void lane_claim(struct outbox_lane *lane, struct outbox_message *message,
		       struct modem *modem)
{
	struct outbox_words *words = message->words;
	int error = 0;

	message->words = NULL;
	if (!words)
		error = outbox_words_read(lane->shared->store, message->id, &words);

	/* A row that is not there makes the claim fail, which says so. */
	if (!error || error == STORE_E_NOT_FOUND)
		error = outbox_message_claim(message);
	assert(error || words);
	if (!error) {
		lane->modem = modem;
		lane->claimed = message;
		lane->claimed_words = words;
		return;
	}
	if (message->state == STATE_QUEUED)
		lane_pause(lane, lane->shared->timing.storage_ms);
	free(words);
}

static bool list_has(char (*uuids)[MESSAGE_UUID_BYTES], size_t count, const char *uuid)
{
	size_t place;

	for (place = 0; place < count; place++) {
		if (!strcmp(uuids[place], uuid))
			return true;
	}
	return false;
}

static void on_listed(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count)
{
	struct outbox_lane *lane = data;
	struct outbox_message *message;

	lane->listing = NULL;
	if (!uuids) {
		lane_back_off(lane, &lane->unlisted, lane->shared->timing.listing_ms);
		return;
	}
	lane->unlisted = 0;
	TAILQ_FOREACH (message, &lane->messages, link) {
		if (message->state != STATE_HELD)
			continue;
		if (!list_has(uuids, count, message->uuid)) {
			outbox_message_become(message, STATE_UNKNOWN, unknown_outcome);
			continue;
		}
		message->recall_due = message->unwanted;
		outbox_message_become(message, STATE_HANDED, "");
	}
	outbox_turn_later(lane->shared);
}

static void lane_ask(struct outbox_lane *lane, struct modem *modem)
{
	lane->modem = modem;
	lane->listing = message_list(modem, on_listed, lane);
	if (!lane->listing)
		lane_pause(lane, lane->shared->timing.listing_ms);
}

static struct lane_survey lane_survey(const struct outbox_lane *lane)
{
	struct lane_survey survey = { 0 };
	struct outbox_message *message;

	TAILQ_FOREACH (message, &lane->messages, link) {
		survey.unsaved |= !outbox_message_is_saved(message);
		survey.held |= message->state == STATE_HELD;
		if (message->state == STATE_HANDED)
			survey.handed = message;
		if (!survey.next && message->state == STATE_QUEUED &&
		    !outbox_clock_holds(message))
			survey.next = message;
	}
	return survey;
}

static void lane_save(struct outbox_lane *lane)
{
	struct outbox_message *message;

	TAILQ_FOREACH (message, &lane->messages, link) {
		outbox_message_save(message);
		if (!outbox_message_is_saved(message)) {
			lane_pause(lane, lane->shared->timing.storage_ms);
			return;
		}
	}
}

/* While it is not registered nothing can be sent, and the modem is not to blame. */
static void lane_watch(struct outbox_lane *lane, const struct lane_survey *survey,
		       const struct sim *sim)
{
	const struct outbox_timing *timing = &lane->shared->timing;
	uint64_t further = survey->handed && survey->handed->segments > 1
				   ? (uint64_t)survey->handed->segments - 1
				   : 0;

	if (survey->handed && sim && (sim->state == SIM_READY || sim->state == SIM_STUCK))
		outbox_patience_begin(&lane->patience,
				      timing->stuck_ms
					      ? timing->stuck_ms +
							timing->stuck_part_ms * further
					      : 0);
	else
		outbox_patience_end(&lane->patience);
}

static bool lane_is_busy(const struct outbox_lane *lane)
{
	return lane_is_paused(lane) || lane->send || lane->claimed || lane->listing;
}

static bool lane_may_hand(const struct outbox_lane *lane,
			  const struct lane_survey *survey, const struct sim *sim)
{
	return !lane_is_busy(lane) && !survey->held && !survey->handed && sim &&
	       sim->state == SIM_READY && !lane->shared->paused;
}

bool outbox_lane_is_free(const struct outbox_lane *lane)
{
	struct lane_survey survey = lane_survey(lane);

	return !survey.next && !survey.unsaved &&
	       lane_may_hand(lane, &survey, sims_find(lane->shared->sims, lane->sim_id));
}

void outbox_lane_pump(struct outbox_lane *lane)
{
	struct lane_survey survey = lane_survey(lane);
	const struct sim *sim = sims_find(lane->shared->sims, lane->sim_id);
	bool may_hand = lane_may_hand(lane, &survey, sim);

	lane_watch(lane, &survey, sim);
	if (may_hand && survey.next && outbox_message_is_readied(survey.next)) {
		lane_claim(lane, survey.next, sim->modem);
		return;
	}
	if (survey.unsaved && !lane_is_paused(lane))
		lane_save(lane);
	if (lane_is_busy(lane) || !sim)
		return;
	if (survey.held) {
		if (sim->modem->interfaces & MODEM_MESSAGE_MANAGER)
			lane_ask(lane, sim->modem);
		return;
	}
	if (may_hand && survey.next)
		lane_claim(lane, survey.next, sim->modem);
}

void outbox_lane_hear(struct outbox_lane *lane, const struct ofono_event *event)
{
	if (lane->send && lane->modem == event->modem)
		outbox_told_keep(&lane->told, event);
}

void outbox_lane_hurry(struct outbox_lane *lane)
{
	sd_event_source_set_enabled(lane->pause_timer, SD_EVENT_OFF);
	outbox_turn_later(lane->shared);
}

void outbox_lane_lose(struct outbox_lane *lane, const struct modem *modem)
{
	struct outbox_message *message;

	if (lane->modem != modem)
		return;
	lane->modem = NULL;
	message_listing_cancel(lane->listing);
	lane->listing = NULL;
	if (lane->send && lane->in_hand->state == STATE_UNKNOWN) {
		message_send_cancel(lane->send);
		lane_put_down(lane);
	}
	TAILQ_FOREACH (message, &lane->messages, link) {
		if (message->state == STATE_HANDED)
			outbox_message_become(message, STATE_HELD, modem_away);
	}
	outbox_turn_later(lane->shared);
}

bool outbox_lane_sweep(struct outbox_lane *lane)
{
	struct outbox_message *message, *next;

	for (message = TAILQ_FIRST(&lane->messages); message; message = next) {
		next = TAILQ_NEXT(message, link);
		if (message == lane->in_hand || message == lane->claimed ||
		    !outbox_message_is_done(message))
			continue;
		TAILQ_REMOVE(&lane->messages, message, link);
		outbox_message_free(message);
	}
	if (!TAILQ_EMPTY(&lane->messages))
		return false;
	outbox_patience_end(&lane->patience);
	return true;
}

struct outbox_message *outbox_lane_find(const struct outbox_lane *lane,
					int64_t message_id)
{
	struct outbox_message *message;

	/* Who asks has mostly just submitted it. */
	TAILQ_FOREACH_REVERSE(message, &lane->messages, outbox_message_list, link)
	{
		if (message->id == message_id)
			return message;
	}
	return NULL;
}

struct outbox_message *outbox_lane_find_uuid(const struct outbox_lane *lane,
					     const char *uuid)
{
	struct outbox_message *message;

	TAILQ_FOREACH (message, &lane->messages, link) {
		if (!strcmp(message->uuid, uuid))
			return message;
	}
	return NULL;
}

static int lane_add_timers(struct outbox_lane *lane)
{
	sd_event *loop = lane->shared->loop;
	int error = sd_event_add_time_relative(loop, &lane->answer_timer, CLOCK_MONOTONIC,
					       0, ACCURACY_USEC, on_answer_late, lane);

	if (error >= 0)
		error = sd_event_add_time_relative(loop, &lane->pause_timer,
						   CLOCK_MONOTONIC, 0, ACCURACY_USEC,
						   on_pause_over, lane);
	if (error >= 0)
		error = outbox_patience_init(&lane->patience, loop, lane->shared->sims,
					     lane->sim_id);
	if (error < 0)
		return error;
	sd_event_source_set_enabled(lane->answer_timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(lane->pause_timer, SD_EVENT_OFF);
	return 0;
}

struct outbox_lane *outbox_lane_new(struct outbox_shared *shared, int64_t sim_id)
{
	struct outbox_lane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->shared = shared;
	lane->sim_id = sim_id;
	TAILQ_INIT(&lane->messages);
	if (lane_add_timers(lane) < 0) {
		outbox_lane_free(lane);
		return NULL;
	}
	return lane;
}

void outbox_lane_free(struct outbox_lane *lane)
{
	struct outbox_message *message;

	message_send_cancel(lane->send);
	message_listing_cancel(lane->listing);
	free(lane->claimed_words);
	while ((message = TAILQ_FIRST(&lane->messages))) {
		TAILQ_REMOVE(&lane->messages, message, link);
		outbox_message_free(message);
	}
	outbox_patience_deinit(&lane->patience);
	sd_event_source_disable_unref(lane->answer_timer);
	sd_event_source_disable_unref(lane->pause_timer);
	free(lane);
}
