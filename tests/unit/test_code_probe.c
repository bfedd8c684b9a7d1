/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdio.h>

#include "policy/code_probe.h"

enum { HOUR_MS = 60 * 60 * 1000, NOW_MS = 5000, CLIENT = 7 };

static int set_up(void **state)
{
	return (*state = code_probes_new()) ? 0 : -1;
}

static int tear_down(void **state)
{
	code_probes_free(*state);
	return 0;
}

static void use_up(struct code_probes *probes, int64_t client_id, int64_t now_ms)
{
	char text[16];

	for (int i = 0; i < CODE_PROBES_PER_HOUR; i++) {
		assert_int_equal(code_probes_end_ms(probes, client_id, now_ms + i), 0);
		snprintf(text, sizeof(text), "48291%d", i);
		code_probes_count(probes, client_id, text, now_ms + i);
	}
}

FIXTURE(set_up, tear_down)

TEST(test_a_client_learns_of_a_few_texts_an_hour)
{
	use_up(*state, CLIENT, NOW_MS);
	assert_int_equal(code_probes_end_ms(*state, CLIENT, NOW_MS + 10),
			 NOW_MS + HOUR_MS);
	assert_int_equal(code_probes_end_ms(*state, CLIENT + 1, NOW_MS + 10), 0);
	assert_int_equal(code_probes_end_ms(*state, CLIENT, NOW_MS + HOUR_MS), 0);
}

TEST(test_the_hour_begins_with_each_text)
{
	use_up(*state, CLIENT, NOW_MS);
	code_probes_count(*state, CLIENT, "another", NOW_MS + HOUR_MS);
	assert_int_equal(code_probes_end_ms(*state, CLIENT, NOW_MS + HOUR_MS),
			 NOW_MS + 1 + HOUR_MS);
}

TEST(test_the_same_text_counts_once)
{
	for (int i = 0; i < 2 * CODE_PROBES_PER_HOUR; i++)
		code_probes_count(*state, CLIENT, "482913", NOW_MS + i);
	assert_int_equal(code_probes_end_ms(*state, CLIENT, NOW_MS + 100), 0);
}

TEST(test_many_clients_take_no_more_memory_and_the_last_ones_are_known)
{
	for (int64_t client_id = 1; client_id <= 1000; client_id++)
		use_up(*state, client_id, NOW_MS + client_id);
	assert_int_not_equal(code_probes_end_ms(*state, 1000, NOW_MS + 2000), 0);
	assert_int_equal(code_probes_end_ms(*state, 1, NOW_MS + 2000), 0);
}
