/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   a message waits, or was edited -> its revision gets a number (store) -> a text with the key
 *   "approval-ID.REVISION" is accepted
 *   an answer was stored -> the decision (outbox) -> a reply with the key "answer-ID" is
 *   accepted -> the answer is removed (store)
 *
 * Everything is found in the store, so the same steps go on after a crash: a text whose key
 * exists is not accepted again. They run before the loop sleeps, when something changed; what
 * the limit or the disk puts off is done when the timer says so.
 */
#include "sms/approval_notice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/event_loop.h"
#include "base/client.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/utf8.h"
#include "config/config.h"
#include "store/store_approval_notice.h"
#include "store/store_command.h"
#include "text/code_mask.h"
#include "text/segments.h"

enum {
	APPROVAL_NOTICE_ARENA_BYTES = 1024 * 1024,
	APPROVAL_NOTICE_WAITING_MAX = 128, /* that are looked at in one run */
	APPROVAL_NOTICE_ANSWERS_MAX = 16,
	APPROVAL_NOTICE_EXCERPT_MAX = 60, /* characters of the text */
	APPROVAL_NOTICE_EXCERPT_MIN = 20, /* for fewer, a second segment is better */
	APPROVAL_NOTICE_TEXT_BYTES = 1024,
	APPROVAL_NOTICE_KEY_BYTES = 64,
	APPROVAL_NOTICE_RETRY_MS = 60 * 1000,
};

/* When this run ends, the timer is set for the earliest of these. */
static void approval_notice_run_later(struct approval_notice *notices, int64_t wait_ms)
{
	if (!notices->wait_ms || wait_ms < notices->wait_ms)
		notices->wait_ms = wait_ms;
}

/*
 * Accepts a text of the gateway, unless one with this key was. Returns 0 or an error of the outbox.
 */
static int approval_notice_send(struct approval_notice *notices,
				const struct store_message_draft *draft)
{
	struct arena *arena = arena_new(APPROVAL_NOTICE_ARENA_BYTES);
	struct store_message_draft whole = *draft;
	struct segments segments;
	struct message sent;
	int64_t message_id;
	int error = arena ? store_message_by_key(notices->store, CLIENT_GATEWAY,
						 draft->idempotency_key, arena, &sent)
			  : -ENOMEM;

	arena_free(arena);
	if (error != STORE_E_NOT_FOUND)
		return error;
	segments_measure(draft->text, &segments);
	whole.client_id = CLIENT_GATEWAY;
	whole.segments = segments.count;
	error = outbox_accept(notices->outbox, &whole, &message_id);
	if (error)
		log_warning(
			"approval: the owner cannot be texted: the outbox does not accept it");
	return error;
}

/* ---- questions */

/* The first of the owner's numbers that can answer. Returns false if none can. */
static bool approval_notice_find_owner(const struct approval_notice *notices,
				       char number_out[CONFIG_AGENT_NUMBER_BYTES])
{
	const struct config_agent *agent = &notices->config->agent;
	struct store_command_sender sender;

	for (size_t i = 0; config_agent_number(agent, i, number_out); i++) {
		if (store_command_find(notices->store, number_out, &sender) == 0)
			return true;
	}
	return false;
}

/* Writes the beginning of a text on one line, with nothing that hides or that oFono cannot send. */
static void approval_notice_excerpt(const char *text, size_t most, char *excerpt)
{
	size_t count = 0;

	for (; *text && count < most; count++) {
		uint32_t character = utf8_next(&text);

		if (character == '\n' || character == '\r' || character == '\t')
			character = ' ';
		else if (escape_is_needed(character) || segments_is_unsendable(character))
			character = '?';
		excerpt += utf8_write(character, excerpt);
	}
	strcpy(excerpt, *text ? "..." : "");
}

/* The instructions come first: nothing in the message can be taken for them. */
static void approval_notice_format(const struct config_agent *agent, int64_t number,
				   const struct message *message, const char *excerpt,
				   char question[APPROVAL_NOTICE_TEXT_BYTES])
{
	snprintf(question, APPROVAL_NOTICE_TEXT_BYTES,
		 "Approval %" PRId64 ": reply %s %" PRId64 " CODE or %s %" PRId64
		 " CODE. To %s: %s",
		 number, agent->approve_word, number, agent->reject_word, number,
		 message->number, excerpt);
}

/* Writes it in one segment, if enough of the text fits into it. */
static void approval_notice_write(const struct config_agent *agent, int64_t number,
				  const struct message *message, const char *text,
				  char question[APPROVAL_NOTICE_TEXT_BYTES])
{
	char excerpt[4 * APPROVAL_NOTICE_EXCERPT_MAX + 4];
	struct segments segments = { .count = 0 };

	for (size_t most = APPROVAL_NOTICE_EXCERPT_MAX;
	     segments.count != 1 && most >= APPROVAL_NOTICE_EXCERPT_MIN; most--) {
		approval_notice_excerpt(text, most, excerpt);
		approval_notice_format(agent, number, message, excerpt, question);
		segments_measure(question, &segments);
	}
	if (segments.count == 1)
		return;
	approval_notice_excerpt(text, APPROVAL_NOTICE_EXCERPT_MAX, excerpt);
	approval_notice_format(agent, number, message, excerpt, question);
}

static int approval_notice_ask(struct approval_notice *notices,
			       const struct store_approval_notice *notice,
			       const struct message *message, const char *owner)
{
	const struct config_agent *agent = &notices->config->agent;
	struct buffer masked = BUFFER_INIT;
	char question[APPROVAL_NOTICE_TEXT_BYTES], key[APPROVAL_NOTICE_KEY_BYTES];
	bool is_masked = code_mask(message->text, &masked);
	int error = -ENOMEM;

	buffer_append(&masked, "", 1);
	if (!masked.failed) {
		approval_notice_write(agent, notice->number, message,
				      is_masked ? masked.data : message->text, question);
		snprintf(key, sizeof(key), "approval-%" PRId64 ".%u", notice->message_id,
			 notice->revision);
		error = approval_notice_send(
			notices,
			&(struct store_message_draft){
				.sim_id = agent->sim ? agent->sim : message->sim_id,
				.number = owner,
				.text = question,
				.idempotency_key = key,
				.expires_at_ms = outbox_approval_until(
					notices->outbox, notices->config, message),
			});
	}
	buffer_deinit(&masked);
	return error;
}

/* A message waits: asks about its present revision, if that was not done. */
static void approval_notice_check(struct approval_notice *notices, int64_t message_id,
				  const char *owner)
{
	struct arena *arena = arena_new(APPROVAL_NOTICE_ARENA_BYTES);
	struct store_approval_notice notice;
	struct message message;
	int64_t wait_ms = APPROVAL_NOTICE_RETRY_MS;
	int error = arena ? store_message_get(notices->store, message_id, arena, &message)
			  : -ENOMEM;

	if (!error)
		error = store_approval_notice_of(notices->store, message_id,
						 message.revision, &notice);
	if (error == STORE_E_NOT_FOUND)
		error = store_approval_notice_add(
			notices->store, message_id, message.revision,
			notices->config->agent.approvals_per_hour, &notice, &wait_ms);
	if (!error)
		error = approval_notice_ask(notices, &notice, &message, owner);
	if (error)
		approval_notice_run_later(notices, wait_ms);
	arena_free(arena);
}

struct approval_notice_waiting {
	unsigned count;
	int64_t ids[APPROVAL_NOTICE_WAITING_MAX];
};

static void approval_notice_list(void *data, const struct message *message)
{
	struct approval_notice_waiting *waiting = data;

	if (message->state == STATE_WAITING_APPROVAL &&
	    message->client_id != CLIENT_GATEWAY &&
	    waiting->count < APPROVAL_NOTICE_WAITING_MAX)
		waiting->ids[waiting->count++] = message->id;
}

static void approval_notice_ask_all(struct approval_notice *notices)
{
	struct approval_notice_waiting waiting = { .count = 0 };
	char owner[CONFIG_AGENT_NUMBER_BYTES];

	if (!notices->config->agent.approvals ||
	    !outbox_waiting_for_approval(notices->outbox) ||
	    !approval_notice_find_owner(notices, owner))
		return;
	if (store_message_list_unfinished(notices->store, approval_notice_list, &waiting))
		approval_notice_run_later(notices, APPROVAL_NOTICE_RETRY_MS);
	for (unsigned i = 0; i < waiting.count; i++)
		approval_notice_check(notices, waiting.ids[i], owner);
}

/* ---- answers */

/* Returns what became of a message that is not waiting, in a word. */
static const char *approval_notice_fate(const struct message *message)
{
	if (strcmp(message->reason, "approval_rejected") == 0)
		return "was rejected before";
	switch (message->state) {
	case STATE_EXPIRED:
		return "has expired";
	case STATE_CANCELLED:
		return "was cancelled";
	default:
		return "was approved before";
	}
}

/* Returns 0, or an outcome of the outbox. */
static int approval_notice_decide(struct approval_notice *notices,
				  const struct store_command_answer *answer,
				  const struct store_approval_notice *notice,
				  const struct message *message)
{
	char who[48];

	if (message->state == STATE_WAITING_APPROVAL &&
	    message->revision != notice->revision)
		return OUTBOX_E_EDITED;
	/* the number is in the audit line of that message */
	snprintf(who, sizeof(who), "owner by SMS (message %" PRId64 ")",
		 answer->message_id);
	return answer->approves
		       ? outbox_approval_give(notices->outbox, notice->message_id,
					      notice->revision, who)
		       : outbox_approval_reject(notices->outbox, notice->message_id, who,
						"");
}

/*
 * Decides, and writes what the owner is told. Returns false if the disk refuses; try again later.
 */
static bool approval_notice_carry_out(struct approval_notice *notices,
				      const struct store_command_answer *answer,
				      int64_t *sim_id_out, char *reply, size_t size)
{
	struct arena *arena = arena_new(APPROVAL_NOTICE_ARENA_BYTES);
	struct store_approval_notice notice;
	struct message message;
	int outcome, error = arena ? store_approval_notice_find(notices->store,
								answer->approval_number,
								&notice)
				   : -ENOMEM;
	bool done = true;

	if (!error)
		error = store_message_get(notices->store, notice.message_id, arena,
					  &message);
	if (error == STORE_E_NOT_FOUND) {
		snprintf(reply, size, "There is no approval %" PRId64 ".",
			 answer->approval_number);
	} else if (error) {
		done = false;
	} else {
		*sim_id_out = message.sim_id;
		outcome = approval_notice_decide(notices, answer, &notice, &message);
		if (!outcome)
			snprintf(reply, size, "%s: %" PRId64 ".",
				 answer->approves ? "Approved" : "Rejected",
				 notice.number);
		else if (outcome == OUTBOX_E_EDITED)
			snprintf(reply, size,
				 "%" PRId64 " was changed by the agent: nothing is "
				 "decided, see the new question.",
				 notice.number);
		else if (outcome == OUTBOX_E_NOT_WAITING)
			snprintf(reply, size, "Nothing is changed: %" PRId64 " %s.",
				 notice.number, approval_notice_fate(&message));
		else
			done = false;
	}
	arena_free(arena);
	return done;
}

/* Returns false if it is to be tried again later. */
static bool approval_notice_handle(struct approval_notice *notices,
				   const struct store_command_answer *answer)
{
	char reply[160], key[APPROVAL_NOTICE_KEY_BYTES];
	int64_t sim_id = 0;

	if (!approval_notice_carry_out(notices, answer, &sim_id, reply, sizeof(reply)))
		return false;
	if (answer->sim_id)
		sim_id = answer->sim_id;
	snprintf(key, sizeof(key), "answer-%" PRId64, answer->message_id);
	if (sim_id && approval_notice_send(notices, &(struct store_message_draft){
							    .sim_id = sim_id,
							    .number = answer->number,
							    .text = reply,
							    .idempotency_key = key,
						    }))
		log_warning("approval: an answer of the owner gets no reply");
	return store_command_end_answer(notices->store, answer->message_id) == 0;
}

static void approval_notice_handle_all(struct approval_notice *notices)
{
	struct store_command_answer answer;

	for (unsigned i = 0; i < APPROVAL_NOTICE_ANSWERS_MAX; i++) {
		int error = store_command_next_answer(notices->store, &answer);

		if (error == STORE_E_NOT_FOUND)
			return;
		if (error || !approval_notice_handle(notices, &answer))
			break;
	}
	approval_notice_run_later(notices, APPROVAL_NOTICE_RETRY_MS);
}

/* ---- when */

static int approval_notice_run(sd_event_source *source, void *data)
{
	struct approval_notice *notices = data;

	if (!notices->due)
		return 0;
	notices->due = false;
	notices->wait_ms = 0;
	approval_notice_handle_all(notices);
	approval_notice_ask_all(notices);
	sd_event_source_set_time_relative(notices->timer,
					  (uint64_t)notices->wait_ms * 1000);
	sd_event_source_set_enabled(notices->timer,
				    notices->wait_ms ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
	return 0;
}

static int approval_notice_on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	struct approval_notice *notices = data;

	notices->due = true;
	return 0;
}

static void approval_notice_on_outbox(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct approval_notice *notices = data;

	if (event->state == STATE_WAITING_APPROVAL)
		notices->due = true;
}

static void approval_notice_on_inbox(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;
	struct approval_notice *notices = data;

	if (event->flags & MESSAGE_ANSWER && !(event->flags & MESSAGE_COMMAND_REFUSED))
		notices->due = true;
}

int approval_notice_init(struct approval_notice *notices, sd_event *loop,
			 struct inbox *inbox)
{
	int error = sd_event_add_time_relative(loop, &notices->timer, CLOCK_BOOTTIME, 0,
					       0, approval_notice_on_timer, notices);

	if (error >= 0)
		error = sd_event_source_set_enabled(notices->timer, SD_EVENT_OFF);
	if (error >= 0)
		error = event_loop_add_before_sleep(loop, &notices->before_sleep,
						    approval_notice_run, notices);
	if (error < 0) {
		notices->timer = sd_event_source_disable_unref(notices->timer);
		return error;
	}
	notices->due = true; /* a crash may have left something */
	observer_add(outbox_observers(notices->outbox), &notices->outbox_observer,
		     approval_notice_on_outbox, notices);
	observer_add(inbox_observers(inbox), &notices->inbox_observer,
		     approval_notice_on_inbox, notices);
	return 0;
}

void approval_notice_review(struct approval_notice *notices)
{
	notices->due = true;
}

void approval_notice_deinit(struct approval_notice *notices)
{
	observer_remove(&notices->outbox_observer);
	observer_remove(&notices->inbox_observer);
	notices->before_sleep = sd_event_source_disable_unref(notices->before_sleep);
	notices->timer = sd_event_source_disable_unref(notices->timer);
}
