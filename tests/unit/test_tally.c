/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sms/tally.h"

static void test_a_row_for_each_sim(void **state)
{
	struct tally tally = { .count = 0 };

	(void)state;
	tally_row(&tally, 7)->accepted++;
	tally_row(&tally, 9)->accepted++;
	tally_row(&tally, 7)->accepted++;
	assert_int_equal(tally.count, 2);
	assert_int_equal(tally_row(&tally, 7)->accepted, 2);
	assert_int_equal(tally_row(&tally, 9)->accepted, 1);
	assert_ptr_equal(tally_row(&tally, 0), &tally.rows[0]);
	assert_int_equal(tally.count, 2);
}

/* Cards come and go for years; nothing grows with them, and no message is left out. */
static void test_more_than_there_is_room_for(void **state)
{
	struct tally tally = { .count = 0 };
	uint64_t sum = 0;

	(void)state;
	for (int64_t sim = 1; sim <= 100; sim++)
		tally_row(&tally, sim)->received++;
	assert_int_equal(tally.count, TALLY_SIMS_MAX);
	for (unsigned at = 0; at <= tally.count; at++)
		sum += tally.rows[at].received;
	assert_int_equal(sum, 100);
	assert_int_equal(tally.rows[0].received, 100 - TALLY_SIMS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_row_for_each_sim),
		cmocka_unit_test(test_more_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
