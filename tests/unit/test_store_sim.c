/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Balances and their age, and the phones of SIMs. */
#include "unit_test.h"
#include "base/clock.h"
#include "store/store.h"
#include "store/store_phone.h"
#include "store_bench.h"

enum { HOUR_MS = 60 * 60 * 1000 };

static int64_t wall_now_ms, boot_now_ms;

static int64_t bench_wall_ms(void)
{
	return wall_now_ms;
}

static int64_t bench_boot_ms(void)
{
	return boot_now_ms;
}

static const struct clock_source bench_clock = {
	.monotonic_ms = bench_boot_ms,
	.wall_ms = bench_wall_ms,
	.boot_ms = bench_boot_ms,
};

static void put(int64_t sim_id, int64_t thousandths, const char *currency)
{
	struct balance balance = { { thousandths, 2 }, "" };

	strcpy(balance.currency, currency);
	assert_int_equal(store_sim_balance_put(store, sim_id, "*100#", &balance), 0);
}

static struct store_sim_balance get(int64_t sim_id)
{
	struct store_sim_balance found = { 0 };

	assert_int_equal(store_sim_balance_get(store, sim_id, &found), 0);
	return found;
}

FIXTURE(store_set_up, store_tear_down)

/* Returns their SIMs, as "1 2 ". */
static const char *sims_of(const struct store_phone_row *row)
{
	static char list[64];
	int64_t sim_id = 0;
	size_t length = 0;

	*list = '\0';
	for (;;) {
		assert_int_equal(store_phone_next_sim(store, row, &sim_id), 0);
		if (!sim_id)
			return list;
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%lld ",
					   (long long)sim_id);
	}
}

TEST(test_a_sim_is_in_the_phone_that_showed_it_last)
{
	struct store_phone_row first = { .name = "shop-1" },
			       second = { .name = "shop-2" };

	open_store();
	identify("8936", "");
	identify("8937", "");
	assert_int_equal(store_phone_add(store, &first), 0);
	assert_int_equal(store_phone_add(store, &second), 0);
	assert_int_equal(store_phone_put_sim(store, &first, "8936"), 0);
	assert_int_equal(store_phone_put_sim(store, &first, "8937"), 0);
	assert_int_equal(store_phone_put_sim(store, &first, "no such card"), 0);
	assert_string_equal(sims_of(&first), "1 2 ");
	assert_int_equal(store_phone_put_sim(store, &second, "8936"), 0);
	reopen_store();
	assert_string_equal(sims_of(&first), "2 ");
	assert_string_equal(sims_of(&second), "1 ");
	assert_int_equal(store_phone_remove(store, &second), 0);
	assert_string_equal(sims_of(&second), "");
	assert_string_equal(sims_of(&first), "2 ");
}

TEST(test_the_newest_balance_is_kept)
{
	struct store_sim_balance found = { .age_ms = 7 };
	int64_t sim_id;

	open_store();
	sim_id = identify("8936", "");
	assert_int_equal(store_sim_balance_get(store, sim_id, &found), STORE_E_NOT_FOUND);
	assert_int_equal(found.age_ms, 7);
	put(sim_id, 500000, "HUF");
	put(sim_id, -1250, "\xe2\x82\xac");
	reopen_store();
	found = get(sim_id);
	assert_int_equal(found.balance.amount.thousandths, -1250);
	assert_int_equal(found.balance.amount.decimals, 2);
	assert_string_equal(found.balance.currency, "\xe2\x82\xac");
	assert_string_equal(found.code, "*100#");
	assert_int_equal(sql("SELECT count(*) FROM balance"), 1);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'balance_read'"),
			 2);
}

TEST(test_a_balance_can_be_forgotten)
{
	struct store_sim_balance found;
	int64_t sim_id;

	open_store();
	sim_id = identify("8936", "");
	assert_int_equal(store_sim_balance_forget(store, sim_id), STORE_E_NOT_FOUND);
	put(sim_id, 1, "");
	assert_int_equal(store_sim_balance_forget(store, sim_id), 0);
	assert_int_equal(store_sim_balance_get(store, sim_id, &found), STORE_E_NOT_FOUND);
	assert_int_equal(
		sql("SELECT count(*) FROM audit WHERE event = 'balance_forgotten'"), 1);
}

/* The age follows real time, and the time of reading follows the wall clock. */
TEST(test_the_age_ignores_clock_changes)
{
	int64_t sim_id;

	clock_set_source(&bench_clock);
	wall_now_ms = 5000; /* 1970 */
	boot_now_ms = 5000;
	open_store();
	sim_id = identify("8936", "");
	put(sim_id, 1, "");
	boot_now_ms += HOUR_MS;
	wall_now_ms = CLOCK_SANE_MS; /* the network set the clock */
	assert_int_equal(get(sim_id).age_ms, HOUR_MS);
	assert_int_equal(get(sim_id).read_ms, CLOCK_SANE_MS - HOUR_MS);
	wall_now_ms -= 24 * (int64_t)HOUR_MS;
	assert_int_equal(get(sim_id).age_ms, HOUR_MS);
	clock_set_source(NULL);
}
