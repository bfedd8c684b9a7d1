/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_at is a time of the wall clock, and so is a validity that counts from it: they stay
 * when somebody sets the clock. All other times are durations that began at some moment: how
 * long a message is valid, waits for approval, or how long an approval is valid. They are
 * counted by CLOCK_BOOTTIME, which nobody sets; the wall clock time of their end, which
 * people read, is corrected when the clock is set.
 *
 * After a restart of the gateway the row has the boot time. A clock that was set forward
 * meanwhile looks like time that passed; one that was set back makes nothing later.
 *
 * After a restart of the machine nobody knows how long it was off (store_message_rebase_deadlines()).
 * Such a message expires as soon as either of these says so:
 *   - it was valid for as long as was left when the machine was last known to run
 *   - the wall clock, which no longer moves its times
 * While the wall clock is behind a time that the message has seen, it is wrong. The message
 * is neither submitted nor expired by it until the clock is right. So no restart makes a
 * deadline later (tests/unit/test_outbox_deadline.c).
 *
 * The earliest time of all messages has two timers. CLOCK_REALTIME follows a clock that is
 * set forward. CLOCK_BOOTTIME ends a counted validity although the clock was set back and
 * nothing else happens (tests/integration/test_clock.py::test_a_message_expires_though_the_clock_was_set_back).
 * When no message has a deadline, nothing wakes the process.
 *
 * While one has, the store knows how long this boot has lasted, whatever the wall clock
 * says: each minute is stored before it is lived, and a stop stores its exact time. So a loss
 * of power takes up to a minute from a deadline and adds nothing to it
 * (tests/integration/test_clock.py::test_reboots_in_1970_give_an_approval_no_extra_time).
 */
#include "sms/outbox_deadline.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "sms/outbox_message.h"
#include "sms/outbox_step.h"
#include "sms/sim_queue.h"

enum {
	USEC_PER_MS = 1000,
	OUTBOX_DEADLINE_LIVED_EARLY_MS = 10 * 1000, /* before the stored minute is over */
	OUTBOX_DEADLINE_LIVED_ACCURACY_US = 5 * 1000 * 1000,
};

#define MS_PER_HOUR (INT64_C(60) * 60 * 1000)

static int64_t outbox_deadline_earlier(int64_t one_ms, int64_t other_ms)
{
	return one_ms < other_ms ? one_ms : other_ms;
}

/*
 * Returns the wall clock time of a boot time; `known_ms` if that differs by a slew only. Negative
 * when more was lived than has passed since 1970.
 */
static int64_t outbox_deadline_wall_of(int64_t boot_ms, int64_t known_ms)
{
	int64_t wall_ms = clock_epoch_ms() + boot_ms;

	if (llabs(wall_ms - known_ms) < CLOCK_SLEW_MS)
		return known_ms;
	return wall_ms;
}

/* 0 would mean never, or not begun. */
static int64_t outbox_deadline_end_at(int64_t wall_ms)
{
	return wall_ms > 0 ? wall_ms : 1;
}

/*
 * The time in the row or the one of CLOCK_BOOTTIME, whichever is earlier: a clock that was
 * set forward meanwhile looks like time that passed. The row does not count if the clock has
 * been set for the first time since.
 */
static int64_t outbox_deadline_restore(int64_t row_ms, int64_t boot_ms)
{
	int64_t wall_ms = outbox_deadline_wall_of(boot_ms, row_ms);

	if (row_ms < CLOCK_SANE_MS && clock_wall_ms() >= CLOCK_SANE_MS)
		return wall_ms;
	return outbox_deadline_earlier(wall_ms, row_ms);
}

void outbox_deadline_ask_anew(struct outbox_message *message, int64_t now_ms)
{
	message->deadline.created_ms = now_ms;
	message->deadline.row_created_ms = now_ms;
}

/* Returns how much later than it was accepted its wait for an approval began. */
static int64_t outbox_deadline_asked_after_ms(const struct message *row)
{
	bool is_later =
		row->state == STATE_WAITING_APPROVAL && row->changed_ms > row->created_ms;

	return is_later ? row->changed_ms - row->created_ms : 0;
}

void outbox_deadline_read(struct outbox_message *message, const struct message *row)
{
	struct outbox_deadline *deadline = &message->deadline;
	int64_t later_ms = outbox_deadline_asked_after_ms(row);

	*deadline = (struct outbox_deadline){
		.created_ms = row->created_ms + later_ms,
		.row_created_ms = row->created_ms + later_ms,
		.send_at_ms = row->send_at_ms,
		.expires_at_ms = row->expires_at_ms,
		.counted_end_ms = row->send_at_ms ? 0 : row->expires_at_ms,
		.seen_ms = row->seen_ms,
		.ends_approval = row->flags & MESSAGE_ENDS_APPROVAL,
	};
	if (!row->boot) /* written just now */
		return;
	if (row->boot != clock_boot_number()) {
		/* the disk refused a later time */
		if (row->changed_ms > deadline->seen_ms)
			deadline->seen_ms = row->changed_ms;
		return;
	}
	deadline->created_ms =
		outbox_deadline_restore(row->created_ms, row->created_boot_ms) + later_ms;
	deadline->counted_end_ms = 0;
	if (!row->expires_boot_ms)
		return;
	if (deadline->seen_ms) {
		deadline->counted_end_ms = outbox_deadline_end_at(outbox_deadline_wall_of(
			row->expires_boot_ms, row->expires_at_ms));
		return;
	}
	deadline->counted_end_ms = outbox_deadline_end_at(
		outbox_deadline_restore(row->expires_at_ms, row->expires_boot_ms));
	deadline->expires_at_ms = deadline->counted_end_ms;
}

struct store_message_deadline outbox_deadline_row(const struct outbox_message *message)
{
	const struct outbox_deadline *deadline = &message->deadline;
	int64_t left_ms = deadline->counted_end_ms - clock_wall_ms();

	return (struct store_message_deadline){
		.expires_at_ms = deadline->expires_at_ms,
		.expires_boot_ms =
			deadline->counted_end_ms ? clock_boot_ms() + left_ms : 0,
		.seen_ms = deadline->seen_ms,
		.ends_approval = deadline->ends_approval,
	};
}

/* The deadline has changed in memory, whether or not the disk takes it. */
static void outbox_deadline_save(struct outbox_message *message)
{
	struct store_message_deadline row = outbox_deadline_row(message);
	struct store *store = message->messages->store;

	if (store_message_set_deadline(store, message->id, &row))
		log_error("outbox: message %lld: its deadline could not be stored",
			  (long long)message->id);
	outbox_messages_sync_later(message->messages);
}

static void outbox_deadline_follow_clock(struct outbox_message *message, int64_t later_ms)
{
	struct outbox_deadline *deadline = &message->deadline;

	if (!message_state_is_waiting(message->state))
		return;
	deadline->created_ms += later_ms;
	if (!deadline->counted_end_ms)
		return;
	deadline->counted_end_ms =
		outbox_deadline_end_at(deadline->counted_end_ms + later_ms);
	if (deadline->seen_ms)
		return;
	deadline->expires_at_ms = deadline->counted_end_ms;
	outbox_deadline_save(message);
}

void outbox_deadlines_follow_clock(struct outbox_deadlines *deadlines)
{
	int64_t later_ms = clock_set_by_ms(deadlines->epoch_ms);
	struct outbox_message *message;
	struct sim_queue *queue;

	if (!later_ms)
		return;
	deadlines->epoch_ms += later_ms;
	TAILQ_FOREACH (queue, &deadlines->queues->list, link) {
		TAILQ_FOREACH (message, &queue->messages, link)
			outbox_deadline_follow_clock(message, later_ms);
	}
}

/* A time that the message has seen is over, whatever the clock says now. */
static int64_t outbox_deadline_by_wall(const struct outbox_deadline *deadline,
				       int64_t end_ms)
{
	return end_ms <= deadline->seen_ms ? 1 : end_ms;
}

int64_t outbox_deadline_expiry(const struct outbox_message *message)
{
	const struct outbox_deadline *deadline = &message->deadline;

	if (!deadline->expires_at_ms)
		return INT64_MAX;
	if (!deadline->seen_ms)
		return deadline->expires_at_ms;
	return outbox_deadline_earlier(
		outbox_deadline_by_wall(deadline, deadline->expires_at_ms),
		deadline->counted_end_ms ? deadline->counted_end_ms : INT64_MAX);
}

int64_t outbox_deadline_approval_wait_ms(const struct config *config)
{
	return config->approval_hours * MS_PER_HOUR;
}

int64_t outbox_deadline_end(const struct outbox_message *message,
			    const struct config *config)
{
	const struct outbox_deadline *deadline = &message->deadline;
	int64_t expiry_ms = outbox_deadline_expiry(message);
	int64_t wait_ms = outbox_deadline_approval_wait_ms(config);
	int64_t waited_ms = deadline->created_ms + wait_ms;

	if (message->state != STATE_WAITING_APPROVAL)
		return expiry_ms;
	if (deadline->seen_ms && deadline->row_created_ms >= CLOCK_SANE_MS)
		waited_ms = outbox_deadline_earlier(
			outbox_deadline_by_wall(deadline,
						deadline->row_created_ms + wait_ms),
			waited_ms);
	return outbox_deadline_earlier(expiry_ms, waited_ms);
}

bool outbox_deadline_is_uncertain(const struct outbox_message *message)
{
	return message->deadline.expires_at_ms &&
	       clock_wall_ms() < message->deadline.seen_ms;
}

/* What the message saw before the approval counts for its own validity only. */
void outbox_deadline_approve(struct outbox_message *message, int64_t now_ms,
			     int64_t expires_at_ms)
{
	struct outbox_deadline *deadline = &message->deadline;
	bool is_scheduled = deadline->send_at_ms > now_ms;

	deadline->ends_approval = expires_at_ms != outbox_deadline_expiry(message);
	if (!deadline->expires_at_ms)
		deadline->seen_ms = 0;
	if (is_scheduled || !deadline->seen_ms)
		deadline->expires_at_ms = expires_at_ms;
	deadline->counted_end_ms = is_scheduled ? 0 : expires_at_ms;
}

void outbox_deadline_renew(struct outbox_message *message)
{
	struct outbox_deadline *deadline = &message->deadline;

	if (outbox_deadline_expiry(message) > clock_wall_ms())
		return;
	deadline->expires_at_ms = deadline->counted_end_ms = 0;
	deadline->ends_approval = false;
	outbox_deadline_save(message);
}

void outbox_deadline_postpone(struct outbox_message *message, int64_t send_at_ms)
{
	struct outbox_deadline *deadline = &message->deadline;
	int64_t planned_ms =
		deadline->send_at_ms ? deadline->send_at_ms : deadline->created_ms;

	if (deadline->ends_approval) /* which goes on when the message may go */
		planned_ms = clock_wall_ms();
	if (deadline->expires_at_ms)
		deadline->expires_at_ms += send_at_ms - planned_ms;
	deadline->send_at_ms = send_at_ms;
	deadline->counted_end_ms = 0;
}

/* Returns why it expires; call it before its state changes. */
static const char *outbox_deadline_reason(const struct outbox_message *message,
					  const struct config *config)
{
	if (message->state != STATE_WAITING_APPROVAL)
		return message->deadline.ends_approval ? "approval_expired"
						       : "validity_over";
	return outbox_deadline_end(message, config) == outbox_deadline_expiry(message)
		       ? "validity_over"
		       : "approval_not_given";
}

/* The radio that may have it did not come back in time. Late news still corrects that. */
static int64_t outbox_deadline_run_doubtful(struct outbox_message *message,
					    const struct outbox_timing *timing,
					    int64_t now_ms)
{
	int64_t expiry_ms = outbox_deadline_expiry(message), resend_ms = INT64_MAX;

	if (message->routed.resends && message->doubtful_since_ms)
		resend_ms = message->doubtful_since_ms + (int64_t)timing->resend_ms;
	if (expiry_ms > now_ms && resend_ms <= now_ms) {
		message->leaves = "in_doubt";
		message->is_decided = true;
		return expiry_ms;
	}
	if (expiry_ms > now_ms)
		return outbox_deadline_earlier(expiry_ms, resend_ms);
	outbox_step_lose(message);
	return INT64_MAX;
}

/* Does what is due. Returns when there is more to do; INT64_MAX for never. */
static int64_t outbox_deadline_run(struct outbox_message *message,
				   const struct sim_queues *queues,
				   const struct config *config, int64_t now_ms)
{
	struct outbox_deadline *deadline = &message->deadline;
	int64_t next_ms;

	if (queues->messages->sends_again && outbox_message_is_in_doubt(message))
		return outbox_deadline_run_doubtful(message, &queues->timing, now_ms);
	if (!message_state_is_waiting(message->state))
		return INT64_MAX;
	if (deadline->send_at_ms && deadline->send_at_ms <= now_ms &&
	    deadline->expires_at_ms && !deadline->counted_end_ms) {
		/* from now on its validity is counted */
		deadline->counted_end_ms = deadline->expires_at_ms;
		outbox_deadline_save(message);
	}
	if (outbox_deadline_end(message, config) <= now_ms)
		outbox_step_expire(message, outbox_deadline_reason(message, config));
	else if (message->state == STATE_SCHEDULED && deadline->send_at_ms <= now_ms)
		outbox_step_due(message);
	if (!message_state_is_waiting(message->state))
		return INT64_MAX;
	next_ms = outbox_deadline_end(message, config);
	if (outbox_deadline_is_uncertain(message))
		next_ms = outbox_deadline_earlier(next_ms, deadline->seen_ms);
	if (message->state == STATE_SCHEDULED)
		next_ms = outbox_deadline_earlier(next_ms, deadline->send_at_ms);
	return next_ms;
}

static void outbox_deadlines_set_timers(struct outbox_deadlines *deadlines,
					int64_t next_ms, int64_t now_ms)
{
	int state = next_ms == INT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT, error = 0;
	int64_t left_ms = next_ms > now_ms ? next_ms - now_ms : 0;

	if (deadlines->next_ms == next_ms)
		return;
	deadlines->next_ms = next_ms;
	if (state != SD_EVENT_OFF) {
		error = sd_event_source_set_time(deadlines->wall_timer,
						 (uint64_t)next_ms * USEC_PER_MS);
		if (error >= 0)
			error = sd_event_source_set_time_relative(
				deadlines->boot_timer, (uint64_t)left_ms * USEC_PER_MS);
	}
	if (error >= 0)
		error = sd_event_source_set_enabled(deadlines->wall_timer, state);
	if (error >= 0)
		error = sd_event_source_set_enabled(deadlines->boot_timer, state);
	if (error < 0)
		log_error("outbox: the timer for scheduled messages failed: %s",
			  strerror(-error));
}

static void outbox_deadlines_store_lived(struct outbox_deadlines *deadlines,
					 int64_t until_boot_ms)
{
	int error = store_message_set_lived(deadlines->messages->store, until_boot_ms);

	if (error && !deadlines->lived_is_refused)
		log_error(
			"outbox: the time that deadlines count could not be stored (%s)",
			error < 0 ? strerror(-error) : "the disk is full");
	deadlines->lived_is_refused = error != 0;
}

/* Has a minute begun that nobody has stored yet, or did the boot clock go back? */
static bool outbox_deadlines_is_lived_due(const struct outbox_deadlines *deadlines,
					  int64_t boot_ms)
{
	int64_t stored_ms =
		store_message_lived_until(deadlines->messages->store) - boot_ms;

	return stored_ms <= OUTBOX_DEADLINE_LIVED_EARLY_MS || stored_ms > STORE_LIVED_MS;
}

static void outbox_deadlines_count_lived(struct outbox_deadlines *deadlines, bool counts)
{
	int64_t boot_ms = clock_boot_ms(), pause_ms;
	int error;

	if (counts && outbox_deadlines_is_lived_due(deadlines, boot_ms))
		outbox_deadlines_store_lived(deadlines, boot_ms + STORE_LIVED_MS);
	else if (counts == deadlines->lived_is_armed)
		return;
	deadlines->counts_lived = deadlines->lived_is_armed = counts;
	pause_ms = store_message_lived_until(deadlines->messages->store) - boot_ms -
		   OUTBOX_DEADLINE_LIVED_EARLY_MS;
	if (pause_ms <= 0 || pause_ms > STORE_LIVED_MS) /* the disk refuses it */
		pause_ms = STORE_LIVED_MS;
	error = sd_event_source_set_time_relative(deadlines->lived_timer,
						  (uint64_t)pause_ms * USEC_PER_MS);
	if (error >= 0)
		error = sd_event_source_set_enabled(
			deadlines->lived_timer, counts ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
	if (error < 0)
		log_error(
			"outbox: the timer for the time that deadlines count failed: %s",
			strerror(-error));
}

/* `next_ms` is what outbox_deadline_run() returned for it. A time to send at is no deadline. */
static bool outbox_deadline_is_counted(const struct outbox_message *message,
				       int64_t next_ms)
{
	return next_ms != INT64_MAX && (message->deadline.expires_at_ms ||
					message->state == STATE_WAITING_APPROVAL);
}

void outbox_deadlines_run(struct outbox_deadlines *deadlines)
{
	int64_t now_ms = clock_wall_ms(), next_ms = INT64_MAX, message_ms;
	bool counts = false;
	struct outbox_message *message;
	struct sim_queue *queue;

	outbox_deadlines_follow_clock(deadlines);
	TAILQ_FOREACH (queue, &deadlines->queues->list, link) {
		TAILQ_FOREACH (message, &queue->messages, link) {
			message_ms = outbox_deadline_run(message, deadlines->queues,
							 deadlines->config, now_ms);
			next_ms = outbox_deadline_earlier(next_ms, message_ms);
			counts |= outbox_deadline_is_counted(message, message_ms);
		}
	}
	outbox_deadlines_set_timers(deadlines, next_ms, now_ms);
	outbox_deadlines_count_lived(deadlines, counts);
}

/* The clock may have been set back meanwhile, so the outbox looks at the times itself. */
static int outbox_deadlines_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct outbox_deadlines *deadlines = data;

	deadlines->next_ms = 0; /* one of the timers is off now */
	outbox_messages_request_run(deadlines->messages);
	return 0;
}

static int outbox_deadlines_on_lived_timer(sd_event_source *source, uint64_t usec,
					   void *data)
{
	struct outbox_deadlines *deadlines = data;

	deadlines->lived_is_armed = false; /* it may be early by a little */
	outbox_messages_request_run(deadlines->messages);
	return 0;
}

static int outbox_deadlines_add_timer(struct outbox_deadlines *deadlines, sd_event *loop,
				      clockid_t clock, sd_event_source **timer_out)
{
	int error = sd_event_add_time(loop, timer_out, clock, UINT64_MAX, 0,
				      outbox_deadlines_on_timer, deadlines);

	return error < 0 ? error : sd_event_source_set_enabled(*timer_out, SD_EVENT_OFF);
}

int outbox_deadlines_init(struct outbox_deadlines *deadlines, sd_event *loop)
{
	int error;

	deadlines->next_ms = INT64_MAX;
	deadlines->epoch_ms = clock_epoch_ms();
	error = outbox_deadlines_add_timer(deadlines, loop, CLOCK_REALTIME,
					   &deadlines->wall_timer);
	if (error >= 0)
		error = outbox_deadlines_add_timer(deadlines, loop, CLOCK_BOOTTIME,
						   &deadlines->boot_timer);
	if (error >= 0)
		error = sd_event_add_time(loop, &deadlines->lived_timer, CLOCK_BOOTTIME,
					  UINT64_MAX, OUTBOX_DEADLINE_LIVED_ACCURACY_US,
					  outbox_deadlines_on_lived_timer, deadlines);
	if (error >= 0)
		error = sd_event_source_set_enabled(deadlines->lived_timer, SD_EVENT_OFF);
	return error;
}

void outbox_deadlines_deinit(struct outbox_deadlines *deadlines)
{
	deadlines->wall_timer = sd_event_source_disable_unref(deadlines->wall_timer);
	deadlines->boot_timer = sd_event_source_disable_unref(deadlines->boot_timer);
	deadlines->lived_timer = sd_event_source_disable_unref(deadlines->lived_timer);
	if (!deadlines->counts_lived)
		return;
	deadlines->counts_lived = false;
	outbox_deadlines_store_lived(deadlines, clock_boot_ms());
}
