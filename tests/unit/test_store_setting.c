/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "store_bench.h"

#include "store/store_file.h"
#include "store/store.h"
#include "store/store_setting.h"

static void assert_secret(const char *purpose, const uint8_t *expected, bool same)
{
	uint8_t secret[STORE_SETTING_SECRET_BYTES];

	assert_int_equal(store_setting_secret(store, purpose, secret), 0);
	assert_int_equal(memcmp(secret, expected, sizeof(secret)) == 0, same);
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_each_purpose_has_one_secret)
{
	uint8_t secret[STORE_SETTING_SECRET_BYTES];

	open_store();
	assert_int_equal(store_setting_secret(store, "one", secret), 0);
	assert_secret("one", secret, true);
	assert_secret("two", secret, false);
	reopen_store();
	assert_secret("one", secret, true);
}

TEST(test_a_secret_survives_a_rescue)
{
	struct explanation error = { "" };
	uint8_t secret[STORE_SETTING_SECRET_BYTES];

	open_store();
	add_message("x");
	assert_int_equal(store_setting_secret(store, "one", secret), 0);
	store_close(store);
	store = NULL;
	assert_int_equal(store_file_mark_damaged(folder), 0);
	assert_int_equal(store_open_or_rescue(folder, &store, &error), 0);
	assert_secret("one", secret, true);
}

TEST(test_a_full_disk_gives_no_secret)
{
	uint8_t secret[STORE_SETTING_SECRET_BYTES] = { 0 },
		untouched[STORE_SETTING_SECRET_BYTES] = { 0 };

	open_store();
	fill_disk(true);
	assert_int_equal(store_setting_secret(store, "one", secret), STORE_E_FULL);
	assert_memory_equal(secret, untouched, sizeof(secret));
	fill_disk(false);
	assert_int_equal(store_setting_secret(store, "one", secret), 0);
	fill_disk(true);
	assert_secret("one", secret, true);
	fill_disk(false);
}
