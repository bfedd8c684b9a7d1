/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/loop.h"

#include <string.h>

#include "base/log.h"
#include "config/config.h"
#include "sms/sender.h"
#include "store/store_party.h"

enum {
	ROWS_MOST = 128, /* more than twice the most loop_exchanges */
	ARENA_BYTES = 1024 * 1024,
	MS_PER_MINUTE = 60 * 1000,
	BOUNCES = 2,	      /* so often a text came again */
	TEXT_LEAST_BYTES = 8, /* people say "ok" and "yes" often */
};

/* the messages with one number, oldest first */
struct row {
	unsigned count;
	struct message messages[ROWS_MOST];
	int64_t window_ms;
};

/* Did it go out, or will at once? */
static bool is_answer(const struct message *message)
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

static bool is_apart(int64_t earlier_ms, int64_t later_ms, int64_t window_ms)
{
	int64_t ms = later_ms - earlier_ms;

	return ms >= window_ms || ms <= -window_ms; /* clocks are set, both ways */
}

/* Those that follow each other, up to now; the others are dropped. */
static void keep_last_row(struct row *row, int64_t now_ms)
{
	unsigned kept = 0;
	int64_t later_ms = now_ms;

	while (kept < row->count &&
	       !is_apart(row->messages[kept].created_ms, later_ms, row->window_ms))
		later_ms = row->messages[kept++].created_ms;
	for (unsigned i = 0; i < kept / 2; i++) {
		struct message swapped = row->messages[i];

		row->messages[i] = row->messages[kept - 1 - i];
		row->messages[kept - 1 - i] = swapped;
	}
	row->count = kept;
}

/* `message` and the one before it. */
static bool is_exchange(const struct message *message)
{
	return is_answer(message) && message[-1].direction == MESSAGE_INCOMING;
}

/* So many exchanges within the window, wherever that begins? */
static bool has_exchanges(const struct row *row, int64_t least)
{
	int64_t times_ms[ROWS_MOST];
	int64_t count = 0;

	for (unsigned at = 1; at < row->count; at++) {
		if (!is_exchange(&row->messages[at]))
			continue;
		times_ms[count++] = row->messages[at].created_ms;
		if (count >= least && !is_apart(times_ms[count - least],
						times_ms[count - 1], row->window_ms))
			return true;
	}
	return false;
}

/* The text of one that came in, come again after an answer, or sent back to us. */
static bool is_bounced(const struct row *row, unsigned at)
{
	const char *text = row->messages[at].text;
	bool answered = false;

	if (row->messages[at].direction != MESSAGE_INCOMING ||
	    strlen(text) < TEXT_LEAST_BYTES)
		return false;
	while (at-- > 0) {
		const struct message *before = &row->messages[at];

		answered |= is_answer(before);
		if (answered && strcmp(before->text, text) == 0)
			return true;
	}
	return false;
}

static bool has_bounces(const struct row *row)
{
	unsigned count = 0;

	for (unsigned at = 0; at < row->count; at++)
		count += is_bounced(row, at);
	return count >= BOUNCES;
}

static bool is_loop(const struct row *row, const struct loop_question *question)
{
	if (has_bounces(row))
		return true;
	return has_exchanges(row, question->config->loop_exchanges) &&
	       sender_trust(question->config, question->store, NULL, &question->end) !=
		       SENDER_OWNER;
}

/* The last ones that follow each other. Few are read first, for most numbers are quiet. */
static bool read_row(const struct loop_question *question,
		     const struct store_party *party, struct arena *arena,
		     struct row *row)
{
	static const unsigned limits[] = { 1, 8, ROWS_MOST };

	row->count = 0;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct store_party_recent_query recent = {
			.arena = arena,
			.limit = limits[i],
			.messages = row->messages,
		};

		if (store_party_recent(question->store, party, &recent)) {
			log_warning("loop: the last messages with %s cannot be read",
				    log_number(question->end.number));
			return false;
		}
		row->count = recent.count;
		keep_last_row(row, question->now_ms);
		if (row->count < limits[i])
			break;
	}
	return row->count > 0;
}

bool loop_suspected(const struct loop_question *question, int64_t *until_ms_out)
{
	const struct config *config = question->config;
	struct row row = { .window_ms = config->loop_minutes * MS_PER_MINUTE };
	struct store_party party;
	struct arena *arena;
	bool suspected;

	if (!config->loop_exchanges)
		return false;
	store_party_spell(question->store, question->end.sim_id, question->end.number,
			  &party);
	if (!store_party_ever_wrote(question->store, &party))
		return false; /* most are only written to */
	arena = arena_new(ARENA_BYTES);
	suspected = arena && read_row(question, &party, arena, &row) &&
		    is_loop(&row, question);
	if (suspected)
		*until_ms_out = row.messages[row.count - 1].created_ms + row.window_ms;
	arena_free(arena);
	return suspected;
}
