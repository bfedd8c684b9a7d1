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

enum { WATCHERS = 4 };

struct watcher {
	struct observer observer;
	char name;
	void (*act)(struct watcher *watcher);
};

static struct observers subject;
static struct watcher *watchers[WATCHERS]; /* on the heap: ASan sees a touch after free */
static struct watcher late;
static char heard[64];

static void on_event(void *data, const void *event)
{
	struct watcher *watcher = data;

	heard[strlen(heard)] = watcher->name;
	assert_string_equal(event, "event");
	if (watcher->act)
		watcher->act(watcher);
}

static void forget(size_t at)
{
	if (!watchers[at])
		return;
	observer_remove(&watchers[at]->observer);
	free(watchers[at]);
	watchers[at] = NULL;
}

static int setup(void **state)
{
	size_t at;

	(void)state;
	observers_init(&subject);
	memset(heard, 0, sizeof(heard));
	late = (struct watcher){ .name = 'L' };
	for (at = 0; at < WATCHERS; at++) {
		watchers[at] = calloc(1, sizeof(*watchers[at]));
		if (!watchers[at])
			return -1;
		watchers[at]->name = (char)('a' + at);
		observer_add(&subject, &watchers[at]->observer, on_event, watchers[at]);
	}
	return 0;
}

static int teardown(void **state)
{
	size_t at;

	(void)state;
	for (at = 0; at < WATCHERS; at++)
		forget(at);
	observer_remove(&late.observer);
	observers_deinit(&subject);
	return 0;
}

static void forget_all(struct watcher *watcher)
{
	size_t at;

	(void)watcher;
	for (at = 0; at < WATCHERS; at++)
		forget(at);
}

static void forget_self(struct watcher *watcher)
{
	forget((size_t)(watcher->name - 'a'));
}

static void forget_next(struct watcher *watcher)
{
	forget((size_t)(watcher->name - 'a' + 1));
}

static void forget_last(struct watcher *watcher)
{
	(void)watcher;
	forget(WATCHERS - 1);
}

static void forget_previous(struct watcher *watcher)
{
	forget((size_t)(watcher->name - 'a' - 1));
}

static void add_late(struct watcher *watcher)
{
	(void)watcher;
	if (!late.observer.subject)
		observer_add(&subject, &late.observer, on_event, &late);
}

static void swap_rest_for_late(struct watcher *watcher)
{
	forget(2);
	forget(3);
	add_late(watcher);
}

static void add_late_and_swap_rest(struct watcher *watcher)
{
	add_late(watcher);
	forget(3);
	forget(2);
}

static void readd_self(struct watcher *watcher)
{
	watcher->act = NULL;
	observer_remove(&watcher->observer);
	observer_add(&subject, &watcher->observer, on_event, watcher);
}

static void nest(struct watcher *watcher)
{
	watcher->act = NULL;
	observers_notify(&subject, "event");
}

static void nest_and_forget_all(struct watcher *watcher)
{
	watcher->act = NULL;
	watchers[2]->act = forget_all;
	observers_notify(&subject, "event");
}

/* What is heard when watcher `at` does `act`, in this event and in the next one. */
static void expect(size_t at, void (*act)(struct watcher *), const char *first,
		   const char *second)
{
	watchers[at]->act = act;
	observers_notify(&subject, "event");
	assert_string_equal(heard, first);
	memset(heard, 0, sizeof(heard));
	observers_notify(&subject, "event");
	assert_string_equal(heard, second);
}

static void test_events_arrive_in_the_order_of_adding(void **state)
{
	(void)state;
	expect(0, NULL, "abcd", "abcd");
}

static void test_remove_self(void **state)
{
	(void)state;
	expect(1, forget_self, "abcd", "acd");
}

static void test_remove_self_at_the_end(void **state)
{
	(void)state;
	expect(3, forget_self, "abcd", "abc");
}

static void test_remove_next(void **state)
{
	(void)state;
	expect(1, forget_next, "abd", "abd");
}

static void test_remove_last(void **state)
{
	(void)state;
	expect(2, forget_last, "abc", "abc");
}

static void test_remove_last_early(void **state)
{
	(void)state;
	expect(0, forget_last, "abc", "abc");
}

static void test_remove_previous(void **state)
{
	(void)state;
	expect(1, forget_previous, "abcd", "bcd");
}

static void test_remove_all(void **state)
{
	(void)state;
	expect(1, forget_all, "ab", "");
}

static void test_added_hears_the_next_event(void **state)
{
	(void)state;
	expect(1, add_late, "abcd", "abcdL");
}

static void test_added_by_the_last(void **state)
{
	(void)state;
	expect(3, add_late, "abcd", "abcdL");
}

static void test_added_when_the_rest_left(void **state)
{
	(void)state;
	expect(1, swap_rest_for_late, "ab", "abL");
}

static void test_added_before_the_rest_left(void **state)
{
	(void)state;
	expect(1, add_late_and_swap_rest, "ab", "abL");
}

static void test_added_again(void **state)
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
	expect(1, nest_and_forget_all, "ababc", "");
}

static void test_remove_twice_is_fine(void **state)
{
	struct observer never = { .subject = NULL };

	(void)state;
	observer_remove(&never);
	observer_add(&subject, &never, on_event, watchers[0]);
	observer_remove(&never);
	observer_remove(&never);
	expect(0, NULL, "abcd", "abcd");
}

static void test_deinit_asserts_that_all_have_left(void **state)
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
		OBSERVER_TEST(test_remove_self),
		OBSERVER_TEST(test_remove_self_at_the_end),
		OBSERVER_TEST(test_remove_next),
		OBSERVER_TEST(test_remove_last),
		OBSERVER_TEST(test_remove_last_early),
		OBSERVER_TEST(test_remove_previous),
		OBSERVER_TEST(test_remove_all),
		OBSERVER_TEST(test_added_hears_the_next_event),
		OBSERVER_TEST(test_added_by_the_last),
		OBSERVER_TEST(test_added_when_the_rest_left),
		OBSERVER_TEST(test_added_before_the_rest_left),
		OBSERVER_TEST(test_added_again),
		OBSERVER_TEST(test_notifications_may_nest),
		OBSERVER_TEST(test_nested_removal_reaches_the_outer_walk),
		OBSERVER_TEST(test_remove_twice_is_fine),
		OBSERVER_TEST(test_deinit_asserts_that_all_have_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
