/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "store_bench.h"

#include <stdio.h>

#include "store/store.h"
#include "store/store_client.h"
#include "store/store_file.h"
#include "store/store_usage.h"

static void assert_closed(int64_t client_id, const char *key, bool closed)
{
	assert_int_equal(store_usage_find_closed_key(store, client_id, key),
			 closed ? 0 : STORE_E_NOT_FOUND);
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_a_closed_key_survives_a_restart_and_is_its_clients_own)
{
	open_store();
	assert_closed(1, "a", false);
	assert_int_equal(store_usage_close_key(store, 1, "a"), 0);
	assert_int_equal(store_usage_close_key(store, 1, "a"), 0);
	reopen_store();
	assert_closed(1, "a", true);
	assert_closed(2, "a", false);
	assert_closed(1, "b", false);
}

TEST(test_a_closed_key_survives_a_rescue)
{
	struct explanation error = { "" };

	open_store();
	assert_int_equal(store_usage_close_key(store, 1, "a"), 0);
	store_close(store);
	store = NULL;
	assert_int_equal(store_file_mark_damaged(folder), 0);
	assert_int_equal(store_open_or_rescue(folder, &store, &error), 0);
	assert_closed(1, "a", true);
}

TEST(test_a_full_disk_closes_nothing)
{
	open_store();
	fill_disk(true);
	assert_int_equal(store_usage_close_key(store, 1, "a"), STORE_E_FULL);
	assert_closed(1, "a", false);
	fill_disk(false);
	assert_int_equal(store_usage_close_key(store, 1, "a"), 0);
}

static int close_many(void *data)
{
	char key[32];

	for (int i = 0; i < STORE_CLOSED_KEYS_MAX; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		assert_int_equal(store_usage_close_key(store, 1, key), 0);
	}
	return 0;
}

TEST(test_a_client_closes_no_more_keys_than_fit)
{
	int synced;

	open_store();
	assert_int_equal(store_sync_once(store, close_many, NULL, &synced), 0);
	assert_int_equal(store_usage_close_key(store, 1, "one more"), STORE_E_FULL);
	assert_int_equal(store_usage_close_key(store, 2, "another's"), 0);
	assert_closed(1, "key 0", true);
}

TEST(test_only_a_newer_epoch_is_taken)
{
	open_store();
	assert_int_equal(store_client_raise_epoch(store, 1, 5), 0);
	assert_int_equal(store_client_raise_epoch(store, 1, 5), 0);
	assert_int_equal(store_client_raise_epoch(store, 1, 4), STORE_E_ILLEGAL);
	assert_int_equal(store_client_raise_epoch(store, 2, 1), 0);
	reopen_store();
	assert_int_equal(store_client_raise_epoch(store, 1, 4), STORE_E_ILLEGAL);
	fill_disk(true);
	assert_int_equal(store_client_raise_epoch(store, 1, 6), STORE_E_FULL);
	fill_disk(false);
	assert_int_equal(store_client_raise_epoch(store, 1, 6), 0);
	assert_int_equal(store_client_raise_epoch(store, 1, 5), STORE_E_ILLEGAL);
}
