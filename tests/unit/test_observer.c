/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
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

	for (at = 0; at < LISTENERS; at++)
		remove_at(at);
	observer_remove(&late.observer);
	observers_deinit(&subject);
	return 0;
}

static void remove_all(struct listener *listener)
{
	size_t at;

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
	remove_at(LISTENERS - 1);
}

static void remove_previous(struct listener *listener)
{
	remove_at((size_t)(listener->name - 'a' - 1));
}

static void add_late(struct listener *listener)
{
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

FIXTURE(setup, teardown)

TEST(test_events_arrive_in_the_order_of_adding)
{
	expect(0, NULL, "abcd", "abcd");
}

TEST(test_an_observer_may_remove_itself)
{
	expect(1, remove_self, "abcd", "acd");
}

TEST(test_the_last_observer_may_remove_itself)
{
	expect(3, remove_self, "abcd", "abc");
}

TEST(test_a_removed_next_observer_is_not_notified)
{
	expect(1, remove_next, "abd", "abd");
}

TEST(test_a_removed_last_observer_is_not_notified)
{
	expect(2, remove_last, "abc", "abc");
}

TEST(test_the_last_may_be_removed_by_the_first)
{
	expect(0, remove_last, "abc", "abc");
}

TEST(test_an_earlier_observer_may_be_removed)
{
	expect(1, remove_previous, "abcd", "bcd");
}

TEST(test_all_observers_may_be_removed)
{
	expect(1, remove_all, "ab", "");
}

TEST(test_a_new_observer_gets_the_next_event)
{
	expect(1, add_late, "abcd", "abcdL");
}

TEST(test_the_last_may_add_an_observer)
{
	expect(3, add_late, "abcd", "abcdL");
}

TEST(test_an_observer_added_after_all_left_gets_the_next_event)
{
	expect(1, swap_rest_for_late, "ab", "abL");
}

TEST(test_an_observer_added_before_all_left_gets_the_next_event)
{
	expect(1, add_late_and_swap_rest, "ab", "abL");
}

TEST(test_an_observer_may_be_added_again)
{
	expect(1, readd_self, "abcd", "acdb");
}

TEST(test_notifications_may_nest)
{
	expect(1, nest, "ababcdcd", "abcd");
}

TEST(test_nested_removal_reaches_the_outer_walk)
{
	expect(1, nest_and_remove_all, "ababc", "");
}

TEST(test_removing_twice_is_harmless)
{
	struct observer never = { .subject = NULL };

	observer_remove(&never);
	observer_add(&subject, &never, on_event, listeners[0]);
	observer_remove(&never);
	observer_remove(&never);
	expect(0, NULL, "abcd", "abcd");
}

TEST(test_deinit_asserts_that_no_observer_is_left)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		observers_deinit(&subject);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
