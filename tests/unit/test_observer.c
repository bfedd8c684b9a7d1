/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/observer.h"

enum { LISTENERS = 4 };

struct listener {
	struct observer observer;
	char name;
	void (*act)(struct listener *listener);
};

static struct observers subject;
static struct listener
	*listeners[LISTENERS]; /* on the heap, so that ASan detects a use after free */
static struct listener late;
static char notified[64];

static void on_event(void *data, const void *event)
{
	struct listener *listener = data;

	notified[strlen(notified)] = listener->name;
	assert_string_equal(event, "event");
	if (listener->act)
		listener->act(listener);
}

static void remove_at(size_t at)
{
	if (!listeners[at])
		return;
	observer_remove(&listeners[at]->observer);
	free(listeners[at]);
	listeners[at] = NULL;
}

static int setup(void **state)
{
	size_t at;

	(void)state;
	observers_init(&subject);
	memset(notified, 0, sizeof(notified));
	late = (struct listener){ .name = 'L' };
	for (at = 0; at < LISTENERS; at++) {
		listeners[at] = calloc(1, sizeof(*listeners[at]));
		if (!listeners[at])
			return -1;
		listeners[at]->name = (char)('a' + at);
		observer_add(&subject, &listeners[at]->observer, on_event, listeners[at]);
	}
	return 0;
}

static int teardown(void **state)
{
	size_t at;

	(void)state;
	for (at = 0; at < LISTENERS; at++)
		remove_at(at);
	observer_remove(&late.observer);
	observers_deinit(&subject);
	return 0;
}

static void remove_all(struct listener *listener)
{
	size_t at;

	(void)listener;
	for (at = 0; at < LISTENERS; at++)
		remove_at(at);
}

static void remove_self(struct listener *listener)
{
	remove_at((size_t)(listener->name - 'a'));
}

static void remove_next(struct listener *listener)
{
	remove_at((size_t)(listener->name - 'a' + 1));
}

static void remove_last(struct listener *listener)
{
	(void)listener;
	remove_at(LISTENERS - 1);
}

static void remove_previous(struct listener *listener)
{
	remove_at((size_t)(listener->name - 'a' - 1));
}

static void add_late(struct listener *listener)
{
	(void)listener;
	if (!late.observer.subject)
		observer_add(&subject, &late.observer, on_event, &late);
}

static void swap_rest_for_late(struct listener *listener)
{
	remove_at(2);
	remove_at(3);
	add_late(listener);
}

static void add_late_and_swap_rest(struct listener *listener)
{
	add_late(listener);
	remove_at(3);
	remove_at(2);
}

static void readd_self(struct listener *listener)
{
	listener->act = NULL;
	observer_remove(&listener->observer);
	observer_add(&subject, &listener->observer, on_event, listener);
}

static void nest(struct listener *listener)
{
	listener->act = NULL;
	observers_notify(&subject, "event");
}

static void nest_and_remove_all(struct listener *listener)
{
	listener->act = NULL;
	listeners[2]->act = remove_all;
	observers_notify(&subject, "event");
}

/* Listener `at` does `act`: checks who is notified of this event and of the next one. */
static void expect(size_t at, void (*act)(struct listener *), const char *first,
		   const char *second)
{
	listeners[at]->act = act;
	observers_notify(&subject, "event");
	assert_string_equal(notified, first);
	memset(notified, 0, sizeof(notified));
	observers_notify(&subject, "event");
	assert_string_equal(notified, second);
}

static void test_events_arrive_in_the_order_of_adding(void **state)
{
	(void)state;
	expect(0, NULL, "abcd", "abcd");
}

static void test_an_observer_may_remove_itself(void **state)
{
	(void)state;
	expect(1, remove_self, "abcd", "acd");
}

static void test_the_last_observer_may_remove_itself(void **state)
{
	(void)state;
	expect(3, remove_self, "abcd", "abc");
}

static void test_a_removed_next_observer_is_not_notified(void **state)
{
	(void)state;
	expect(1, remove_next, "abd", "abd");
}

static void test_a_removed_last_observer_is_not_notified(void **state)
{
	(void)state;
	expect(2, remove_last, "abc", "abc");
}

static void test_the_last_may_be_removed_by_the_first(void **state)
{
	(void)state;
	expect(0, remove_last, "abc", "abc");
}

static void test_an_earlier_observer_may_be_removed(void **state)
{
	(void)state;
	expect(1, remove_previous, "abcd", "bcd");
}

static void test_all_observers_may_be_removed(void **state)
{
	(void)state;
	expect(1, remove_all, "ab", "");
}

static void test_a_new_observer_gets_the_next_event(void **state)
{
	(void)state;
	expect(1, add_late, "abcd", "abcdL");
}

static void test_the_last_may_add_an_observer(void **state)
{
	(void)state;
	expect(3, add_late, "abcd", "abcdL");
}

static void test_an_observer_added_after_all_left_gets_the_next_event(void **state)
{
	(void)state;
	expect(1, swap_rest_for_late, "ab", "abL");
}

static void test_an_observer_added_before_all_left_gets_the_next_event(void **state)
{
	(void)state;
	expect(1, add_late_and_swap_rest, "ab", "abL");
}

static void test_an_observer_may_be_added_again(void **state)
{
	(void)state;
	expect(1, readd_self, "abcd", "acdb");
}

static void test_notifications_may_nest(void **state)
{
	(void)state;
	expect(1, nest, "ababcdcd", "abcd");
}

static void test_nested_removal_reaches_the_outer_walk(void **state)
{
	(void)state;
	expect(1, nest_and_remove_all, "ababc", "");
}

static void test_removing_twice_is_harmless(void **state)
{
	struct observer never = { .subject = NULL };

	(void)state;
	observer_remove(&never);
	observer_add(&subject, &never, on_event, listeners[0]);
	observer_remove(&never);
	observer_remove(&never);
	expect(0, NULL, "abcd", "abcd");
}

static void test_deinit_asserts_that_no_observer_is_left(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		observers_deinit(&subject);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#define OBSERVER_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OBSERVER_TEST(test_events_arrive_in_the_order_of_adding),
		OBSERVER_TEST(test_an_observer_may_remove_itself),
		OBSERVER_TEST(test_the_last_observer_may_remove_itself),
		OBSERVER_TEST(test_a_removed_next_observer_is_not_notified),
		OBSERVER_TEST(test_a_removed_last_observer_is_not_notified),
		OBSERVER_TEST(test_the_last_may_be_removed_by_the_first),
		OBSERVER_TEST(test_an_earlier_observer_may_be_removed),
		OBSERVER_TEST(test_all_observers_may_be_removed),
		OBSERVER_TEST(test_a_new_observer_gets_the_next_event),
		OBSERVER_TEST(test_the_last_may_add_an_observer),
		OBSERVER_TEST(test_an_observer_added_after_all_left_gets_the_next_event),
		OBSERVER_TEST(test_an_observer_added_before_all_left_gets_the_next_event),
		OBSERVER_TEST(test_an_observer_may_be_added_again),
		OBSERVER_TEST(test_notifications_may_nest),
		OBSERVER_TEST(test_nested_removal_reaches_the_outer_walk),
		OBSERVER_TEST(test_removing_twice_is_harmless),
		OBSERVER_TEST(test_deinit_asserts_that_no_observer_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
