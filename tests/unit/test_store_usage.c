/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts towards limits, in usage time, and settings. */
#include "unit_test.h"
#include "store_bench.h"

#include "base/client.h"
#include "base/clock.h"
#include "store/store_setting.h"
#include "store/store_usage.h"

enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

static const int64_t noon_ms = 1800000000000;
static int64_t boot_now_ms, epoch_ms;
static const char *boot_id;
static int64_t sim_id;

static int64_t fake_boot_ms(void)
{
	return boot_now_ms;
}

static int64_t fake_wall_ms(void)
{
	return epoch_ms + boot_now_ms;
}

static const char *fake_boot_id(void)
{
	return boot_id;
}

static const struct clock_source fake_clock = { fake_boot_ms, fake_wall_ms, NULL,
						fake_boot_id };

static void reopen(void)
{
	store_close(store);
	store = NULL;
	open_store();
}

static int set_up(void **state)
{
	int error = store_set_up(state);

	boot_now_ms = HOUR_MS;
	epoch_ms = noon_ms - HOUR_MS;
	boot_id = "one";
	clock_set_source(&fake_clock);
	if (error)
		return error;
	open_store();
	sim_id = identify("8936", "");
	return 0;
}

static int tear_down(void **state)
{
	clock_set_source(NULL);
	return store_tear_down(state);
}

static int64_t now_ms(void)
{
	int64_t usage_ms, ahead_ms;

	assert_int_equal(store_usage_now(store, &usage_ms, &ahead_ms), 0);
	assert_int_equal(usage_ms + ahead_ms, fake_wall_ms());
	return usage_ms;
}

static int64_t add(int64_t client_id, unsigned segments, int64_t send_at_ms)
{
	struct store_message_draft draft = {
		.sim_id = sim_id,
		.client_id = client_id,
		.number = "+36201234567",
		.text = "x",
		.segments = segments,
		.send_at_ms = send_at_ms,
	};
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	return id;
}

static void assert_times(enum store_usage_by by, int64_t id, size_t count,
			 const int64_t *times)
{
	const struct store_usage_span span = { by, id, 0, INT64_MAX,
					       .with_planned = true };
	int64_t found[8];
	size_t found_count;

	assert_int_equal(store_usage_times_after(store, &span, found, 8, &found_count),
			 0);
	assert_int_equal(found_count, count);
	assert_memory_equal(found, times, count * sizeof(*times));
}

#define ASSERT_TIMES(by, id, ...)                                                  \
	assert_times(by, id, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), \
		     (int64_t[]){ __VA_ARGS__ })

FIXTURE(set_up, tear_down)

TEST(test_usage_counts_at_its_time)
{
	add(1, 1, 0);
	add(1, 2, noon_ms + HOUR_MS);
	add(2, 3, noon_ms - HOUR_MS); /* in the past: now */
	ASSERT_TIMES(USAGE_BY_CLIENT, 1, noon_ms, noon_ms + HOUR_MS);
	ASSERT_TIMES(USAGE_BY_CLIENT, 2, noon_ms);
	ASSERT_TIMES(USAGE_BY_SIM, sim_id, noon_ms, noon_ms, noon_ms + HOUR_MS);
}

TEST(test_a_message_counts_for_its_sim_when_it_is_submitted)
{
	struct store_usage_span span = { USAGE_BY_SIM, sim_id, 0, INT64_MAX };
	int64_t id = add(1, 1, noon_ms + HOUR_MS), times_ms[8];
	size_t count;

	assert_int_equal(store_usage_times_after(store, &span, times_ms, 8, &count), 0);
	assert_int_equal(count, 0);
	boot_now_ms += MINUTE_MS;
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, "", NULL), 0);
	assert_int_equal(store_usage_times_after(store, &span, times_ms, 8, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(times_ms[0], noon_ms + MINUTE_MS);
	ASSERT_TIMES(USAGE_BY_CLIENT, 1, noon_ms + MINUTE_MS);
}

TEST(test_spans_select_usage)
{
	struct store_usage_span span = { USAGE_BY_CLIENT, 1, noon_ms,
					 noon_ms + 3 * MINUTE_MS };
	int64_t times[4], segments;
	size_t count;

	for (unsigned i = 0; i < 5; i++) {
		add(1, 1u << i, 0);
		boot_now_ms += MINUTE_MS;
	}
	assert_int_equal(store_usage_times_until(store, &span, times, 2, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(times[0], noon_ms + 3 * MINUTE_MS);
	assert_int_equal(times[1], noon_ms + 2 * MINUTE_MS);
	assert_int_equal(store_usage_times_after(store, &span, times, 4, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(times[0], noon_ms + MINUTE_MS);
	assert_int_equal(store_usage_segments(store, &span, 100, &segments), 0);
	assert_int_equal(segments, 1 + 2 + 4);
	assert_int_equal(store_usage_segments(store, &span, 2, &segments), 0);
	assert_int_equal(segments, 1 + 2); /* no more rows are read */
	span.id = 2;
	assert_int_equal(store_usage_segments(store, &span, 100, &segments), 0);
	assert_int_equal(segments, 0);
}

/* In the same commit: neither exists without the other. */
TEST(test_usage_and_message_are_one_commit)
{
	struct store_message_draft draft = {
		.sim_id = sim_id, .number = "1", .text = "x", .idempotency_key = "k"
	};
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	assert_int_equal(store_message_add(store, &draft, &id), -EINVAL);
	fill_disk(true);
	draft.idempotency_key = NULL;
	assert_int_equal(store_message_add(store, &draft, &id), STORE_E_FULL);
	fill_disk(false);
	assert_int_equal(sql("SELECT count(*) FROM usage"), 1);
	assert_int_equal(step_move_message(store, 1, STATE_CANCELLED, "", NULL), 0);
	assert_int_equal(sql("SELECT count(*) FROM usage"), 1);
	sql("DELETE FROM message_change; DELETE FROM message");
	assert_int_equal(sql("SELECT count(*) FROM usage"), 1);
}

static int64_t used_segments(enum store_usage_by by, int64_t id)
{
	const struct store_usage_span span = { by, id, 0, INT64_MAX,
					       .with_planned = true };
	int64_t used = -1;

	assert_int_equal(store_usage_segments(store, &span, 100, &used), 0);
	return used;
}

static unsigned count_accepted(void)
{
	const struct store_usage_span span = { USAGE_ACCEPTED, 1, 0, INT64_MAX };
	int64_t times_ms[8];
	size_t count = 0;

	assert_int_equal(store_usage_times_until(store, &span, times_ms, 8, &count), 0);
	return (unsigned)count;
}

TEST(test_what_certainly_failed_returns_its_usage)
{
	static const struct {
		enum message_state from;
		enum message_state to;
		const char *reason;
		unsigned segments;
		bool for_sim, for_client; /* is the usage back? */
	} cases[] = {
		/* the client, or the owner, did not want it any more */
		{ STATE_SCHEDULED, STATE_CANCELLED, "", 2, true, false },
		{ STATE_WAITING_APPROVAL, STATE_FAILED, "", 2, true, false },
		{ STATE_WAITING_APPROVAL, STATE_EXPIRED, "", 2, true, false },
		/* nothing was submitted */
		{ STATE_QUEUED, STATE_EXPIRED, "", 2, true, true },
		{ STATE_SUBMITTING, STATE_EXPIRED, "", 2, true, true },
		{ STATE_SUBMITTING, STATE_FAILED, "invalid_text", 2, true, true },
		{ STATE_UNKNOWN, STATE_FAILED, "ofono_unavailable", 2, true, true },
		/* the network refused the only segment, or one of several */
		{ STATE_SUBMITTED, STATE_FAILED, "network_refused", 1, true, true },
		{ STATE_SUBMITTED, STATE_FAILED, "network_refused", 2, false, false },
		{ STATE_SUBMITTING, STATE_FAILED, "network_refused", 2, false, false },
		/* something may have been sent */
		{ STATE_QUEUED, STATE_UNKNOWN, "", 1, false, false },
		{ STATE_SUBMITTED, STATE_CANCELLED, "", 2, false, false },
		{ STATE_SUBMITTED, STATE_SENT, "", 1, false, false },
	};
	char text[100];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned segments = cases[i].segments;
		int64_t id;

		sql("DELETE FROM usage");
		id = add(1, segments, 0);
		snprintf(text, sizeof(text),
			 "UPDATE message SET state = %d WHERE id = %lld", cases[i].from,
			 (long long)id);
		sql(text);
		assert_int_equal(
			step_move_message(store, id, cases[i].to, cases[i].reason, NULL),
			0);
		assert_int_equal(used_segments(USAGE_BY_SIM, sim_id),
				 cases[i].for_sim ? 0 : segments);
		assert_int_equal(used_segments(USAGE_BY_CLIENT, 1),
				 cases[i].for_client ? 0 : segments);
		assert_int_equal(count_accepted(), !cases[i].for_client);
		assert_int_equal(used_segments(USAGE_BY_CLIENT, CLIENT_OWNER), 0);
	}
}

/* Whenever messages go out, and whatever becomes of them. */
TEST(test_acceptance_counts_whatever_follows)
{
	add(1, 1, noon_ms + 5 * HOUR_MS);
	boot_now_ms += MINUTE_MS;
	assert_int_equal(
		step_move_message(store, add(1, 1, 0), STATE_CANCELLED, "", NULL), 0);
	add(2, 1, 0);
	ASSERT_TIMES(USAGE_ACCEPTED, 1, noon_ms, noon_ms + MINUTE_MS);
	epoch_ms += 2 * HOUR_MS; /* setting the clock does not move them */
	now_ms();
	ASSERT_TIMES(USAGE_ACCEPTED, 1, noon_ms, noon_ms + MINUTE_MS);
}

TEST(test_setting_the_clock_moves_no_past_usage)
{
	assert_int_equal(now_ms(), noon_ms);
	epoch_ms += 3 * HOUR_MS;
	boot_now_ms += MINUTE_MS;
	assert_int_equal(now_ms(), noon_ms + MINUTE_MS);
	reopen();
	assert_int_equal(now_ms(), noon_ms + MINUTE_MS);
	epoch_ms -= 300 * (int64_t)CLOCK_MS_PER_DAY; /* while nobody asked */
	reopen();
	boot_now_ms += MINUTE_MS;
	assert_int_equal(now_ms(), noon_ms + 2 * MINUTE_MS);
}

/* Usage to come moves with the clock; past usage stays. */
TEST(test_usage_to_come_moves_with_the_clock)
{
	add(1, 1, 0);
	add(1, 1, noon_ms + HOUR_MS);
	add(1, 1, noon_ms + 3 * HOUR_MS);
	boot_now_ms += MINUTE_MS;
	epoch_ms += 2 * HOUR_MS; /* the second is due at once */
	now_ms();
	ASSERT_TIMES(USAGE_BY_CLIENT, 1, noon_ms, noon_ms + MINUTE_MS, noon_ms + HOUR_MS);
	epoch_ms -= 2 * HOUR_MS;
	now_ms();
	ASSERT_TIMES(USAGE_BY_CLIENT, 1, noon_ms, noon_ms + MINUTE_MS,
		     noon_ms + 3 * HOUR_MS);
}

static void start_machine(const char *id, int64_t wall_ms)
{
	store_close(store);
	store = NULL;
	boot_id = id;
	boot_now_ms = MINUTE_MS;
	epoch_ms = wall_ms - MINUTE_MS;
	open_store();
}

TEST(test_time_off_counts_by_the_wall_clock)
{
	add(1, 1, noon_ms + 5 * HOUR_MS);
	start_machine("two", noon_ms + HOUR_MS);
	assert_int_equal(now_ms(), noon_ms + HOUR_MS);
	ASSERT_TIMES(USAGE_BY_CLIENT, 1, noon_ms + 5 * HOUR_MS);
}

/* The clock has no battery: no time has passed, as far as anybody knows. */
TEST(test_a_clock_without_battery_counts_no_time_off)
{
	boot_now_ms += MINUTE_MS;
	add(1, 1, noon_ms + 5 * HOUR_MS);
	boot_now_ms += MINUTE_MS;
	start_machine("two", 1000 * 1000);
	assert_int_equal(now_ms(),
			 noon_ms + MINUTE_MS); /* when the last message was accepted */
	epoch_ms = noon_ms + HOUR_MS;	       /* the network set the clock */
	boot_now_ms += MINUTE_MS;
	assert_int_equal(now_ms(), noon_ms + 2 * MINUTE_MS);
	/* by the clock it is at five o'clock, as intended */
	ASSERT_TIMES(USAGE_BY_CLIENT, 1,
		     noon_ms + 5 * HOUR_MS - (fake_wall_ms() - now_ms()));
}

TEST(test_old_usage_is_pruned)
{
	for (int i = 0; i < USAGE_PRUNE_ROWS + 2; i++)
		add(1, 1, 0);
	boot_now_ms += USAGE_KEEP_DAYS * (int64_t)CLOCK_MS_PER_DAY;
	add(2, 1, 0);
	assert_int_equal(sql("SELECT count(*) FROM usage"), USAGE_PRUNE_ROWS + 3);
	boot_now_ms++;
	add(2, 1, 0);
	assert_int_equal(sql("SELECT count(*) FROM usage"), 4);
	add(2, 1, 0);
	add(2, 1, 0);
	assert_int_equal(sql("SELECT count(*) FROM usage WHERE client_id = 1"), 0);
	assert_int_equal(sql("SELECT count(*) FROM usage"), 4);
}

TEST(test_settings_are_stored_and_removed)
{
	char value[STORE_SETTING_BYTES];

	assert_int_equal(store_setting_get(store, "x", value), STORE_E_NOT_FOUND);
	assert_int_equal(store_setting_set(store, "x", NULL), 0);
	assert_int_equal(store_setting_set(store, "x", "one"), 0);
	assert_int_equal(store_setting_set(store, "x", "two"), 0);
	reopen();
	assert_int_equal(store_setting_get(store, "x", value), 0);
	assert_string_equal(value, "two");
	assert_int_equal(store_setting_set(store, "x", NULL), 0);
	assert_int_equal(store_setting_get(store, "x", value), STORE_E_NOT_FOUND);
}
