/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outbox with the random oFono of wild_ofono.h, a disk that is full from time to time and
 * a gateway that is killed. Messages wait for approval, are scheduled, expire, are cancelled
 * and reported. These promises are checked:
 *
 *   - no message is submitted twice, and the messages of one SIM go out in order of acceptance;
 *   - a cancelled, expired or unapproved message is never submitted;
 *   - "sent", "failed", "cancelled" and "delivered" are true;
 *   - the history of each message follows the state machine;
 *   - at the end every message has a final state.
 *
 * The argument can be a seed, to repeat one run.
 */
#include "unit_test.h"
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "sample.h"
#include "sms/outbox.h"
#include "wild_ofono.h"

enum { STEPS = 300, ROUNDS = 40, AHEAD_MS = 6 };

static const struct outbox_timing hasty = { 4, 1, 2, 1, 10 };
static unsigned first_seed, rounds;
static bool disk_full;

static int64_t soon(int percent)
{
	return chance(percent) ? clock_wall_ms() + 1 + rand() % AHEAD_MS : 0;
}

static void submit_one(void)
{
	int64_t sim_id = 1 + rand() % SIMS, id, send_at_ms = soon(20);
	char text[24];
	bool needs_yes = chance(15);
	struct store_message_draft draft = {
		.sim_id = sim_id,
		.number = "+36201234567",
		.text = text,
		.segments = 1,
		.state = needs_yes    ? STATE_WAITING_APPROVAL
			 : send_at_ms ? STATE_SCHEDULED
				      : STATE_QUEUED,
		.send_at_ms = send_at_ms,
		.expires_at_ms = soon(10),
		.is_awaited = chance(50),
	};

	if (submitted == MESSAGES_MAX)
		return;
	snprintf(text, sizeof(text), "%lld", (long long)submitted + 1);
	if (outbox_accept(outbox, &draft, &id))
		return;
	assert_int_equal(id, submitted + 1);
	submitted++;
	truths[id].sim_id = sim_id;
	truths[id].scheduled = send_at_ms != 0 || needs_yes;
	truths[id].needs_yes = needs_yes;
}

static void approve(int64_t id)
{
	if (outbox_approval_give(outbox, id, 0, "owner"))
		return;
	assert_true(truths[id].needs_yes); /* an approval counts once */
	truths[id].needs_yes = false;
}

static void decide_one(void)
{
	int64_t id = submitted ? 1 + rand() % submitted : 0;

	if (id && chance(80))
		approve(id);
	else if (id && !outbox_approval_reject(outbox, id, "owner", ""))
		truths[id].rejected = true;
}

/* Waits until everything is on disk. */
static void turn_disk(bool full)
{
	fill_disk(full);
	if (!full)
		turn_ms(2 * (int64_t)hasty.storage_ms + 1);
	disk_full = full;
}

/* The final state, unless the disk does not have it yet. */
static void on_taken_back(void *data, int outcome)
{
	struct truth *truth = data;

	if (!outcome && !disk_full)
		truth->taken_back = true;
}

static void take_back_one(void)
{
	int64_t id = submitted ? 1 + rand() % submitted : 0;
	struct outbox_cancellation *recall;

	if (!id)
		return;
	switch (outbox_cancel(outbox, id, &recall)) {
	case 0:
		on_taken_back(&truths[id], 0);
		break;
	case OUTBOX_E_CANCELLING:
		outbox_cancel_wait(recall, on_taken_back, &truths[id]);
		if (chance(20))
			outbox_cancel_leave(recall);
		break;
	}
}

static void restart(void)
{
	finish_alone();
	fill_disk(false); /* a start needs room on the disk */
	disk_full = false;
	bench_restart(&hasty);
}

static void step(void)
{
	static const struct {
		int percent; /* the sum of all is 100 */
		void (*run)(void);
	} deeds[] = {
		{ 17, submit_one },   { 22, answer_send },  { 7, answer_listing },
		{ 5, answer_cancel }, { 6, take_back_one }, { 5, report },
		{ 2, restart },	      { 3, turn },	    { 6, decide_one },
	};
	int place = rand() % SIMS, what = rand() % 100;

	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
		what -= deeds[i].percent;
		if (what < 0) {
			deeds[i].run();
			return;
		}
	}
	if (what < 13)
		transmit(place, chance(90));
	else if (what < 18)
		disturb(place);
	else if (what < 23)
		fake_ready(modems[place]);
	else if (what < 25)
		turn_disk(chance(50));
	else
		turn_ms(2);
}

static void assert_one_call_per_sim(void)
{
	int64_t sims_seen = 0;
	struct message_send *send;

	TAILQ_FOREACH (send, &fake_sends, link) {
		int64_t bit = INT64_C(1) << truths[atoll(send->text)].sim_id;

		assert_false(sims_seen & bit);
		sims_seen |= bit;
	}
}

/* From here on everything works. */
static void calm_down(void)
{
	int i;

	turn_disk(false);
	wild_settle();
	for (int64_t id = 1; id <= submitted; id++)
		approve(id);
	for (i = 0; i < 20 * MESSAGES_MAX; i++) {
		turn_ms(i % 20 ? 0 : 2);
		answer_send();
		answer_cancel();
		transmit(i % SIMS, true);
		answer_listing();
	}
}

/* The states that are true for each fate of a message. */
static bool is_true(const struct truth *truth, enum message_state state)
{
	static const unsigned truths_of[] = {
		[NOT_TAKEN] = 1U << STATE_CANCELLED | 1U << STATE_EXPIRED |
			      1U << STATE_UNKNOWN | 1U << STATE_FAILED,
		[SENT] = 1U << STATE_SENT | 1U << STATE_UNKNOWN,
		[FAILED] = 1U << STATE_FAILED | 1U << STATE_UNKNOWN,
		[DROPPED] = 1U << STATE_CANCELLED | 1U << STATE_UNKNOWN,
		[TAKEN] = 1U << STATE_UNKNOWN, /* the SIM cards have moved */
	};

	if (truth->taken_back)
		return state == STATE_CANCELLED;
	if (truth->rejected)
		return state == STATE_FAILED && truth->fate == NOT_TAKEN;
	if (truth->was_reported && state == STATE_DELIVERED)
		return true;
	return truths_of[truth->fate] & 1U << state;
}

static void follow(void *data, const struct message_change *change)
{
	int *from = data;

	if (*from >= 0 &&
	    *from != (int)change->state) /* a report is a line of the history, too */
		assert_true(message_state_may_become((enum message_state) * from,
						     change->state));
	*from = (int)change->state;
}

static void assert_truth(int64_t id)
{
	enum message_state state = state_of(id);
	int last = -1;

	if (!message_state_is_final(state))
		fail_msg("message %lld: %s at the end", (long long)id,
			 message_state_name(state));
	if (!is_true(&truths[id], state))
		fail_msg("message %lld: %s, but its fate is %d", (long long)id,
			 message_state_name(state), truths[id].fate);
	assert_int_equal(store_message_changes(store, id, follow, &last), 0);
	assert_int_equal(last, state);
}

static void play(unsigned seed)
{
	int64_t id;
	int i;

	srand(seed);
	outbox_set_timing(outbox, &hasty);
	wild_start();
	for (i = 0; i < STEPS; i++) {
		step();
		assert_one_call_per_sim();
	}
	calm_down();
	for (id = 1; id <= submitted; id++)
		assert_truth(id);
}

TEST(test_random_events_break_no_promise)
{
	unsigned seed;

	for (seed = first_seed; seed < first_seed + rounds; seed++) {
		print_message("seed %u\n", seed);
		assert_int_equal(bench_set_up(NULL), 0);
		play(seed);
		assert_int_equal(bench_tear_down(NULL), 0);
	}
}

void before_tests(int argc, char **argv)
{
	rounds = ROUNDS / sample_stride(4);
	if (argc > 1) {
		first_seed = (unsigned)atoi(argv[1]);
		rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	}
	log_set_level(argc > 1 ? LOG_LEVEL_INFO : 0);
}
