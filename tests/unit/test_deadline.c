/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <time.h>

#include "http/connection.h"

#include "patience.h"

struct item {
	struct deadline deadline; /* first: the callback casts */
	int expired;
};

static struct deadlines deadlines;
static sd_event *loop;
static struct item *order[8];
static int order_count;

static void on_expired(struct deadline *deadline)
{
	struct item *item = (struct item *)deadline;

	item->expired++;
	order[order_count++] = item;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Runs the loop until `count` deadlines have expired, or a generous time has passed. */
static void run_until(int count)
{
	uint64_t end = now_ms() + (uint64_t)patience_ms(5000);

	while (order_count < count && now_ms() < end)
		assert_true(sd_event_run(loop, 100 * 1000) >= 0);
	assert_int_equal(order_count, count);
}

static int setup(void **state)
{
	const uint64_t period_ms[DEADLINE_KINDS] = {
		[DEADLINE_REQUEST] = 40,
		[DEADLINE_IDLE] = 120,
		[DEADLINE_LINGER] = 1,
	};

	order_count = 0;
	assert_true(sd_event_new(&loop) >= 0);
	assert_int_equal(deadlines_init(&deadlines, loop, period_ms), 0);
	return 0;
}

static int teardown(void **state)
{
	deadlines_deinit(&deadlines);
	loop = sd_event_unref(loop);
	return 0;
}

FIXTURE(setup, teardown)

TEST(test_deadlines_expire_in_order_across_kinds)
{
	struct item idle = { { .expired = on_expired }, 0 };
	struct item first = idle, second = idle;
	uint64_t start = now_ms();

	deadline_set(&deadlines, &idle.deadline, DEADLINE_IDLE);
	deadline_set(&deadlines, &first.deadline, DEADLINE_REQUEST);
	deadline_set(&deadlines, &second.deadline, DEADLINE_REQUEST);
	run_until(3);
	assert_ptr_equal(order[0], &first);
	assert_ptr_equal(order[1], &second);
	assert_ptr_equal(order[2], &idle);
	assert_true(now_ms() - start >= 120);
	assert_int_equal(first.expired + second.expired + idle.expired, 3);
}

TEST(test_setting_a_deadline_again_restarts_it)
{
	struct item item = { { .expired = on_expired }, 0 };
	uint64_t start = now_ms();

	deadline_set(&deadlines, &item.deadline, DEADLINE_REQUEST);
	deadline_set(&deadlines, &item.deadline, DEADLINE_IDLE);
	run_until(1);
	assert_true(now_ms() - start >= 120);
	assert_int_equal(item.expired, 1);
}

TEST(test_a_cleared_deadline_never_expires)
{
	struct item gone = { { .expired = on_expired }, 0 };
	struct item stays = gone;

	deadline_set(&deadlines, &gone.deadline, DEADLINE_REQUEST);
	deadline_set(&deadlines, &stays.deadline, DEADLINE_IDLE);
	deadline_clear(&deadlines, &gone.deadline);
	deadline_clear(&deadlines, &gone.deadline);
	run_until(1);
	assert_int_equal(gone.expired, 0);
	assert_int_equal(stays.expired, 1);
}

/* Deadlines that only move to a later time cause no system call. */
TEST(test_the_timer_is_not_moved_to_a_later_time)
{
	struct item item = { { .expired = on_expired }, 0 };
	uint64_t armed_us;
	int turn;

	deadline_set(&deadlines, &item.deadline, DEADLINE_REQUEST);
	armed_us = deadlines.timer_us;
	for (turn = 0; turn < 1000; turn++) {
		deadline_set(&deadlines, &item.deadline, DEADLINE_IDLE);
		deadline_set(&deadlines, &item.deadline, DEADLINE_REQUEST);
		assert_true(deadlines.timer_us == armed_us);
	}
	deadline_clear(&deadlines, &item.deadline);
}
