/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message that could leave at once is accepted and about to be handed over in one commit,
 * and nothing may come between the two that it does not obey.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outbox_bench.h"

static char lines[128];

static void note_line(void *data, const struct message_change *change)
{
	size_t length = strlen(lines);

	(void)data;
	snprintf(lines + length, sizeof(lines) - length, "%s ",
		 message_state_name(change->state));
}

static void assert_history(int64_t id, const char *expected)
{
	lines[0] = '\0';
	assert_int_equal(store_message_changes(store, id, note_line, NULL), 0);
	assert_string_equal(lines, expected);
}

static int64_t submit_awaited(const char *text)
{
	struct store_message_draft draft = { 1, 0, "+36201234567", text, 1 };
	int64_t id = 0;

	draft.is_awaited = true;
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	return id;
}

/* Who watches it is told as of any other. */
static void test_at_once(void **state)
{
	struct observer observer = { 0 };
	uint64_t changes;
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	changes = store_change_count(store);
	assert_message(id, STATE_SUBMITTING, "");
	assert_history(id, "queued submitting ");
	assert_int_equal(outbox_waiting(outbox), 1);
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	turn();
	assert_heard("1:submitting() ");
	assert_true(store_change_count(store) == changes);
	assert_string_equal(only_send()->text, "x");
	assert_int_equal(outbox_waiting(outbox), 0);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	assert_history(id, "queued submitting submitted ");
	observer_remove(&observer);
}

static void test_behind_another(void **state)
{
	int64_t first, second;

	(void)state;
	fake_modem_ready("/sim0", "1");
	turn();
	first = submit_awaited("x");
	second = submit_awaited("y");
	assert_message(first, STATE_SUBMITTING, "");
	assert_message(second, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
	assert_message(second, STATE_QUEUED, "");
	assert_message(submit_awaited("z"), STATE_QUEUED, "");
}

static void test_not_free(void **state)
{
	struct modem *modem;

	(void)state;
	modem = fake_modem_ready("/sim0", "1");
	turn();
	outbox_set_paused(outbox, true);
	assert_message(submit_awaited("x"), STATE_QUEUED, "");
	outbox_set_paused(outbox, false);
	fake_modem_remove(modem);
	assert_message(submit_awaited("y"), STATE_QUEUED, "");
	turn();
	assert_int_equal(sends_pending(), 0);
}

/* The SIM goes between: the message waits for it. */
static void test_gone_before_the_turn(void **state)
{
	struct modem *modem;
	int64_t id;

	(void)state;
	modem = fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	fake_modem_remove(modem);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_QUEUED, "");
	fake_modem_ready("/sim0", "1");
	turn();
	assert_string_equal(only_send()->text, "x");
}

static void test_cancelled_before_the_turn(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	outbox_cancel_abandoned(outbox, id);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_CANCELLED, "client_left");
}

static void test_paused_before_the_turn(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	outbox_set_paused(outbox, true);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_QUEUED, "");
	outbox_set_paused(outbox, false);
	turn();
	assert_string_equal(only_send()->text, "x");
	assert_history(id, "queued submitting queued submitting ");
}

static void test_unknown_after_a_crash(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	bench_restart(&patient);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
}

static void test_the_disk_is_full(void **state)
{
	struct store_message_draft draft = { 1, 0, "+36201234567", "x", 1 };
	int64_t id = 0;

	(void)state;
	fake_modem_ready("/sim0", "1");
	turn();
	draft.is_awaited = true;
	fill_disk(true);
	assert_int_equal(outbox_accept(outbox, &draft, &id), OUTBOX_E_STORAGE);
	turn();
	assert_int_equal(sends_pending(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_at_once),
		TEST(test_behind_another),
		TEST(test_not_free),
		TEST(test_gone_before_the_turn),
		TEST(test_cancelled_before_the_turn),
		TEST(test_paused_before_the_turn),
		TEST(test_unknown_after_a_crash),
		TEST(test_the_disk_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
