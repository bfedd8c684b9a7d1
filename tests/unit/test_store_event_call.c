/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placed calls: row, usage and audit line in one commit, and how many there were. */
#include "unit_test.h"
#include "fake_clock.h"
#include "full_disk.h"
#include "store/store_event.h"
#include "store_bench.h"

static int place(int64_t *id_out)
{
	const struct store_event_call_draft draft = { 7, "agent", 1, "+36201234567" };

	return store_event_place_call(store, &draft, id_out);
}

static int set_up(void **state)
{
	int error = store_set_up(state);

	fake_clock_begin(1000000);
	open_store();
	identify("8936", "");
	return error;
}

static int tear_down(void **state)
{
	return store_tear_down(state) + fake_clock_end(state);
}

FIXTURE(set_up, tear_down)

TEST(test_a_placed_call_is_stored_until_its_end)
{
	struct store_event_call_end end = {
		.client_id = 7, .client = "agent", .state = CALL_ENDED, .reason = "remote"
	};

	assert_int_equal(place(&end.id), 0);
	assert_int_equal(sql("SELECT state FROM event"), CALL_DIALLING);
	assert_int_equal(sql("SELECT segments FROM usage WHERE client_id = 7 AND "
			     "sim_id = 1"),
			 1);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'call_placed' AND "
			     "detail LIKE '%\"number\":\"+36201234567\"%'"),
			 1);
	assert_int_equal(store_event_end_call(store, &end), 0);
	end.client = NULL; /* of an earlier start of the gateway */
	assert_int_equal(store_event_end_call(store, &end), 0);
	reopen_store();
	assert_int_equal(sql("SELECT state FROM event WHERE text = 'remote'"),
			 CALL_ENDED);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'call_ended' AND "
			     "detail LIKE '%\"state\":\"ended\",\"reason\":\"remote\"%'"),
			 2);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'call_ended' AND "
			     "detail LIKE '%\"client\":\"agent\"%'"),
			 1);
}

/* A clock that was ahead and is right again does not block calls of now. */
TEST(test_placed_calls_are_counted_in_time)
{
	int64_t id, at_ms = -1;

	for (int i = 0; i < 3; i++) {
		now_ms += 10;
		assert_int_equal(place(&id), 0);
	}
	assert_int_equal(store_event_nth_placed_call(store, 1, now_ms, &at_ms), 0);
	assert_int_equal(at_ms, now_ms);
	assert_int_equal(store_event_nth_placed_call(store, 3, now_ms, &at_ms), 0);
	assert_int_equal(at_ms, now_ms - 20);
	assert_int_equal(store_event_nth_placed_call(store, 4, now_ms, &at_ms), 0);
	assert_int_equal(at_ms, 0);
	assert_int_equal(store_event_nth_placed_call(store, 1, now_ms - 5, &at_ms), 0);
	assert_int_equal(at_ms, now_ms - 10);
	sql("UPDATE event SET state = 3 RETURNING 0"); /* missed: incoming calls */
	assert_int_equal(store_event_nth_placed_call(store, 1, now_ms, &at_ms), 0);
	assert_int_equal(at_ms, 0);
}
