/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last messages with the number that follow each other without a pause of loop_minutes
 * are one run. An exchange in it is our message, their reply and our answer to that. It looks
 * like two machines if
 *
 *   both reply within a minute, and their text repeats: it nearly equals one of their
 *      previous two, or our message before it;
 *   both reply within 10 s, and nobody types so fast;
 *   they began the run, and we answered within 3 s.
 *
 * Each such exchange counts, and each other one takes one back, so people may repeat
 * themselves. loop_exchanges within loop_minutes are a loop. In the same way four times as
 * many are one whose replies took less than 30 s, whatever they say. From the owner's own
 * numbers only repeated texts count.
 */
#include "sms/reply_loop.h"

#include <string.h>

#include "base/client.h"
#include "base/log.h"
#include "base/utf8.h"
#include "config/config.h"
#include "sms/outbox.h"
#include "sms/sender.h"

enum {
	MESSAGES_MAX = 256,
	ARENA_BYTES = 2 * 1024 * 1024,
	MS_PER_MINUTE = 60 * 1000,
	AT_ONCE_MS = 3 * 1000,
	QUICK_MS = 10 * 1000,
	BRISK_MS = 30 * 1000,
	MINUTE_MS = 60 * 1000,
	BRISK_TIMES = 4,
	/* 25 characters per second and what it takes to begin; dictating is slower */
	TYPING_MS = 40,
	TYPING_BEGIN_MS = 300,
	LETTERS_MIN = 8, /* people often repeat "ok" and "yes" */
	LETTERS_MAX = 160,
	SIMILAR_PERCENT = 80,
};

const char reply_loop_reason[] = "loop_suspected";

/* oldest first */
struct reply_loop_run {
	unsigned count;
	struct message messages[MESSAGES_MAX];
	int64_t window_ms;
	int64_t waiting_id;
	int64_t rejected_id;
	bool is_owner; /* their number is one of the owner's */
};

static bool reply_loop_is_rejected(const struct message *message)
{
	return message->state == STATE_FAILED &&
	       strcmp(message->reason, "approval_rejected") == 0;
}

/* Did it go out, or will it at once? */
static bool reply_loop_is_answer(const struct message *message)
{
	switch (message->state) {
	case STATE_CANCELLED:
	case STATE_EXPIRED:
	case STATE_SCHEDULED:
	case STATE_WAITING_APPROVAL:
	case STATE_FAILED:
		return false;
	case STATE_QUEUED:
	case STATE_SUBMITTING:
	case STATE_SUBMITTED:
	case STATE_HELD:
	case STATE_SENT:
	case STATE_DELIVERED:
	case STATE_UNKNOWN:
	case STATE_RECEIVED:
		break;
	}
	return message->direction == MESSAGE_OUTGOING;
}

static bool reply_loop_is_apart(int64_t earlier_ms, int64_t later_ms, int64_t window_ms)
{
	int64_t ms = later_ms - earlier_ms;

	return ms >= window_ms || ms <= -window_ms; /* clocks are set forward and back */
}

/* ---- the run */

/*
 * Keeps the messages, newest first, up to the first pause, without those that never went out; then
 * puts the oldest first. Returns false if there was no pause.
 */
static bool reply_loop_keep_last(struct reply_loop_run *run, int64_t now_ms)
{
	int64_t later_ms = now_ms;
	bool has_pause = false;
	unsigned kept = 0;

	for (unsigned at = 0; at < run->count; at++) {
		const struct message *message = &run->messages[at];

		if (message->state == STATE_WAITING_APPROVAL &&
		    strcmp(message->reason, reply_loop_reason) == 0)
			run->waiting_id = message->id;
		if (!run->rejected_id && reply_loop_is_rejected(message))
			run->rejected_id = message->id;
		if (message->direction == MESSAGE_OUTGOING &&
		    !reply_loop_is_answer(message))
			continue;
		has_pause = reply_loop_is_apart(message->created_ms, later_ms,
						run->window_ms);
		if (has_pause)
			break;
		later_ms = message->created_ms;
		run->messages[kept++] = *message;
	}
	for (unsigned i = 0; i < kept / 2; i++) {
		struct message swapped = run->messages[i];

		run->messages[i] = run->messages[kept - 1 - i];
		run->messages[kept - 1 - i] = swapped;
	}
	run->count = kept;
	return has_pause;
}

/* Reads the last run. It reads few messages first, because most numbers are quiet. */
static bool reply_loop_read_run(const struct reply_loop_question *question,
				const struct store_party *party, struct arena *arena,
				struct reply_loop_run *run)
{
	static const unsigned limits[] = { 1, 8, MESSAGES_MAX };

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct store_party_recent_query recent = {
			.arena = arena,
			.limit = limits[i],
			.messages = run->messages,
		};

		if (store_party_recent(question->store, party, &recent)) {
			log_warning("loop: the last messages with %s could not be read",
				    log_number(question->end.number));
			return false;
		}
		run->count = recent.count;
		if (reply_loop_keep_last(run, question->now_ms) ||
		    recent.count < limits[i])
			break;
	}
	return run->count > 0;
}

/* ---- texts that repeat */

/* Returns the letters of a text without case: numbers, dates and punctuation may differ. */
static size_t reply_loop_read_letters(const char *text, char letters[LETTERS_MAX + 4])
{
	size_t length = 0;

	while (*text && length < LETTERS_MAX) {
		uint32_t character = utf8_fold(utf8_next(&text));

		if (character > 0x7f || (character >= 'a' && character <= 'z'))
			length += utf8_write(character, letters + length);
	}
	return length;
}

/* Are most letters equal, from the beginning or to the end? */
static bool reply_loop_is_similar(const char *one, const char *other)
{
	char letters[2][LETTERS_MAX + 4];
	size_t lengths[2] = { reply_loop_read_letters(one, letters[0]),
			      reply_loop_read_letters(other, letters[1]) };
	size_t less = lengths[lengths[1] < lengths[0]];
	size_t more = lengths[lengths[1] >= lengths[0]];
	size_t equal = 0, behind = 0;

	if (less < LETTERS_MIN)
		return false;
	while (equal < less && letters[0][equal] == letters[1][equal])
		equal++;
	while (behind < less - equal &&
	       letters[0][lengths[0] - 1 - behind] == letters[1][lengths[1] - 1 - behind])
		behind++;
	return (equal + behind) * 100 >= more * SIMILAR_PERCENT;
}

/* Their message is at `at`, and one of ours is right before it. */
static bool reply_loop_is_repeated(const struct reply_loop_run *run, unsigned at)
{
	const char *text = run->messages[at].text;
	bool is_answered = false;
	unsigned compared = 0;

	for (unsigned before = at; before-- > 0 && compared < 2;) {
		const struct message *earlier = &run->messages[before];

		if (earlier->direction == MESSAGE_OUTGOING) {
			if (!is_answered && reply_loop_is_similar(earlier->text, text))
				return true; /* an echo */
			is_answered = true;
		} else if (is_answered) {
			compared++;
			if (reply_loop_is_similar(earlier->text, text))
				return true;
		}
	}
	return false;
}

/* ---- exchanges */

struct reply_loop_exchange {
	int64_t theirs_ms; /* from our message to their reply; -1 if they began */
	int64_t ours_ms;   /* from that to our answer */
	const struct message *reply;
};

/* Our answer is at `at`, their message right before it, or several. */
static struct reply_loop_exchange reply_loop_exchange_at(const struct reply_loop_run *run,
							 unsigned at)
{
	const struct message *reply = &run->messages[at - 1];
	struct reply_loop_exchange exchange = {
		-1,
		run->messages[at].created_ms - reply->created_ms,
	};

	while (reply > run->messages && reply[-1].direction == MESSAGE_INCOMING)
		reply--;
	if (reply > run->messages)
		exchange.theirs_ms = reply->created_ms - reply[-1].created_ms;
	exchange.reply = reply;
	return exchange;
}

static bool reply_loop_is_within(const struct reply_loop_exchange *exchange,
				 int64_t limit_ms)
{
	return exchange->theirs_ms >= 0 && exchange->theirs_ms <= limit_ms &&
	       exchange->ours_ms >= 0 && exchange->ours_ms <= limit_ms;
}

static bool reply_loop_is_typed(const struct reply_loop_exchange *exchange)
{
	size_t characters = utf8_count(exchange->reply->text);

	return exchange->theirs_ms >= TYPING_BEGIN_MS + TYPING_MS * (int64_t)characters;
}

static bool reply_loop_looks_automatic(const struct reply_loop_run *run,
				       const struct reply_loop_exchange *exchange)
{
	unsigned at = (unsigned)(exchange->reply - run->messages);

	if (at && reply_loop_is_within(exchange, MINUTE_MS) &&
	    reply_loop_is_repeated(run, at))
		return true;
	if (run->is_owner)
		return false;
	if (!at)
		return exchange->ours_ms >= 0 && exchange->ours_ms <= AT_ONCE_MS;
	return reply_loop_is_within(exchange, QUICK_MS) && !reply_loop_is_typed(exchange);
}

/* When exchanges took place that count. */
struct reply_loop_tally {
	unsigned count;
	int64_t times_ms[MESSAGES_MAX];
};

/* Returns true if the last `least` that count are within the window. */
static bool reply_loop_tally_add(struct reply_loop_tally *tally, bool counts,
				 int64_t at_ms, int64_t least, int64_t window_ms)
{
	if (!counts) {
		tally->count -= tally->count > 0;
		return false;
	}
	tally->times_ms[tally->count++] = at_ms;
	return tally->count >= least &&
	       !reply_loop_is_apart(tally->times_ms[tally->count - least], at_ms,
				    window_ms);
}

/* Is there a loop in the messages from `from` on? */
static bool reply_loop_is_in(const struct reply_loop_run *run, unsigned from,
			     int64_t least)
{
	struct reply_loop_tally automatic = { .count = 0 }, brisk = { .count = 0 };

	for (unsigned at = from + 1; at < run->count; at++) {
		const struct message *answer = &run->messages[at];
		struct reply_loop_exchange exchange;

		if (answer->direction != MESSAGE_OUTGOING ||
		    answer[-1].direction != MESSAGE_INCOMING)
			continue;
		exchange = reply_loop_exchange_at(run, at);
		if (reply_loop_tally_add(&automatic,
					 reply_loop_looks_automatic(run, &exchange),
					 answer->created_ms, least, run->window_ms) ||
		    reply_loop_tally_add(
			    &brisk,
			    !run->is_owner && reply_loop_is_within(&exchange, BRISK_MS),
			    answer->created_ms, BRISK_TIMES * least, run->window_ms))
			return true;
	}
	return false;
}

/* ---- people */

static void reply_loop_note_approval(void *data, const struct message_change *change)
{
	if (strcmp(change->reason, outbox_approval_by_owner) == 0 ||
	    strcmp(change->reason, outbox_approval_by_user) == 0)
		*(bool *)data = true;
}

static bool reply_loop_is_a_persons(struct store *store, const struct message *message)
{
	bool is_approved = false;

	if (message->direction != MESSAGE_OUTGOING)
		return false;
	if (message->client_id == CLIENT_OWNER)
		return true;
	store_message_changes(store, message->id, reply_loop_note_approval, &is_approved);
	return is_approved;
}

static bool reply_loop_is_loop(struct reply_loop_run *run,
			       const struct reply_loop_question *question)
{
	int64_t least = question->config->loop_exchanges;
	unsigned from = run->count;

	if (!reply_loop_is_in(run, 0, least))
		return false;
	/* only now, because it reads the history of each message */
	while (--from > 0) {
		if (reply_loop_is_a_persons(question->store, &run->messages[from]))
			break;
	}
	if (run->rejected_id <
	    run->messages[from].id) /* before somebody approved another */
		run->rejected_id = 0;
	return reply_loop_is_in(run, from, least);
}

bool reply_loop_suspected(const struct reply_loop_question *question,
			  struct reply_loop *loop_out)
{
	const struct config *config = question->config;
	struct reply_loop_run *run = NULL;
	struct store_party party;
	struct arena *arena;
	bool suspected;

	if (!config->loop_exchanges)
		return false;
	store_party_spell(question->store, question->end.sim_id, question->end.number,
			  &party);
	if (!store_party_ever_wrote(question->store, &party))
		return false; /* most numbers never write to us */
	arena = arena_new(ARENA_BYTES);
	if (arena)
		run = arena_alloc(arena, sizeof(*run));
	if (!run) {
		arena_free(arena);
		return false;
	}
	run->window_ms = config->loop_minutes * MS_PER_MINUTE;
	run->is_owner = sender_trust(config, question->store, NULL, &question->end) ==
			SENDER_OWNER;
	suspected = reply_loop_read_run(question, &party, arena, run) &&
		    reply_loop_is_loop(run, question);
	if (suspected)
		*loop_out = (struct reply_loop){
			run->messages[run->count - 1].created_ms + run->window_ms,
			run->waiting_id,
			run->rejected_id,
		};
	arena_free(arena);
	return suspected;
}
