/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store_bench.h"

#include "store/store_audit.h"
#include "store/store.h"
#include "store/store_setting.h"

static int setting(void)
{
	char value[STORE_SETTING_BYTES];

	return store_setting_get(store, "word", value);
}

/* A change of another connection is visible after the snapshot. */
static void test_a_snapshot_shows_one_moment(void **state)
{
	(void)state;
	open_store();
	store_snapshot_begin(store);
	assert_int_equal(setting(), STORE_E_NOT_FOUND);
	sql("INSERT INTO setting (name, value, at) VALUES ('word', 'yes', 5)");
	assert_int_equal(setting(), STORE_E_NOT_FOUND);
	store_snapshot_end(store);
	assert_int_equal(setting(), 0);
	store_snapshot_end(store);
}

/* A change inside a snapshot is durable, whoever else wrote since it began. */
static void test_a_change_ends_the_snapshot(void **state)
{
	int64_t lines;

	(void)state;
	open_store();
	lines = sql("SELECT count(*) FROM audit");
	store_snapshot_begin(store);
	assert_int_equal(setting(), STORE_E_NOT_FOUND);
	sql("INSERT INTO setting (name, value, at) VALUES ('other', 'yes', 5)");
	assert_int_equal(store_setting_set(store, "word", "no"), 0);
	assert_int_equal(sql("SELECT count(*) FROM setting WHERE name = 'word'"), 1);
	store_snapshot_begin(store);
	assert_int_equal(setting(), 0);
	assert_int_equal(store_audit_add(store, AUDIT_STARTED, "{}"), 0);
	assert_int_equal(sql("SELECT count(*) FROM audit"), lines + 1);
	store_snapshot_end(store);
	add_message("after");
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_snapshot_shows_one_moment,
						store_set_up, store_tear_down),
		cmocka_unit_test_setup_teardown(test_a_change_ends_the_snapshot,
						store_set_up, store_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
