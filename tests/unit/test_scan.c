/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scans: what they visit, when other events get their turn, and what ends a scan. */
#include "unit_test.h"
#include "base/clock.h"
#include "sms/scan.h"
#include "store_bench.h"

enum {
	MESSAGES = 10 * SCAN_ROWS,
	OTHERS = 3, /* other scans at the same time */
	TURNS_MAX = 1000,
};

struct listener {
	struct scan scan;
	unsigned seen;
	int64_t last_id;
	unsigned enough; /* stops after this many; 0: never */
	unsigned ended;	 /* calls of done */
	int error;
};

static sd_event *loop;
static struct scans *scans;
static int64_t
	clock_ms; /* each reading of the clock takes a second, so a turn is one step */

static int64_t told_clock(void)
{
	return clock_ms += 1000;
}

static int set_up(void **state)
{
	static const struct clock_source told = { told_clock, told_clock };

	if (store_set_up(state))
		return -1;
	open_store();
	identify("8936", "");
	sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	    " WHERE i < 2560) INSERT INTO message (direction, sim_id, phone_number, text,"
	    " state, created, changed) SELECT 1, 1, 'Bank', 'text', 9, 1, 1 FROM n");
	clock_set_source(&told);
	assert_int_equal(sd_event_new(&loop), 0);
	assert_int_equal(scans_new(loop, store, &scans), 0);
	return 0;
}

static int tear_down(void **state)
{
	scans_free(scans);
	loop = sd_event_unref(loop);
	clock_set_source(NULL);
	return store_tear_down(state);
}

static bool on_message(void *data, const struct message *message)
{
	struct listener *listener = data;

	listener->seen++;
	listener->last_id = message->id;
	return listener->seen != listener->enough;
}

static void on_done(void *data, int error)
{
	struct listener *listener = data;

	listener->ended++;
	listener->error = error;
}

static int start(struct listener *listener, struct store_listing_filter filter)
{
	listener->scan = (struct scan){
		.look.filter = filter,
		.look.visit = on_message,
		.look.data = listener,
		.done = on_done,
	};
	return scan_start(scans, &listener->scan);
}

/* Handles one event of the loop, if there is one. */
static bool turn(void)
{
	int events = sd_event_run(loop, 0);

	assert_true(events >= 0);
	return events > 0;
}

static unsigned run_out(void)
{
	unsigned turns = 0;

	while (turn())
		assert_true(++turns < TURNS_MAX);
	return turns;
}

static const struct store_listing_filter all, none = { .search = "no" },
					      up = { .after_id = -1 };

FIXTURE(set_up, tear_down)

TEST(test_a_short_scan_ends_at_once)
{
	struct listener listener = { .enough = SCAN_ROWS };

	assert_int_equal(start(&listener, all), 0);
	assert_int_equal(listener.seen, SCAN_ROWS);
	assert_int_equal(run_out(), 0);
	assert_int_equal(listener.ended, 0);
	scan_stop(&listener.scan); /* allowed */
}

TEST(test_a_long_scan_continues_in_the_loop)
{
	struct listener listener = { 0 };

	assert_int_equal(start(&listener, all), SCAN_E_CONTINUES);
	assert_int_equal(listener.seen, SCAN_ROWS);
	assert_int_equal(run_out(), MESSAGES / SCAN_ROWS - 1);
	assert_int_equal(listener.seen, MESSAGES);
	assert_int_equal(listener.last_id, 1);
	assert_int_equal(listener.ended, 1);
	assert_int_equal(listener.error, 0);
}

TEST(test_a_scan_can_end_in_a_later_turn)
{
	struct listener listener = { .enough = 2 * SCAN_ROWS + 7 };

	assert_int_equal(start(&listener, all), SCAN_E_CONTINUES);
	assert_int_equal(run_out(), 2);
	assert_int_equal(listener.seen, listener.enough);
	assert_int_equal(listener.ended, 1);
}

TEST(test_a_stopped_scan_calls_nothing)
{
	struct listener listener = { 0 };

	assert_int_equal(start(&listener, all), SCAN_E_CONTINUES);
	assert_true(turn());
	scan_stop(&listener.scan);
	assert_int_equal(run_out(), 0);
	assert_int_equal(listener.seen, 2 * SCAN_ROWS);
	assert_int_equal(listener.ended, 0);
}

static int on_other(sd_event_source *source, uint64_t usec, void *data)
{
	++*(unsigned *)data;
	return sd_event_source_set_time(source, 0);
}

/* A timer that is always due gets every second turn, with any number of scans. */
TEST(test_other_events_are_handled_between_steps)
{
	struct listener listeners[OTHERS] = { 0 };
	sd_event_source *other;
	unsigned turns = 0, most = OTHERS * (MESSAGES / SCAN_ROWS - 1);

	for (int i = 0; i < OTHERS; i++)
		assert_int_equal(start(&listeners[i], none), SCAN_E_CONTINUES);
	assert_int_equal(
		sd_event_add_time(loop, &other, CLOCK_MONOTONIC, 0, 1, on_other, &turns),
		0);
	sd_event_source_set_enabled(other, SD_EVENT_ON);
	for (unsigned i = 0; i < 2 * most; i++)
		assert_true(turn());
	sd_event_source_disable_unref(other);
	assert_true(turns >= most - 1 && turns <= most + 1);
	for (int i = 0; i < OTHERS; i++)
		scan_stop(&listeners[i].scan);
}

/* They take turns, so all have come equally far. */
TEST(test_scans_take_turns)
{
	struct listener listeners[OTHERS] = { 0 };

	for (int i = 0; i < OTHERS; i++)
		start(&listeners[i], all);
	for (int i = 0; i < 2 * OTHERS; i++)
		assert_true(turn());
	for (int i = 0; i < OTHERS; i++)
		assert_int_equal(listeners[i].seen, 3 * SCAN_ROWS);
	scan_stop(&listeners[0].scan); /* the one that continues next */
	run_out();
	assert_int_equal(listeners[0].ended, 0);
	assert_int_equal(listeners[1].ended, 1);
	assert_int_equal(listeners[2].ended, 1);
}

TEST(test_an_ascending_scan_visits_messages_that_arrive)
{
	struct listener rising = { 0 }, falling = { 0 };

	assert_int_equal(start(&rising, up), SCAN_E_CONTINUES);
	assert_int_equal(start(&falling, all), SCAN_E_CONTINUES);
	assert_true(turn());
	sql("INSERT INTO message (direction, sim_id, phone_number, text, state, created,"
	    " changed) VALUES (1, 1, 'Bank', 'late', 9, 1, 1)");
	run_out();
	assert_int_equal(rising.seen, MESSAGES + 1);
	assert_int_equal(rising.last_id, MESSAGES + 1);
	assert_int_equal(falling.seen, MESSAGES);
}

/* Retention deletes the message where the scan is, and all that follow. */
TEST(test_deleted_messages_do_not_stop_a_scan)
{
	struct listener falling = { 0 };

	assert_int_equal(start(&falling, all), SCAN_E_CONTINUES);
	assert_int_equal(falling.last_id, MESSAGES - SCAN_ROWS + 1);
	sql("DELETE FROM message WHERE id > 1 AND id <= 2400");
	run_out();
	assert_int_equal(falling.seen, SCAN_ROWS + 1);
	assert_int_equal(falling.last_id, 1);
	assert_int_equal(falling.ended, 1);
}

TEST(test_an_error_of_the_store_ends_the_scan)
{
	struct listener listener = { 0 };

	assert_int_equal(start(&listener, none), SCAN_E_CONTINUES);
	sql("ALTER TABLE message RENAME TO elsewhere");
	run_out();
	assert_int_equal(listener.ended, 1);
	assert_true(listener.error < 0);
}
