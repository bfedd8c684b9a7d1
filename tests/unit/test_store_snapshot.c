/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "store_bench.h"

#include "store/store_audit.h"
#include "store/store.h"
#include "store/store_setting.h"

static int setting(void)
{
	char value[STORE_SETTING_BYTES];

	return store_setting_get(store, "word", value);
}

FIXTURE(store_set_up, store_tear_down)

/* A change of another connection is visible after the snapshot. */
TEST(test_a_snapshot_shows_one_moment)
{
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
TEST(test_a_change_ends_the_snapshot)
{
	int64_t lines;

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
