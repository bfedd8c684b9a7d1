/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last messages with the number that follow each other without a pause of loop_minutes
 * are one run. An exchange is an incoming message with our answer right behind it. A bounce is
 * an incoming text that came before and was answered in between, or that we sent before.
 *
 *   many exchanges within loop_minutes, and not the owner's number -> a loop
 *   two bounces -> a loop
 */
#include "sms/reply_loop.h"

#include <string.h>

#include "base/log.h"
#include "config/config.h"
#include "sms/sender.h"
#include "store/store_party.h"

enum {
	MESSAGES_MAX = 128, /* more than twice the maximum of loop_exchanges */
	ARENA_BYTES = 1024 * 1024,
	MS_PER_MINUTE = 60 * 1000,
	BOUNCES = 2,
	TEXT_MIN_BYTES = 8, /* people often repeat "ok" and "yes" */
};

/* oldest first */
struct reply_loop_run {
	unsigned count;
	struct message messages[MESSAGES_MAX];
	int64_t window_ms;
};

/* Did it go out, or will it at once? */
static bool reply_loop_is_answer(const struct message *message)
{
	switch (message->state) {
	case STATE_CANCELLED:
	case STATE_EXPIRED:
	case STATE_SCHEDULED:
	case STATE_WAITING_APPROVAL:
		return false;
	case STATE_QUEUED:
	case STATE_SUBMITTING:
	case STATE_SUBMITTED:
	case STATE_HELD:
	case STATE_SENT:
	case STATE_DELIVERED:
	case STATE_FAILED:
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

/* Keeps the messages, newest first, up to the first pause; then puts the oldest first. */
static void reply_loop_keep_last(struct reply_loop_run *run, int64_t now_ms)
{
	unsigned kept = 0;
	int64_t later_ms = now_ms;

	while (kept < run->count && !reply_loop_is_apart(run->messages[kept].created_ms,
							 later_ms, run->window_ms))
		later_ms = run->messages[kept++].created_ms;
	for (unsigned i = 0; i < kept / 2; i++) {
		struct message swapped = run->messages[i];

		run->messages[i] = run->messages[kept - 1 - i];
		run->messages[kept - 1 - i] = swapped;
	}
	run->count = kept;
}

/* The message before it must exist. */
static bool reply_loop_is_exchange(const struct message *message)
{
	return reply_loop_is_answer(message) && message[-1].direction == MESSAGE_INCOMING;
}

/* At least `least` exchanges within any window? */
static bool reply_loop_has_exchanges(const struct reply_loop_run *run, int64_t least)
{
	int64_t times_ms[MESSAGES_MAX];
	int64_t count = 0;

	for (unsigned at = 1; at < run->count; at++) {
		if (!reply_loop_is_exchange(&run->messages[at]))
			continue;
		times_ms[count++] = run->messages[at].created_ms;
		if (count >= least &&
		    !reply_loop_is_apart(times_ms[count - least], times_ms[count - 1],
					 run->window_ms))
			return true;
	}
	return false;
}

static bool reply_loop_is_bounced(const struct reply_loop_run *run, unsigned at)
{
	const char *text = run->messages[at].text;
	bool answered = false;

	if (run->messages[at].direction != MESSAGE_INCOMING ||
	    strlen(text) < TEXT_MIN_BYTES)
		return false;
	while (at-- > 0) {
		const struct message *before = &run->messages[at];

		answered |= reply_loop_is_answer(before);
		if (answered && strcmp(before->text, text) == 0)
			return true;
	}
	return false;
}

static bool reply_loop_has_bounces(const struct reply_loop_run *run)
{
	unsigned count = 0;

	for (unsigned at = 0; at < run->count; at++)
		count += reply_loop_is_bounced(run, at);
	return count >= BOUNCES;
}

static bool reply_loop_is_loop(const struct reply_loop_run *run,
			       const struct reply_loop_question *question)
{
	if (reply_loop_has_bounces(run))
		return true;
	return reply_loop_has_exchanges(run, question->config->loop_exchanges) &&
	       sender_trust(question->config, question->store, NULL, &question->end) !=
		       SENDER_OWNER;
}

/* Reads the last run. It reads few messages first, because most numbers are quiet. */
static bool reply_loop_read_run(const struct reply_loop_question *question,
				const struct store_party *party, struct arena *arena,
				struct reply_loop_run *run)
{
	static const unsigned limits[] = { 1, 8, MESSAGES_MAX };

	run->count = 0;
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
		reply_loop_keep_last(run, question->now_ms);
		if (run->count < limits[i])
			break;
	}
	return run->count > 0;
}

bool reply_loop_suspected(const struct reply_loop_question *question,
			  int64_t *until_ms_out)
{
	const struct config *config = question->config;
	struct reply_loop_run run = { .window_ms = config->loop_minutes * MS_PER_MINUTE };
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
	suspected = arena && reply_loop_read_run(question, &party, arena, &run) &&
		    reply_loop_is_loop(&run, question);
	if (suspected)
		*until_ms_out = run.messages[run.count - 1].created_ms + run.window_ms;
	arena_free(arena);
	return suspected;
}
