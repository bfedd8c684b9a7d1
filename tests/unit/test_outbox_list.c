/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several messages in one commit: outbox_accept_all() and the keys that belong together. */
#include <errno.h>

#include "unit_test.h"
#include "outbox_bench.h"

#include "config/config.h"

enum { COUNT = 3, CLIENT = 7 };

static struct store_message_draft drafts[COUNT];
static int64_t ids[COUNT];

static int set_up(void **state)
{
	static const char *const numbers[COUNT] = { "+36201234560", "+36201234561",
						    "+36201234562" };
	static const char *const keys[COUNT] = {
		"key" STORE_MESSAGE_LIST_MARK "1" STORE_MESSAGE_LIST_MARK "+36201234560",
		"key" STORE_MESSAGE_LIST_MARK "1" STORE_MESSAGE_LIST_MARK "+36201234561",
		"key" STORE_MESSAGE_LIST_MARK "1" STORE_MESSAGE_LIST_MARK "+36201234562",
	};

	for (int i = 0; i < COUNT; i++) {
		drafts[i] = (struct store_message_draft){
			.sim_id = 1,
			.client_id = CLIENT,
			.number = numbers[i],
			.text = "hello",
			.segments = 1,
			.idempotency_key = keys[i],
		};
	}
	if (bench_set_up(state))
		return -1;
	fake_modem_ready("/sim0", "1");
	return 0;
}

static int accept_all(void)
{
	return outbox_accept_all(outbox, drafts, COUNT, ids);
}

static bool any_is_stored(void)
{
	int64_t newest = 0;

	assert_int_equal(store_message_newest(store, &newest), 0);
	return newest != 0;
}

/* The message that is in the way of these recipients and this text; 0: none. */
static int64_t other(const char *key, const char *prefix, const char *text)
{
	const struct store_message_list_key list = { CLIENT, key, prefix, text };
	struct arena *arena = arena_new(1 << 20);
	struct message message = { 0 };
	int error = store_message_by_list_key(store, &list, arena, &message);

	arena_free(arena);
	assert_true(error == 0 || error == STORE_E_NOT_FOUND);
	return error ? 0 : message.id;
}

FIXTURE(set_up, bench_tear_down)

TEST(test_all_messages_go_out_in_their_order)
{
	assert_int_equal(accept_all(), 0);
	assert_int_equal(outbox_waiting(outbox), COUNT);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(ids[i], 1 + i);
	turn();
	assert_string_equal(only_send()->number, drafts[0].number);
	assert_int_equal(state_of(ids[1]), STATE_QUEUED);
}

TEST(test_a_draft_that_fails_leaves_none)
{
	drafts[COUNT - 1].idempotency_key = drafts[0].idempotency_key;
	assert_int_equal(accept_all(), -EINVAL);
	assert_int_equal(outbox_waiting(outbox), 0);
	assert_false(any_is_stored());
	turn();
	assert_int_equal(sends_pending(), 0);
	drafts[COUNT - 1].idempotency_key = "another";
	assert_int_equal(accept_all(), 0);
}

TEST(test_a_full_disk_leaves_none)
{
	fill_disk(true);
	assert_int_equal(accept_all(), OUTBOX_E_STORAGE);
	fill_disk(false);
	assert_int_equal(outbox_waiting(outbox), 0);
	assert_false(any_is_stored());
}

TEST(test_a_queue_without_room_for_all_takes_none)
{
	bench_config.queue_limit = COUNT - 1;
	assert_int_equal(accept_all(), OUTBOX_E_FULL);
	assert_false(any_is_stored());
	bench_config.queue_limit = COUNT;
	assert_int_equal(accept_all(), 0);
}

TEST(test_a_key_finds_the_messages_of_other_lists)
{
	const char *const same =
		"key" STORE_MESSAGE_LIST_MARK "1" STORE_MESSAGE_LIST_MARK;
	const char *const list =
		"key" STORE_MESSAGE_LIST_MARK "2" STORE_MESSAGE_LIST_MARK;

	assert_int_equal(accept_all(), 0);
	assert_int_equal(other("key", NULL, NULL), ids[0]);
	assert_int_equal(other("key", same, "hello"), 0);
	assert_int_equal(other("key", same, "another text"), ids[0]);
	assert_int_equal(other("key", list, "hello"), ids[0]);
	assert_int_equal(other("ke", NULL, NULL), 0);
	assert_int_equal(other("key ", NULL, NULL), 0);
}
