/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "store_bench.h"

#include "base/clock.h"
#include "store/store_message.h"
#include "store/store_party.h"

enum { MINUTE_MS = 60 * 1000 };

static int64_t now_ms = 1800000000000;
static int64_t set_ms; /* by how much the wall clock was set */
static struct arena *arena;

static int64_t fake_wall_ms(void)
{
	return now_ms + set_ms;
}

static int64_t fake_boot_ms(void)
{
	return now_ms;
}

static const struct clock_source fake_clock = { fake_boot_ms, fake_wall_ms, NULL };

static int set_up(void **state)
{
	int error = store_set_up(state);

	if (error)
		return error;
	arena = arena_new(1 << 20);
	clock_set_source(&fake_clock);
	open_store();
	return 0;
}

static int tear_down(void **state)
{
	clock_set_source(NULL);
	arena_free(arena);
	return store_tear_down(state);
}

static struct store_message_draft draft_of(int64_t client_id, const char *key)
{
	return (struct store_message_draft){
		.sim_id = identify("8936", ""),
		.client_id = client_id,
		.number = "+36201234567",
		.text = "x",
		.segments = 1,
		.idempotency_key = key,
	};
}

static int64_t add(int64_t client_id, const char *key)
{
	struct store_message_draft draft = draft_of(client_id, key);
	int64_t id = -1;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	return id;
}

static int64_t by_key(int64_t client_id, const char *key)
{
	struct message message = { 0 };
	int error = store_message_by_key(store, client_id, key, arena, &message);

	assert_true(error == 0 || error == STORE_E_NOT_FOUND);
	return error ? 0 : message.id;
}

static int64_t same(struct store_message_draft draft)
{
	struct message message = { 0 };
	int error = store_message_find_same(store, &draft, MINUTE_MS, arena, &message);

	assert_true(error == 0 || error == STORE_E_NOT_FOUND);
	return error ? 0 : message.id;
}

FIXTURE(set_up, tear_down)

TEST(test_a_key_stands_for_one_message_of_its_client)
{
	struct store_message_draft again = draft_of(1, "k");
	int64_t first = add(1, "k"), id = -1;
	struct message message;

	add(1, NULL);
	add(1, NULL); /* no key at all */
	assert_int_equal(by_key(1, "k"), first);
	assert_int_equal(by_key(2, "k"), 0); /* another client's key is another key */
	assert_int_equal(by_key(1, "K"), 0);
	assert_int_equal(by_key(1, ""), 0);
	assert_int_equal(store_message_add(store, &again, &id), -EINVAL);
	assert_int_equal(id, -1);
	assert_true(add(2, "k") > first);
	reopen_store();
	assert_int_equal(by_key(1, "k"), first);
	assert_int_equal(store_message_by_key(store, 1, "k", arena, &message), 0);
	assert_string_equal(message.idempotency_key, "k");
	assert_string_equal(message.text, "x");
}

TEST(test_the_same_message_is_found_within_the_window)
{
	struct store_message_draft draft = draft_of(1, NULL);
	int64_t first = add(1, NULL);

	add(1, "fresh");
	assert_int_equal(same(draft), first); /* the first, not the latest */
	now_ms += MINUTE_MS;
	assert_int_equal(same(draft), first);
	now_ms += 1;
	assert_int_equal(same(draft), 0);
	now_ms -= 2 * MINUTE_MS; /* the clock was set back */
	assert_int_equal(same(draft), first);
	draft.client_id = 2;
	assert_int_equal(same(draft), 0);
	draft = draft_of(1, NULL);
	draft.number = "+36201234568";
	assert_int_equal(same(draft), 0);
	draft.number = "0036201234567"; /* in another spelling */
	now_ms += MINUTE_MS;
	assert_int_equal(same(draft), first);
	now_ms -= MINUTE_MS;
	draft = draft_of(1, NULL);
	draft.text = "X";
	assert_int_equal(same(draft), 0);
	draft = draft_of(1, NULL);
	draft.send_at_ms = now_ms + 1; /* a reminder may come twice */
	assert_int_equal(same(draft), 0);
}

/* The window is a minute of real time, not of the wall clock. */
TEST(test_the_window_is_of_real_time)
{
	struct store_message_draft draft = draft_of(1, NULL);
	int64_t first = add(1, NULL);

	for (int i = 1; i < CLOCK_HISTORY_MAX; i++) {
		set_ms += (i % 2 ? -i : i) * 1000 * MINUTE_MS;
		now_ms += 1000;
		assert_int_equal(same(draft), first);
	}
	now_ms += MINUTE_MS;
	assert_int_equal(same(draft), 0);
	assert_int_not_equal(add(1, NULL), first);
	set_ms = 0;
	assert_int_equal(same(draft), first + 1);
}

static void move(int64_t id, enum message_state to)
{
	assert_int_equal(step_move_message(store, id, to, NULL, NULL), 0);
}

/* Whoever learned that a message will not go out must be able to try again. */
TEST(test_messages_that_ended_unsent_are_no_duplicates)
{
	int64_t failed = add(1, NULL), unknown;

	move(failed, STATE_SUBMITTING);
	assert_int_equal(same(draft_of(1, NULL)), failed);
	move(failed, STATE_FAILED);
	assert_int_equal(same(draft_of(1, NULL)), 0);
	move(add(1, NULL), STATE_CANCELLED);
	move(add(1, NULL), STATE_EXPIRED);
	assert_int_equal(same(draft_of(1, NULL)), 0);
	unknown = add(1, NULL);
	move(unknown, STATE_SUBMITTING);
	move(unknown, STATE_UNKNOWN);
	assert_int_equal(same(draft_of(1, NULL)), unknown);
}

TEST(test_times_and_state_are_stored)
{
	struct store_message_draft draft = draft_of(1, NULL);
	struct message message;
	int64_t id;

	draft.state = STATE_SCHEDULED;
	draft.send_at_ms = now_ms + 5;
	draft.expires_at_ms = now_ms + 7;
	assert_int_equal(store_message_add(store, &draft, &id), 0);
	assert_history(id, "scheduled() ");
	reopen_store();
	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	assert_int_equal(message.state, STATE_SCHEDULED);
	assert_int_equal(message.send_at_ms, now_ms + 5);
	assert_int_equal(message.expires_at_ms, now_ms + 7);
	assert_int_equal(message.delivery, DELIVERY_NONE);
	assert_string_equal(message.idempotency_key, "");
}

static int64_t unfinished[8];
static size_t unfinished_count;

static void note_unfinished(void *data, const struct message *message)
{
	unfinished[unfinished_count++] = message->id;
}

TEST(test_unfinished_messages_are_listed)
{
	struct store_message_draft scheduled = draft_of(1, NULL), approval = scheduled;
	int64_t queued = add(1, NULL), two, three;

	scheduled.state = STATE_SCHEDULED;
	approval.state = STATE_WAITING_APPROVAL;
	assert_int_equal(store_message_add(store, &scheduled, &two), 0);
	assert_int_equal(store_message_add(store, &approval, &three), 0);
	move(add(1, NULL), STATE_EXPIRED);
	unfinished_count = 0;
	assert_int_equal(store_message_list_unfinished(store, note_unfinished, NULL), 0);
	assert_int_equal(unfinished_count, 3);
	assert_int_equal(unfinished[0], queued);
	assert_int_equal(unfinished[1], two);
	assert_int_equal(unfinished[2], three);
}

TEST(test_delivery_reports_are_stored)
{
	struct store_message_transition submitted = { STATE_SUBMITTED, NULL, "A1",
						      DELIVERY_AWAITED };
	struct store_message_transition sent = { .to = STATE_SENT };
	struct message message;
	int64_t id = add(1, NULL);

	move(id, STATE_SUBMITTING);
	assert_int_equal(store_message_change_state(store, id, &submitted), 0);
	assert_int_equal(store_message_change_state(store, id, &sent), 0);
	assert_int_equal(store_message_by_uuid(store, "A1", arena, &message), 0);
	assert_int_equal(message.id, id);
	assert_int_equal(message.delivery, DELIVERY_AWAITED); /* unchanged */
	assert_int_equal(store_message_set_delivery(store, id, DELIVERY_REFUSED), 0);
	assert_history(id,
		       "queued() submitting() submitted() sent() sent(not_delivered) ");
	assert_int_equal(store_message_by_uuid(store, "A1", arena, &message), 0);
	assert_int_equal(message.delivery, DELIVERY_REFUSED);
	assert_int_equal(message.state, STATE_SENT);
	assert_int_equal(store_message_by_uuid(store, "", arena, &message),
			 STORE_E_NOT_FOUND);
	assert_int_equal(store_message_set_delivery(store, 99, DELIVERY_REFUSED),
			 STORE_E_NOT_FOUND);
	move(id, STATE_DELIVERED);
	assert_int_equal(store_message_change_state(store, id, &sent), STORE_E_ILLEGAL);
}

static void receive(const char *number)
{
	struct store_incoming_draft draft = { .reported_ms = clock_wall_ms(),
					      .number = number,
					      .text = "x",
					      .sent_time = "" };
	int64_t id;
	bool known;

	assert_int_equal(step_add_incoming(store, &draft, &id, &known), 0);
}

/* Messages that were never sent, or are unknown, are no exchange. */
TEST(test_only_known_exchanges_count)
{
	static const enum message_state unsent[] = { STATE_FAILED, STATE_UNKNOWN,
						     STATE_SUBMITTED, STATE_CANCELLED };
	const char *number = draft_of(1, NULL).number;
	int64_t id;

	assert_int_equal(store_party_has_exchanged(store, 0, number), STORE_E_NOT_FOUND);
	add(1, NULL);
	for (size_t i = 0; i < sizeof(unsent) / sizeof(*unsent); i++) {
		id = add(1, NULL);
		if (unsent[i] != STATE_CANCELLED)
			move(id, STATE_SUBMITTING);
		move(id, unsent[i]);
	}
	assert_int_equal(store_party_has_exchanged(store, 0, number), STORE_E_NOT_FOUND);
	receive("+36209999999");
	assert_int_equal(store_party_has_exchanged(store, 0, "+36209999999"), 0);
	assert_int_equal(store_party_has_exchanged(store, 0, number), STORE_E_NOT_FOUND);
	id = add(1, NULL);
	move(id, STATE_SUBMITTING);
	move(id, STATE_SENT);
	assert_int_equal(store_party_has_exchanged(store, 0, number), 0);
	move(id, STATE_DELIVERED);
	assert_int_equal(store_party_has_exchanged(store, 0, number), 0);
}

/* In any spelling; the same digits at a card of another country are another number. */
TEST(test_an_exchange_counts_in_every_spelling)
{
	int64_t hungarian = identify("8937", "216300000000001");
	int64_t german = identify("8938", "262010000000001");

	receive("+36201234567");
	assert_int_equal(store_party_has_exchanged(store, hungarian, "06201234567"), 0);
	assert_int_equal(store_party_has_exchanged(store, hungarian, "0036201234567"), 0);
	assert_int_equal(store_party_has_exchanged(store, german, "0036201234567"), 0);
	assert_int_equal(store_party_has_exchanged(store, german, "06201234567"),
			 STORE_E_NOT_FOUND);
	assert_int_equal(store_party_has_exchanged(store, 0, "06201234567"),
			 STORE_E_NOT_FOUND);
	receive("Bank");
	assert_int_equal(store_party_has_exchanged(store, hungarian, "Bank"),
			 STORE_E_NOT_FOUND);
}

TEST(test_a_full_disk_changes_no_state)
{
	struct store_message_transition submitting = { .to = STATE_SUBMITTING };
	int64_t id = add(1, NULL);

	fill_disk(true);
	assert_int_equal(store_message_change_state(store, id, &submitting),
			 STORE_E_FULL);
	assert_int_equal(store_message_set_delivery(store, id, DELIVERY_REFUSED),
			 STORE_E_FULL);
	fill_disk(false);
	assert_history(id, "queued() ");
}
