/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/event_loop.h"

#include "unit_test.h"

struct seen {
	sd_event *loop;
	sd_event_source *source;
	int looks;
	int works;
	int works_at_look; /* how many were done when it looked last */
};

static int on_look(sd_event_source *source, void *data)
{
	struct seen *seen = data;

	seen->looks++;
	seen->works_at_look = seen->works;
	return 0;
}

static int on_work(sd_event_source *source, void *data)
{
	struct seen *seen = data;

	seen->works++;
	return 0;
}

static int set_up(void **state)
{
	static struct seen seen;

	seen = (struct seen){ 0 };
	assert_int_equal(sd_event_new(&seen.loop), 0);
	assert_int_equal(
		event_loop_add_before_sleep(seen.loop, &seen.source, on_look, &seen), 0);
	*state = &seen;
	return 0;
}

static int tear_down(void **state)
{
	struct seen *seen = *state;

	sd_event_source_disable_unref(seen->source);
	sd_event_unref(seen->loop);
	return 0;
}

FIXTURE(set_up, tear_down)

TEST(test_it_runs_after_the_work_of_the_iteration)
{
	struct seen *seen = *state;
	sd_event_source *work;

	assert_true(sd_event_add_defer(seen->loop, &work, on_work, seen) >= 0);
	assert_int_equal(sd_event_run(seen->loop, 0), 1);
	assert_int_equal(sd_event_run(seen->loop, 0), 0);
	assert_int_equal(seen->works, 1);
	assert_int_equal(seen->works_at_look, 1);
	sd_event_source_disable_unref(work);
}

/* A turn that finds nothing dispatches nothing: 0 is "timed out". */
TEST(test_it_never_wakes_the_loop)
{
	struct seen *seen = *state;

	for (int turn = 1; turn <= 3; turn++) {
		assert_int_equal(sd_event_run(seen->loop, 0), 0);
		assert_int_equal(seen->looks, turn);
	}
}

TEST(test_it_stops_when_the_source_is_freed)
{
	struct seen *seen = *state;

	seen->source = sd_event_source_disable_unref(seen->source);
	assert_int_equal(sd_event_run(seen->loop, 0), 0);
	assert_int_equal(seen->looks, 0);
}
