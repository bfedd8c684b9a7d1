/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The feed: an entry for each fact, in its commit; epochs, bounds, and who is notified. */
#include "unit_test.h"
#include "base/clock.h"
#include "store/store.h"
#include "store/store_backup.h"
#include "store/store_edit.h"
#include "store/store_event.h"
#include "base/event_loop.h"
#include "store/store_feed.h"
#include "store/store_restore.h"
#include "patience.h"
#include "store_bench.h"

static char text[1024]; /* of the entries that were read */
static unsigned visits;
static char backup_file[96];

static int set_up(void **state)
{
	int failed = store_set_up(state);

	if (!failed)
		open_store();
	return failed;
}

static bool write_entry(void *data, const struct feed_entry *entry)
{
	size_t length = strlen(text);

	visits++;
	snprintf(text + length, sizeof(text) - length, "%d/%lld:%d<%d%s%s ", entry->type,
		 (long long)entry->subject_id, entry->state, entry->previous_state,
		 *entry->phone_number ? "@" : "", entry->phone_number);
	return !data || visits < *(unsigned *)data;
}

static const char *entries_after(int64_t after_id)
{
	*text = '\0';
	visits = 0;
	assert_int_equal(store_feed_read(store, after_id, 100, write_entry, NULL), 0);
	return text;
}

static int64_t head(void)
{
	int64_t first = -1, last = -1;

	assert_int_equal(store_feed_bounds(store, &first, &last), 0);
	return last;
}

static int64_t first(void)
{
	int64_t oldest = -1, last = -1;

	assert_int_equal(store_feed_bounds(store, &oldest, &last), 0);
	return oldest;
}

static int64_t epoch(void)
{
	int64_t value = 0;

	assert_int_equal(store_feed_epoch(store, &value), 0);
	assert_true(value > 0);
	return value;
}

static void move(int64_t message_id, enum message_state to, bool is_lazy)
{
	const struct store_message_transition transition = { .to = to,
							     .is_lazy = is_lazy };

	assert_int_equal(store_message_change_state(store, message_id, &transition), 0);
}

static int64_t receive(const char *words)
{
	struct store_incoming_draft draft = { .sim_id = identify("8936", ""),
					      .reported_ms = clock_wall_ms(),
					      .number = "+36209876543",
					      .text = words,
					      .sent_time = "" };
	struct store_incoming_entry entry = { .draft = &draft };

	assert_int_equal(store_incoming_add_group(store, &entry, 1), 0);
	return entry.message_id;
}

FIXTURE(set_up, store_tear_down)

TEST(test_each_state_of_a_message_is_an_entry)
{
	int64_t message_id;

	assert_string_equal(entries_after(0), "");
	message_id = add_message("hello");
	move(message_id, STATE_SUBMITTING, false);
	move(message_id, STATE_SUBMITTED, true);
	move(message_id, STATE_SENT, false);
	assert_int_equal(store_message_set_delivery(store, message_id, DELIVERY_REFUSED),
			 0);
	assert_string_equal(entries_after(0),
			    "2/1:1<0@+36201234567 "
			    "2/1:2<1@+36201234567 "
			    "2/1:3<2@+36201234567 "
			    "2/1:5<3@+36201234567 2/1:5<5@+36201234567 ");
}

TEST(test_a_refused_change_adds_no_entry)
{
	const struct store_message_transition back = { .to = STATE_QUEUED };
	int64_t message_id = add_message("hello"), before;

	move(message_id, STATE_SUBMITTING, false);
	move(message_id, STATE_SENT, false);
	before = head();
	assert_int_equal(store_message_change_state(store, message_id, &back),
			 STORE_E_ILLEGAL);
	fill_disk(true);
	assert_int_not_equal(
		store_message_change_state(
			store, message_id,
			&(struct store_message_transition){ .to = STATE_DELIVERED }),
		0);
	fill_disk(false);
	assert_int_equal(head(), before);
	assert_string_equal(entries_after(before), "");
}

TEST(test_an_approval_is_requested_and_decided)
{
	struct store_message_draft draft = { .sim_id = identify("8936", ""),
					     .number = "+3620",
					     .text = "hello",
					     .segments = 1,
					     .state = STATE_WAITING_APPROVAL,
					     .created_ms = clock_wall_ms() };
	int64_t message_id = 0;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	draft.text = "hello again";
	assert_int_equal(store_edit_message(store, message_id, &draft, false), 0);
	move(message_id, STATE_QUEUED, false);
	assert_string_equal(
		entries_after(0),
		"2/1:11<0@+3620 5/1:11<0@+3620 5/1:11<11@+3620 2/1:1<11@+3620 6/1:1<11@+3620 ");
}

TEST(test_received_and_read_messages_are_entries)
{
	int64_t ids[] = { receive("one"), receive("two") };
	unsigned marked;

	assert_int_equal(store_incoming_mark_read(store, ids, 2, &marked), 0);
	assert_int_equal(store_incoming_mark_read(store, ids, 2, &marked), 0);
	assert_string_equal(entries_after(0),
			    "1/1:9<0@+36209876543 1/2:9<0@+36209876543 "
			    "11/1:9<9@+36209876543 11/2:9<9@+36209876543 ");
	sql("DELETE FROM message WHERE id = 1 RETURNING 1");
	assert_string_equal(entries_after(2),
			    "11/1:9<9 11/2:9<9@+36209876543 "); /* no number stays */
}

TEST(test_calls_alerts_balances_and_gaps_are_entries)
{
	struct event event = { .kind = EVENT_CALL,
			       .number = "",
			       .text = "",
			       .state = CALL_RINGING,
			       .at_ms = clock_wall_ms() };
	struct balance balance = { .amount = { 12500, 2 }, .currency = "HUF" };
	struct gap gap = { .from_ms = 1000000, .reason = "ofono_down" };
	int64_t id = 0, sim_id = identify("8936", "");

	assert_int_equal(store_event_add(store, &event, &id), 0);
	assert_int_equal(store_event_set_number(store, id, "+3630"), 0);
	assert_int_equal(store_event_set_state(store, id, CALL_MISSED), 0);
	event.kind = EVENT_ALERT;
	event.state = 1;
	assert_int_equal(store_event_add(store, &event, &id), 0);
	assert_string_equal(entries_after(0),
			    "3/1:1<0@+3630 3/1:1<1@+3630 3/1:3<1@+3630 4/2:1<0 ");
	assert_int_equal(store_sim_balance_put(store, sim_id, "*100#", &balance), 0);
	assert_int_equal(store_sim_balance_put(store, sim_id, "*100#", &balance), 0);
	balance.amount.thousandths = 11000;
	assert_int_equal(store_sim_balance_put(store, sim_id, "*100#", &balance), 0);
	assert_string_equal(entries_after(4), "8/0:0<0 8/0:0<0 ");
	assert_int_equal(store_receive_gaps_add(store, &gap), 0);
	assert_int_equal(store_receive_gaps_end(store, "ofono_down", 2000000), 0);
	assert_int_equal(store_receive_gaps_shift(store, 0, INT64_MAX, 5), 0);
	assert_string_equal(entries_after(6), "9/1:0<-1 9/1:1<0 ");
	assert_int_equal(sql("SELECT count(*) FROM feed WHERE"
			     " detail = '1000000 2000000 ofono_down'"),
			 1);
}

TEST(test_a_state_of_a_sim_is_remembered)
{
	struct feed_entry entry = {
		.type = FEED_SIM_STATE, .sim_id = 4, .state = 2, .at_ms = 5
	};
	int last = 7;

	assert_int_equal(store_feed_sim_state(store, 4, &last), 0);
	assert_int_equal(last, -1);
	assert_int_equal(store_feed_add(store, &entry), 0);
	entry.sim_id = 5;
	entry.state = 0;
	assert_int_equal(store_feed_add(store, &entry), 0);
	assert_int_equal(store_feed_sim_state(store, 4, &last), 0);
	assert_int_equal(last, 2);
}

TEST(test_reading_waits_for_the_disk)
{
	const struct feed_entry entry = { .type = FEED_SIM_STATE, .sim_id = 4 };

	assert_int_equal(store_feed_add(store, &entry), 0);
	assert_false(store_is_synced(store));
	assert_string_equal(entries_after(0), "7/0:0<0 ");
	assert_true(store_is_synced(store));
}

TEST(test_a_visitor_can_end_the_reading)
{
	unsigned most = 2;

	for (int i = 0; i < 5; i++)
		receive("hello");
	*text = '\0';
	visits = 0;
	assert_int_equal(store_feed_read(store, 0, 100, write_entry, &most), 0);
	assert_int_equal(visits, 2);
}

TEST(test_an_epoch_lasts_until_the_store_is_restored)
{
	const int64_t before = epoch();
	const struct store_backup backup = { .folder = folder, .file = backup_file };
	const struct store_restore restore = { folder, backup_file, { NULL } };
	struct store_backup_summary summary;
	struct store_restore_result restored;
	struct explanation error = { "" };

	receive("hello");
	reopen_store();
	assert_int_equal(epoch(), before);
	assert_int_equal(head(), 1);
	snprintf(backup_file, sizeof(backup_file), "%s/copy.db", root);
	assert_int_equal(store_backup(&backup, &summary, &error), 0);
	store_close(store);
	store = NULL;
	assert_int_equal(store_restore(&restore, &restored, &error), 0);
	open_store();
	assert_int_not_equal(epoch(), before);
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
	assert_string_equal(entries_after(0), "");
}

TEST(test_a_copied_backup_begins_another_epoch_without_entries)
{
	const int64_t before = epoch();
	const struct store_backup backup = { folder, backup_file, true, { NULL } };
	struct store_backup_summary summary;
	struct explanation error = { "" };

	receive("hello");
	snprintf(backup_file, sizeof(backup_file), "%s/copy.db", root);
	assert_int_equal(store_backup(&backup, &summary, &error), 0);
	store_close(store);
	store = NULL;
	assert_return_code(rename(backup_file, path), errno);
	assert_int_equal(store_open_or_rescue(folder, &store, &error), 0);
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
	assert_int_not_equal(epoch(), before);
	assert_string_equal(entries_after(0), "");
	receive("next");
	assert_int_equal(head(), 1);
}

TEST(test_older_stores_begin_an_empty_feed)
{
	make_old_ledger(13, "INSERT INTO message (direction, phone_number, text, state,"
			    " created, changed) VALUES (1, '+36201', 'old', 9, 1, 1);");
	open_store();
	assert_true(epoch() > 0);
	assert_int_equal(first(), 1);
	assert_int_equal(head(), 0);
}

TEST(test_the_oldest_entries_go_and_ids_go_on)
{
	bool done = false;

	for (int i = 0; i < 5; i++)
		store_feed_add(store, &(struct feed_entry){ .type = FEED_SIM_STATE,
							    .at_ms = i == 3 ? 1 : i });
	assert_int_equal(store_feed_prune(store, 2, &done), 0);
	assert_true(done);
	assert_int_equal(first(), 3); /* the fourth is old, but not among the oldest */
	assert_int_equal(head(), 5);
	assert_int_equal(store_feed_prune(store, 1000, &done), 0);
	assert_int_equal(first(), 6);
	assert_int_equal(head(), 5);
	receive("next");
	assert_int_equal(head(), 6);
	sql_script("UPDATE sqlite_sequence SET seq = 100158 WHERE name = 'feed'");
	reopen_store();
	receive("one");
	assert_int_equal(first(), 6);
	receive("two"); /* 100160, where the oldest are removed */
	assert_int_equal(first(), 100159);
}

TEST(test_entries_older_than_wanted_are_skipped_and_reported)
{
	int64_t after = 0;
	bool skipped = false;

	for (int i = 1; i <= 5; i++)
		store_feed_add(store,
			       &(struct feed_entry){ .type = i == 2 ? FEED_SIM_STATE
								    : FEED_BALANCE,
						     .at_ms = i * 100 });
	assert_int_equal(
		store_feed_skip_older(store, 0, 300, FEED_SIM_STATE, &after, &skipped),
		0);
	assert_int_equal(after, 2);
	assert_true(skipped);
	assert_int_equal(
		store_feed_skip_older(store, 2, 500, FEED_SIM_STATE, &after, &skipped),
		0);
	assert_int_equal(after, 4);
	assert_false(skipped);
	assert_int_equal(
		store_feed_skip_older(store, 2, 900, FEED_BALANCE, &after, &skipped), 0);
	assert_int_equal(after, 5);
	assert_true(skipped);
}

/* ---- watch */

struct watching {
	sd_event *loop;
	struct store_feed_watch watch;
	struct observer observer;
	int64_t head;
	unsigned notices;
};

static void on_feed(void *data, const void *event)
{
	struct watching *watching = data;

	watching->head = *(const int64_t *)event;
	watching->notices++;
	assert_true(store_is_synced(store));
}

static void begin_watching(struct watching *watching)
{
	*watching = (struct watching){ 0 };
	assert_int_equal(sd_event_new(&watching->loop), 0);
	assert_int_equal(store_feed_watch_init(&watching->watch, watching->loop, store),
			 0);
	observer_add(&watching->watch.observers, &watching->observer, on_feed, watching);
}

static void end_watching(struct watching *watching)
{
	observer_remove(&watching->observer);
	store_feed_watch_deinit(&watching->watch);
	sd_event_unref(watching->loop);
}

TEST(test_observers_hear_once_of_all_new_entries)
{
	struct watching watching;

	begin_watching(&watching);
	for (int i = 0; i < 5; i++)
		receive("hello");
	while (!watching.notices)
		assert_true(sd_event_run(watching.loop, UINT64_MAX) >= 0);
	assert_int_equal(watching.head, 5);
	identify("8937", ""); /* a change without an entry */
	for (int i = 0; i < 3; i++)
		sd_event_run(watching.loop, 0);
	assert_int_equal(watching.notices, 1);
	end_watching(&watching);
}

struct late_writer {
	sd_event_source *source;
	bool is_due;
};

static int store_before_sleep(sd_event_source *source, void *data)
{
	struct late_writer *writer = data;

	if (writer->is_due)
		receive("stored before the loop sleeps");
	writer->is_due = false;
	return 0;
}

/* In each order of the callbacks, also after a first turn, when sd-event sorts them anew. */
TEST(test_what_is_stored_before_the_loop_sleeps_is_notified_at_once)
{
	struct late_writer writers[2] = { 0 };
	struct watching watching = { 0 };

	assert_int_equal(sd_event_new(&watching.loop), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_return_code(
			event_loop_add_before_sleep(watching.loop, &writers[i].source,
						    store_before_sleep, &writers[i]),
			0);
		if (i == 0)
			assert_int_equal(store_feed_watch_init(&watching.watch,
							       watching.loop, store),
					 0);
	}
	observer_add(&watching.watch.observers, &watching.observer, on_feed, &watching);
	for (unsigned turn = 0; turn < 4; turn++) {
		writers[turn % 2].is_due = true;
		sd_event_run(watching.loop, patience_us(5 * 1000 * 1000));
		assert_int_equal(watching.notices, turn + 1);
		assert_int_equal(sd_event_run(watching.loop, 0), 0);
	}
	for (size_t i = 0; i < 2; i++)
		sd_event_source_disable_unref(writers[i].source);
	end_watching(&watching);
}

TEST(test_lazy_entries_are_notified_when_they_are_on_disk)
{
	const struct feed_entry entry = { .type = FEED_SIM_STATE, .sim_id = 4 };
	struct watching watching;

	begin_watching(&watching);
	assert_int_equal(store_feed_add(store, &entry), 0);
	assert_false(store_is_synced(store));
	while (!watching.notices)
		assert_true(sd_event_run(watching.loop, UINT64_MAX) >= 0);
	assert_int_equal(watching.head, 1);
	end_watching(&watching);
}

TEST(test_a_lazy_change_without_an_entry_waits_for_nothing)
{
	const struct session_record session = { .id = "abc",
						.revision = "2025-11-25",
						.subscriptions = "" };
	struct watching watching;

	begin_watching(&watching);
	assert_int_equal(store_session_put(store, &session), 0);
	assert_false(store_is_synced(store));
	assert_int_equal(sd_event_run(watching.loop, 100 * 1000), 0);
	assert_false(store_is_synced(store));
	end_watching(&watching);
}

TEST(test_without_observers_nothing_waits_for_the_disk)
{
	const struct feed_entry entry = { .type = FEED_SIM_STATE, .sim_id = 4 };
	struct watching watching;

	begin_watching(&watching);
	observer_remove(&watching.observer);
	assert_int_equal(store_feed_add(store, &entry), 0);
	assert_int_equal(sd_event_run(watching.loop, 100 * 1000), 0);
	assert_false(store_is_synced(store));
	observer_add(&watching.watch.observers, &watching.observer, on_feed, &watching);
	while (!watching.notices)
		assert_true(sd_event_run(watching.loop, UINT64_MAX) >= 0);
	end_watching(&watching);
}
