/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "sms/message_counters.h"

TEST(test_each_sim_has_a_row)
{
	struct message_counters counters = { .count = 0 };

	message_counters_row(&counters, 7)->accepted++;
	message_counters_row(&counters, 9)->accepted++;
	message_counters_row(&counters, 7)->accepted++;
	assert_int_equal(counters.count, 2);
	assert_int_equal(message_counters_row(&counters, 7)->accepted, 2);
	assert_int_equal(message_counters_row(&counters, 9)->accepted, 1);
	assert_ptr_equal(message_counters_row(&counters, 0), &counters.rows[0]);
	assert_int_equal(counters.count, 2);
}

/* SIM cards come and go for years: the counters do not grow, and count every message. */
TEST(test_sims_beyond_the_maximum_share_the_first_row)
{
	struct message_counters counters = { .count = 0 };
	uint64_t sum = 0;

	for (int64_t sim = 1; sim <= 100; sim++)
		message_counters_row(&counters, sim)->received++;
	assert_int_equal(counters.count, MESSAGE_COUNTERS_SIMS_MAX);
	for (unsigned at = 0; at <= counters.count; at++)
		sum += counters.rows[at].received;
	assert_int_equal(sum, 100);
	assert_int_equal(counters.rows[0].received, 100 - MESSAGE_COUNTERS_SIMS_MAX);
}
