/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms: the first that is due rings first, and each but once.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "mcp/task.h"

struct named { /* what sets an alarm */
	struct task_timer alarm;
	char name;
	int64_t again_ms; /* 0: it does not */
};

static sd_event *loop;
static struct task_timers alarms;
static int64_t now_ms;
static char rung[32];

static int64_t fake_ms(void)
{
	return now_ms;
}

/* The timer goes by the real clock, which is far ahead of every alarm here. */
static int set_up(void **state)
{
	static const struct clock_source clock = { fake_ms, fake_ms, NULL };

	(void)state;
	now_ms = 1000000;
	*rung = '\0';
	clock_set_source(&clock);
	assert_true(sd_event_new(&loop) >= 0);
	return task_timers_init(&alarms, loop);
}

static int tear_down(void **state)
{
	(void)state;
	task_timers_deinit(&alarms);
	sd_event_unref(loop);
	clock_set_source(NULL);
	return 0;
}

static void ring(struct task_timer *alarm)
{
	struct named *named =
		(struct named *)((char *)alarm - offsetof(struct named, alarm));
	size_t length = strlen(rung);

	assert_int_equal(alarm->due_ms, 0);
	snprintf(rung + length, sizeof(rung) - length, "%c", named->name);
	task_timer_set(&alarms, alarm, named->again_ms);
}

static struct named make(char name)
{
	return (struct named){ .alarm.expired = ring, .name = name };
}

/* What has rung by now. */
static const char *run(void)
{
	for (int i = 0; i < 3; i++)
		assert_true(sd_event_run(loop, 0) >= 0);
	return rung;
}

static bool is_on(void)
{
	return sd_event_source_get_enabled(alarms.timer, NULL) > 0;
}

static void test_the_first_rings_first(void **state)
{
	struct named a = make('a'), b = make('b'), c = make('c');

	(void)state;
	assert_false(is_on());
	task_timer_set(&alarms, &a.alarm, now_ms + 9000);
	task_timer_set(&alarms, &b.alarm, now_ms + 5000);
	task_timer_set(&alarms, &c.alarm, now_ms + 20000);
	assert_true(is_on());
	now_ms += 10000;
	assert_string_equal(run(), "ba");
	task_timer_set(&alarms, &c.alarm, 0);
	assert_false(is_on());
	task_timer_set(&alarms, &c.alarm, 0);
}

static void test_set_to_another_time(void **state)
{
	struct named a = make('a'), b = make('b');

	(void)state;
	task_timer_set(&alarms, &a.alarm, now_ms + 5000);
	task_timer_set(&alarms, &b.alarm, now_ms + 6000);
	task_timer_set(&alarms, &a.alarm, now_ms + 7000);
	task_timer_set(&alarms, &a.alarm, now_ms + 7000);
	now_ms += 10000;
	assert_string_equal(run(), "ba");
	assert_false(is_on());
}

/* Its time has come, and it is what it was: it is looked at again, and not without end. */
static void test_what_is_past_is_soon(void **state)
{
	struct named a = make('a');

	(void)state;
	a.again_ms = now_ms - 1;
	task_timer_set(&alarms, &a.alarm, a.again_ms);
	assert_true(a.alarm.due_ms > now_ms);
	now_ms = a.alarm.due_ms;
	assert_string_equal(run(), "a");
	assert_true(a.alarm.due_ms > now_ms);
	task_timer_set(&alarms, &a.alarm, 0);
}

static void test_without_a_loop(void **state)
{
	struct task_timers none;
	struct named a = make('a');

	(void)state;
	assert_int_equal(task_timers_init(&none, NULL), 0);
	task_timer_set(&none, &a.alarm, now_ms + 1);
	task_timer_set(&none, &a.alarm, 0);
	task_timers_deinit(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_first_rings_first, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_set_to_another_time, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_what_is_past_is_soon, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_without_a_loop, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
