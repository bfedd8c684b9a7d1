/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/kept_answer.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/event_count.h"
#include "tools/failure.h"

/* What must be as it was for an answer to be good. False: that cannot be told now. */
static bool stamp(struct kept_answer *kept, const struct tool_call *call)
{
	const struct services *services = call->services;

	kept->changes = store_change_count(services->store);
	kept->wall_ms = clock_wall_ms();
	kept->boot_ms = clock_boot_ms();
	kept->client = *call->client;
	return event_count_read(services->loop, &kept->events);
}

/* The wall clock may have been set meanwhile, the other cannot. */
static bool is_in_time(const struct kept_answer *kept, const struct kept_answer *now)
{
	return now->wall_ms >= kept->wall_ms && now->wall_ms < kept->until_ms &&
	       now->boot_ms - kept->boot_ms < KEPT_MS;
}

/* `changes_ms`: as a writing tells; 0 none. */
static int64_t end_of(int64_t wall_ms, int64_t changes_ms)
{
	int64_t until_ms = wall_ms - wall_ms % 1000 + 1000;

	if (wall_ms + KEPT_MS < until_ms)
		until_ms = wall_ms + KEPT_MS;
	return changes_ms && changes_ms < until_ms ? changes_ms : until_ms;
}

static bool is_good(const struct kept_answer *kept, const struct kept_answer *now,
		    enum kept_kind kind)
{
	if (!kept->is_there || kept->events != now->events ||
	    kept->changes != now->changes)
		return false;
	return kind == KEPT_SUBSCRIPTIONS ||
	       (is_in_time(kept, now) &&
		memcmp(&kept->client, &now->client, sizeof(kept->client)) == 0);
}

static struct kept_answer *place_of(struct kept_answers *answers, enum kept_kind kind,
				    const struct client *client)
{
	if (kind == KEPT_SUBSCRIPTIONS)
		return &answers->subscriptions;
	for (unsigned at = 0; at < KEPT_CLIENTS; at++) {
		struct kept_answer *kept = &answers->status[at];

		if (!kept->is_there || kept->client.id == client->id)
			return kept;
	}
	answers->next = (answers->next + 1) % KEPT_CLIENTS;
	return &answers->status[answers->next];
}

static void forget(struct kept_answer *kept)
{
	tool_answer_deinit(&kept->answer);
	kept->is_there = false;
}

void kept_answers_deinit(struct kept_answers *answers)
{
	forget(&answers->subscriptions);
	for (unsigned at = 0; at < KEPT_CLIENTS; at++)
		forget(&answers->status[at]);
}

static bool are_same(const struct buffer *one, const struct buffer *other)
{
	return one->length == other->length &&
	       memcmp(one->data, other->data, one->length) == 0;
}

static bool is_keepable(const struct tool_answer *answer)
{
	return !answer->content.failed && !answer->structured.failed &&
	       answer->content.length + answer->structured.length <= KEPT_BYTES_MAX;
}

static void check(const struct kept_answer *kept, const struct tool_call *call,
		  const struct kept_writing *writing)
{
	struct tool_answer answer = { BUFFER_INIT, BUFFER_INIT };
	const struct services *services = call->services;
	int64_t until_ms = 0;
	uint64_t events = 0;
	int error = writing->write(call, &answer, &until_ms);

	event_count_read(services->loop, &events);
	/* else there was no memory */
	if (!error && events == kept->events && is_keepable(&answer))
		assert(are_same(&answer.structured, &kept->answer.structured));
	tool_answer_deinit(&answer);
}

/* `now` has what held before the answer was written. */
static void keep(struct kept_answer *place, const struct kept_answer *now,
		 const struct tool_answer *answer, int64_t changes_ms)
{
	forget(place);
	*place = *now;
	place->until_ms = end_of(now->wall_ms, changes_ms);
	place->answer = *answer;
	place->is_there = true;
}

static void finish_anew(struct tool_call *call, struct kept_answer *place,
			const struct kept_answer *now, const struct kept_writing *writing)
{
	struct tool_answer answer = { BUFFER_INIT, BUFFER_INIT };
	int64_t changes_ms = 0;
	bool kept;

	if (writing->write(call, &answer, &changes_ms)) {
		tool_answer_deinit(&answer);
		failure_answer(call, FAILURE_INTERNAL, writing->unwritten);
		return;
	}
	kept = place && is_keepable(&answer);
	if (kept)
		keep(place, now, &answer, changes_ms);
	tool_call_succeed_with_answer(call, &answer);
	if (!kept)
		tool_answer_deinit(&answer);
}

void kept_answer_finish(struct tool_call *call, enum kept_kind kind,
			const struct kept_writing *writing)
{
	const struct services *services = call->services;
	struct kept_answers *answers = services->kept;
	struct kept_answer now = { .is_there = false }, *place = NULL;

	if (answers && stamp(&now, call))
		place = place_of(answers, kind, call->client);
	if (!place || !is_good(place, &now, kind)) {
		finish_anew(call, place, &now, writing);
		return;
	}
	if (answers->distrusted)
		check(place, call, writing);
	tool_call_succeed_with_answer(call, &place->answer);
}
