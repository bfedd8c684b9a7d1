/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task timers: they expire in order, each once. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "unit_test.h"

#include "fake_clock.h"
#include "mcp/task.h"

struct named { /* the owner of a timer */
	struct task_timer timer;
	char name;
	int64_t again_ms; /* time to set it to when it expires; 0: leave it */
};

static sd_event *loop;
static struct task_timers timers;
static char expired_names[32];

/* The sd-event timer follows the real clock, which is far ahead of every time here. */
static int set_up(void **state)
{
	fake_clock_begin(1000000);
	*expired_names = '\0';
	assert_true(sd_event_new(&loop) >= 0);
	return task_timers_init(&timers, loop);
}

static int tear_down(void **state)
{
	task_timers_deinit(&timers);
	sd_event_unref(loop);
	return fake_clock_end(state);
}

static void on_expired(struct task_timer *timer)
{
	struct named *named =
		(struct named *)((char *)timer - offsetof(struct named, timer));
	size_t length = strlen(expired_names);

	assert_int_equal(timer->due_ms, 0);
	snprintf(expired_names + length, sizeof(expired_names) - length, "%c",
		 named->name);
	task_timer_set(&timers, timer, named->again_ms);
}

static struct named make(char name)
{
	return (struct named){ .timer.expired = on_expired, .name = name };
}

/* Runs the loop; returns the names of all timers that have expired. */
static const char *run(void)
{
	for (int i = 0; i < 3; i++)
		assert_true(sd_event_run(loop, 0) >= 0);
	return expired_names;
}

static bool is_on(void)
{
	return sd_event_source_get_enabled(timers.timer, NULL) > 0;
}

FIXTURE(set_up, tear_down)

TEST(test_timers_expire_in_order_of_time)
{
	struct named a = make('a'), b = make('b'), c = make('c');

	assert_false(is_on());
	task_timer_set(&timers, &a.timer, now_ms + 9000);
	task_timer_set(&timers, &b.timer, now_ms + 5000);
	task_timer_set(&timers, &c.timer, now_ms + 20000);
	assert_true(is_on());
	now_ms += 10000;
	assert_string_equal(run(), "ba");
	task_timer_set(&timers, &c.timer, 0);
	assert_false(is_on());
	task_timer_set(&timers, &c.timer, 0);
}

TEST(test_setting_a_timer_again_replaces_its_time)
{
	struct named a = make('a'), b = make('b');

	task_timer_set(&timers, &a.timer, now_ms + 5000);
	task_timer_set(&timers, &b.timer, now_ms + 6000);
	task_timer_set(&timers, &a.timer, now_ms + 7000);
	task_timer_set(&timers, &a.timer, now_ms + 7000);
	now_ms += 10000;
	assert_string_equal(run(), "ba");
	assert_false(is_on());
}

/* A timer that is set to the past again and again does not keep the loop busy. */
TEST(test_a_time_in_the_past_expires_soon)
{
	struct named a = make('a');

	a.again_ms = now_ms - 1;
	task_timer_set(&timers, &a.timer, a.again_ms);
	assert_true(a.timer.due_ms > now_ms);
	now_ms = a.timer.due_ms;
	assert_string_equal(run(), "a");
	assert_true(a.timer.due_ms > now_ms);
	task_timer_set(&timers, &a.timer, 0);
}

TEST(test_without_a_loop_no_timer_expires)
{
	struct task_timers none;
	struct named a = make('a');

	assert_int_equal(task_timers_init(&none, NULL), 0);
	task_timer_set(&none, &a.timer, now_ms + 1);
	task_timer_set(&none, &a.timer, 0);
	task_timers_deinit(&none);
}
