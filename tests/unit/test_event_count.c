/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/event_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/observer.h"

static sd_event *loop;
static uint64_t counted;
static bool could_tell;

static int set_up(void **state)
{
	(void)state;
	return sd_event_new(&loop) < 0;
}

static int tear_down(void **state)
{
	(void)state;
	sd_event_unref(loop);
	return 0;
}

static int on_serve(sd_event_source *source, void *data)
{
	(void)source;
	(void)data;
	event_count_serve(loop);
	could_tell = event_count_read(loop, &counted);
	return 0;
}

static int on_other(sd_event_source *source, void *data)
{
	(void)source;
	(void)data;
	could_tell = event_count_read(loop, &counted);
	return 0;
}

/* One turn with that in it. */
static void turn(sd_event_handler_t handler)
{
	sd_event_source *source = NULL;

	assert_true(sd_event_add_defer(loop, &source, handler, NULL) >= 0);
	assert_true(sd_event_run(loop, 0) > 0);
	sd_event_source_unref(source);
}

static uint64_t served(void)
{
	turn(on_serve);
	assert_true(could_tell);
	return counted;
}

static void test_nothing_happens_while_http_is_served(void **state)
{
	uint64_t before = served();

	(void)state;
	assert_int_equal(served(), before);
	assert_int_equal(served(), before);
}

static void test_whatever_else_the_loop_serves_counts(void **state)
{
	uint64_t before = served();

	(void)state;
	turn(on_other);
	assert_false(could_tell);
	assert_true(served() > before);
}

static void test_what_observers_hear_counts(void **state)
{
	uint64_t before = served();
	struct observers observers;

	(void)state;
	observers_init(&observers);
	observers_notify(&observers, NULL); /* also when there is none */
	assert_true(served() > before);
	observers_deinit(&observers);
}

static void test_another_loop_counts(void **state)
{
	uint64_t before = served();
	sd_event *first = loop;

	(void)state;
	assert_true(sd_event_new(&loop) >= 0);
	assert_true(served() > before);
	sd_event_unref(loop);
	loop = first;
}

static void test_outside_of_any_turn_nothing_is_known(void **state)
{
	(void)state;
	assert_false(event_count_read(loop, &counted));
	assert_false(event_count_read(NULL, &counted));
	event_count_serve(loop);
	assert_false(event_count_read(loop, &counted));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_happens_while_http_is_served,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_whatever_else_the_loop_serves_counts,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_observers_hear_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_another_loop_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_outside_of_any_turn_nothing_is_known,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
