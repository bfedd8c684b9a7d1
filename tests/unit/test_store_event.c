/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events, and their limits. */
#include "unit_test.h"
#include "store/store_event.h"
#include "store_bench.h"

static int64_t add(enum event_kind kind, int64_t at_ms, int state)
{
	const struct event event = {
		.kind = kind,
		.at_ms = at_ms,
		.number = "+36201234567",
		.text = "",
		.state = state,
		.topic = -1,
	};
	int64_t id = -1;

	assert_int_equal(store_event_add(store, &event, &id), 0);
	return id;
}

/* The IDs and states that were visited: "3:1 2:4 ". */
static void note(void *data, const struct event *event)
{
	char *noted = data;
	size_t length = strlen(noted);

	snprintf(noted + length, 64 - length, "%lld:%d ", (long long)event->id,
		 event->state);
}

static void assert_listed(struct store_event_query look, const char *expected)
{
	char noted[64] = "";

	look.kind = EVENT_CALL;
	look.visit = note;
	look.data = noted;
	assert_int_equal(store_event_list(store, &look), 0);
	assert_string_equal(noted, expected);
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_events_are_listed_newest_first)
{
	open_store();
	add(EVENT_CALL, 1, CALL_RINGING);
	add(EVENT_ALERT, 2, CALL_RINGING);
	add(EVENT_CALL, 3, CALL_MISSED);
	add(EVENT_CALL, 4, CALL_RINGING);
	assert_listed((struct store_event_query){ .state = -1, .limit = 2 }, "4:1 3:3 ");
	assert_listed(
		(struct store_event_query){ .state = -1, .limit = 2, .before_id = 4 },
		"3:3 1:1 ");
	assert_listed((struct store_event_query){ .state = CALL_MISSED, .limit = 2 },
		      "3:3 ");
	assert_int_equal(store_event_set_state(store, 1, CALL_ANSWERED), 0);
	assert_int_equal(store_event_settle(store), 0);
	reopen_store();
	assert_listed((struct store_event_query){ .state = -1, .limit = 9 },
		      "4:0 3:3 1:2 ");
	assert_int_equal(sql("SELECT state FROM event WHERE id = 2"), CALL_RINGING);
}

/* Of each kind; other kinds are untouched. */
TEST(test_the_oldest_events_of_a_kind_are_dropped)
{
	open_store();
	add(EVENT_ALERT, 1, 0);
	assert_int_equal(
		sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1"
		    " FROM n WHERE i < 1000) INSERT INTO event (kind, at,"
		    " phone_number, text, state, topic) SELECT 1, i, '', '', 3, -1"
		    " FROM n RETURNING 7"),
		7);
	assert_int_equal(sql("SELECT count(*) FROM event"), EVENTS_MAX + 1);
	add(EVENT_CALL, 5000, CALL_RINGING);
	assert_int_equal(sql("SELECT count(*) FROM event WHERE kind = 1"), EVENTS_MAX);
	assert_int_equal(sql("SELECT min(at) FROM event WHERE kind = 1"), 2);
	assert_int_equal(sql("SELECT count(*) FROM event WHERE kind = 2"), 1);
	assert_int_equal(store_event_prune(store, 900), 0);
	assert_int_equal(sql("SELECT min(at) FROM event"), 900);
}
