/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "store/store_message.h"

/* Row: from, column: to, in the order of the enum; 'x': allowed. */
static const char *const ways[STATE_LAST + 1] = {
	/*
	 * queued submitting submitted held sent failed cancelled unknown received scheduled
	 * waiting_approval delivered expired
	 */
	[STATE_QUEUED] = ".x....xx.xx.x",
	[STATE_SUBMITTING] = "x.xxxxxx...xx",
	[STATE_SUBMITTED] = "..xxxxxx...x.",
	[STATE_HELD] = "..xxxxxx...x.",
	[STATE_SENT] = "...........x.",
	[STATE_FAILED] = ".............",
	[STATE_CANCELLED] = ".............",
	[STATE_UNKNOWN] = "..xxxxx....x.",
	[STATE_RECEIVED] = ".............",
	[STATE_SCHEDULED] = "x.....xx....x",
	[STATE_WAITING_APPROVAL] = "x....xxx.x..x",
	[STATE_DELIVERED] = ".............",
	[STATE_EXPIRED] = ".............",
};

TEST(test_the_table_allows_exactly_these_changes)
{
	enum message_state from, to;

	for (from = STATE_QUEUED; from <= STATE_LAST; from++) {
		for (to = STATE_QUEUED; to <= STATE_LAST; to++)
			assert_int_equal(message_state_may_become(from, to),
					 ways[from][to - STATE_QUEUED] == 'x');
	}
}

/* A message that may have reached oFono is never submitted again. */
TEST(test_only_submitting_returns_to_queued)
{
	enum message_state from;

	for (from = STATE_QUEUED; from <= STATE_LAST; from++) {
		assert_int_equal(message_state_may_become(from, STATE_SUBMITTING),
				 from == STATE_QUEUED);
		assert_int_equal(message_state_may_become(from, STATE_QUEUED),
				 from == STATE_SUBMITTING || from == STATE_SCHEDULED ||
					 from == STATE_WAITING_APPROVAL);
	}
}

/* No state that oFono may know of returns to one from which it could be submitted. */
TEST(test_waiting_states_are_never_entered_again)
{
	enum message_state from, to;

	for (from = STATE_QUEUED; from <= STATE_LAST; from++) {
		for (to = STATE_QUEUED; to <= STATE_LAST; to++) {
			if (message_state_is_waiting(to) && from != STATE_SUBMITTING &&
			    message_state_may_become(from, to))
				assert_true(message_state_is_waiting(from));
		}
		if (message_state_is_waiting(from))
			assert_false(message_state_is_final(from));
	}
	assert_true(message_state_is_waiting(STATE_SCHEDULED));
	assert_false(message_state_is_waiting(STATE_SUBMITTING));
}

TEST(test_unknown_numbers_are_no_state)
{
	assert_false(message_state_may_become((enum message_state)0, STATE_QUEUED));
	assert_false(message_state_may_become((enum message_state)99, STATE_SENT));
	assert_false(message_state_may_become(STATE_SUBMITTED, (enum message_state)99));
	assert_false(message_state_may_become(STATE_SUBMITTED, (enum message_state)0));
}

TEST(test_every_state_has_its_name)
{
	assert_string_equal(message_state_name(STATE_QUEUED), "queued");
	assert_string_equal(message_state_name(STATE_SUBMITTING), "submitting");
	assert_string_equal(message_state_name(STATE_SUBMITTED), "submitted");
	assert_string_equal(message_state_name(STATE_HELD), "held");
	assert_string_equal(message_state_name(STATE_SENT), "sent");
	assert_string_equal(message_state_name(STATE_FAILED), "failed");
	assert_string_equal(message_state_name(STATE_CANCELLED), "cancelled");
	assert_string_equal(message_state_name(STATE_UNKNOWN), "unknown");
	assert_string_equal(message_state_name(STATE_RECEIVED), "received");
	assert_string_equal(message_state_name(STATE_SCHEDULED), "scheduled");
	assert_string_equal(message_state_name(STATE_WAITING_APPROVAL),
			    "waiting_approval");
	assert_string_equal(message_state_name(STATE_DELIVERED), "delivered");
	assert_string_equal(message_state_name(STATE_EXPIRED), "expired");
	assert_int_equal(STATE_LAST, 13); /* stored: numbers never change */
	assert_int_equal(STATE_SCHEDULED, 10);
	assert_false(message_state_is_final(STATE_HELD));
	assert_true(message_state_is_final(STATE_EXPIRED));
	assert_true(message_state_is_final(STATE_SENT));
	assert_true(message_state_is_final(STATE_UNKNOWN));
}
