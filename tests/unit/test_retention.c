/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Old messages are deleted in small steps; messages that still matter stay. */
#include "unit_test.h"
#include <systemd/sd-event.h>

#include "base/clock.h"
#include "config/config.h"
#include "sms/retention.h"
#include "store/store_audit.h"
#include "store/store_message.h"
#include "store/store_retention.h"
#include "patience.h"
#include "store_bench.h"

#define DAY ((int64_t)CLOCK_MS_PER_DAY)

static sd_event *loop;
static struct config config;
static struct retention *retention;
static int64_t wall_ms;

static int64_t tell_wall(void)
{
	return wall_ms;
}

static int64_t tell_monotonic(void)
{
	return 1;
}

static const struct clock_source source = { tell_monotonic, tell_wall, NULL };

static int set_up(void **state)
{
	int result = store_set_up(state);

	wall_ms = 1800000000000;
	clock_set_source(&source);
	memset(&config, 0, sizeof(config));
	open_store();
	return result ? result : sd_event_new(&loop);
}

static int tear_down(void **state)
{
	retention_free(retention);
	retention = NULL;
	loop = sd_event_unref(loop);
	clock_set_source(NULL);
	return store_tear_down(state);
}

static void start(void)
{
	const struct retention_timing timing = { 1, 0, 60000, 60000 };

	assert_int_equal(retention_new(loop, &config, store, &retention), 0);
	retention_set_timing(retention, &timing);
}

/* Runs the loop until the pass is over. */
static void wait_for_pass(void)
{
	int turns = 0;

	while (!retention_is_at_work(retention) && turns++ < 1000)
		assert_true(sd_event_run(loop, patience_us(10000)) >= 0);
	while (retention_is_at_work(retention) && turns++ < 100000)
		assert_true(sd_event_run(loop, patience_us(1000000)) >= 0);
	assert_false(retention_is_at_work(retention));
}

static void run_pass(void)
{
	start();
	wait_for_pass();
	retention_free(retention);
	retention = NULL;
}

static int64_t add_incoming(const char *number)
{
	static unsigned count;
	char stamp[40];
	struct store_incoming_draft draft = { 1, wall_ms, number, "hello", stamp, 0 };
	int64_t id = 0;
	bool repeated = false;

	snprintf(stamp, sizeof(stamp), "2026-11-21T10:00:00+%04u", count++);
	identify("8936", "");
	assert_int_equal(step_add_incoming(store, &draft, &id, &repeated), 0);
	assert_false(repeated);
	return id;
}

static int64_t add_sent(const char *key, enum delivery delivery)
{
	struct store_message_draft draft = {
		identify("8936", ""), 7, "+36201234567", "x", 1, STATE_QUEUED, key
	};
	struct store_message_transition sent = { STATE_SENT, NULL, NULL, delivery };
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL), 0);
	assert_int_equal(store_message_change_state(store, id, &sent), 0);
	return id;
}

static int64_t count(void)
{
	return sql("SELECT count(*) FROM message");
}

static bool is_there(int64_t id)
{
	char text[80];

	snprintf(text, sizeof(text), "SELECT count(*) FROM message WHERE id = %lld",
		 (long long)id);
	return sql(text);
}

/* The counters of the triggers are right, and no history is left without its message. */
static void assert_consistent(void)
{
	assert_int_equal(
		sql("SELECT count(*) FROM (SELECT phone_number, max(id), count(*),"
		    " sum(direction = 1 AND read_at = 0) FROM message GROUP BY "
		    "phone_number"
		    " EXCEPT SELECT phone_number, last_id, messages, unread FROM "
		    "conversation)"),
		0);
	assert_int_equal(sql("SELECT count(*) FROM conversation WHERE phone_number NOT IN"
			     " (SELECT phone_number FROM message)"),
			 0);
	assert_int_equal(sql("SELECT count(*) FROM message_change WHERE message_id NOT IN"
			     " (SELECT id FROM message)"),
			 0);
	assert_int_equal(sql("SELECT count(*) FROM pragma_integrity_check"
			     " WHERE integrity_check <> 'ok'"),
			 0);
}

FIXTURE(set_up, tear_down)

TEST(test_the_oldest_messages_beyond_the_count_are_deleted)
{
	int64_t last = 0;

	config.keep_messages = 70;
	for (int i = 0; i < 500; i++)
		last = i % 3 ? add_incoming(i % 2 ? "+361" : "Bank")
			     : add_sent(NULL, DELIVERY_NONE);
	add_incoming("once, long ago");
	run_pass();
	assert_int_equal(count(), 70);
	assert_true(is_there(last));
	assert_true(is_there(last - 68));
	assert_false(is_there(last - 69));
	assert_consistent();
	run_pass();
	assert_int_equal(count(), 70);
}

TEST(test_messages_beyond_the_age_are_deleted)
{
	int64_t old, border, young;

	config.keep_days = 30;
	old = add_incoming("only old ones");
	wall_ms += 2 * DAY;
	border = add_incoming("+361");
	wall_ms += 29 * DAY;
	young = add_incoming("+361");
	run_pass();
	assert_false(is_there(old));
	assert_true(is_there(border));
	assert_true(is_there(young));
	assert_consistent();
	wall_ms += 100 * DAY;
	run_pass();
	assert_int_equal(count(), 0);
	assert_int_equal(sql("SELECT count(*) FROM conversation"), 0);
}

static int64_t records_since_ms(void)
{
	int64_t since_ms;

	assert_int_equal(store_retention_records_since(store, &since_ms), 0);
	return since_ms;
}

TEST(test_records_begin_behind_what_was_deleted)
{
	int64_t first_ms = wall_ms, unused_ms;

	config.keep_days = 30;
	assert_int_equal(store_retention_records_since(store, &unused_ms),
			 STORE_E_NOT_FOUND);
	add_incoming("+361");
	wall_ms += DAY;
	run_pass(); /* of a message store without such a time */
	assert_int_equal(records_since_ms(), first_ms);
	wall_ms += 28 * DAY;
	add_incoming("+362");
	run_pass();
	assert_int_equal(records_since_ms(), first_ms);
	wall_ms += 5 * DAY;
	run_pass();
	assert_int_equal(count(), 1);
	assert_int_equal(records_since_ms(), first_ms + 1);
}

TEST(test_records_begin_when_the_clock_is_known)
{
	int64_t known_ms = wall_ms, unused_ms;

	wall_ms = DAY;
	run_pass();
	assert_int_equal(store_retention_records_since(store, &unused_ms),
			 STORE_E_NOT_FOUND);
	wall_ms = known_ms;
	run_pass();
	assert_int_equal(records_since_ms(), known_ms);
	wall_ms += DAY;
	run_pass();
	assert_int_equal(records_since_ms(), known_ms);
}

/* A message that came in 1970, by an unset clock, is not old. */
TEST(test_a_message_that_came_in_1970_is_not_old)
{
	int64_t old, now_ms = wall_ms, lost;

	config.keep_days = 30;
	wall_ms = 1000;
	lost = add_incoming("before the first time");
	wall_ms = now_ms;
	add_incoming("+361");
	wall_ms = 1000;
	old = add_incoming("+361");
	wall_ms = now_ms + 10 * DAY;
	run_pass();
	assert_true(is_there(old));
	assert_false(is_there(lost));
	wall_ms = 1000; /* the clock is wrong again */
	run_pass();
	assert_int_equal(count(), 2);
}

/* A phone starts with a clock that is years ahead, and gets the right time later. */
TEST(test_a_clock_far_ahead_is_not_trusted_for_a_day)
{
	int64_t now_ms = wall_ms;
	struct gap gap;

	config.keep_days = 30;
	add_incoming("+361");
	wall_ms = now_ms + 9000 * DAY;
	gap = (struct gap){ now_ms, wall_ms, "gateway_down" };
	assert_int_equal(store_receive_gaps_add(store, &gap), 0);
	add_incoming("+361");
	run_pass();
	assert_int_equal(count(), 2);
	wall_ms = now_ms; /* right again: the gap does not count any more */
	run_pass();
	assert_int_equal(count(), 2);
	wall_ms = now_ms + 9000 * DAY + 2 * DAY; /* so it was right */
	run_pass();
	assert_int_equal(count(), 1);
}

/* The clock is set while the gateway runs; a restart does not change the outcome. */
TEST(test_a_clock_set_far_ahead_is_not_trusted_for_a_day)
{
	int64_t now_ms = wall_ms;

	config.keep_days = 30;
	add_incoming("+361");
	start();
	wait_for_pass();
	wall_ms += 400 * DAY;
	sd_event_run(loop, 0);
	retention_free(retention);
	run_pass();
	assert_int_equal(count(), 1);
	wall_ms += DAY - 1;
	run_pass();
	assert_int_equal(count(), 1);
	wall_ms = now_ms; /* the clock was wrong */
	run_pass();
	assert_int_equal(count(), 1);
	wall_ms = now_ms + 401 * DAY; /* the clock was right */
	run_pass();
	assert_int_equal(count(), 0);
}

/* The first setting after a start in 1970 is trusted, and so is a small step. */
TEST(test_a_clock_that_is_first_set_is_trusted)
{
	int64_t now_ms = wall_ms;

	config.keep_days = 30;
	add_incoming("+361");
	wall_ms = 1000;
	start();
	wait_for_pass();
	wall_ms = now_ms + 25 * DAY;
	retention_review(retention);
	wait_for_pass();
	wall_ms += 6 * DAY;
	retention_review(retention);
	wait_for_pass();
	assert_int_equal(count(), 0);
}

TEST(test_unfinished_messages_stay)
{
	int64_t queued, awaited, keyed, incoming;

	config.keep_messages = 1;
	config.keep_days = 1;
	queued = add_message("waits");
	awaited = add_sent(NULL, DELIVERY_AWAITED);
	keyed = add_sent("key", DELIVERY_NONE);
	incoming = add_incoming("unread");
	wall_ms += DAY; /* not more than a day later */
	run_pass();
	assert_true(is_there(queued) && is_there(awaited) && is_there(keyed));
	assert_false(is_there(incoming));
	wall_ms += 2 * DAY;
	run_pass();
	assert_true(is_there(queued) && is_there(keyed));
	assert_false(is_there(awaited)); /* no report came in time */
	wall_ms += 26 * DAY;
	run_pass();
	assert_true(is_there(keyed));
	wall_ms += 2 * DAY;
	run_pass();
	assert_false(is_there(keyed));
	assert_true(is_there(queued));
	assert_consistent();
}

/* Many messages that must stay neither make a step long nor stop the pass. */
TEST(test_messages_behind_many_that_stay_are_deleted)
{
	int64_t id = 0;

	config.keep_messages = 10;
	for (int i = 0; i < 250; i++)
		add_message("waits");
	for (int i = 0; i < 50; i++)
		id = add_incoming("+361");
	run_pass();
	assert_int_equal(count(), 250);
	assert_false(is_there(id));
}

TEST(test_a_pass_follows_when_messages_were_added)
{
	int64_t id = 0;

	config.keep_messages = 20;
	start();
	wait_for_pass();
	for (int i = 0; i < 30; i++)
		id = add_incoming("+361");
	assert_int_equal(count(), 30);
	while (count() > 20) /* any turn of the loop is enough */
		assert_true(sd_event_run(loop, patience_us(1000000)) > 0);
	wait_for_pass();
	assert_int_equal(count(), 20);
	assert_true(is_there(id));
	assert_consistent();
}

static void add_lines(int64_t from, int64_t until)
{
	char text[320];

	snprintf(text, sizeof(text),
		 "WITH RECURSIVE n (i) AS (SELECT %lld UNION ALL SELECT i + 1 FROM n"
		 " WHERE i < %lld) INSERT INTO audit"
		 " SELECT i, 0, 'started', '{}', zeroblob(32) FROM n",
		 (long long)from, (long long)until);
	sql(text);
}

static int64_t lines(void)
{
	return sql("SELECT count(*) FROM audit");
}

static int note_many(void *data, struct store *to)
{
	int error = 0;

	for (int i = 0; !error && i <= AUDIT_KEEP / 100; i++)
		error = store_audit_add(to, AUDIT_PAUSED, "{}");
	return error;
}

/* The audit log is bounded without messages and limits, at the start and as it grows. */
TEST(test_the_audit_log_is_pruned)
{
	add_lines(1, AUDIT_KEEP + 250);
	start();
	wait_for_pass();
	assert_int_equal(lines(), AUDIT_KEEP);
	assert_int_equal(sql("SELECT line FROM audit_anchor"), 250);
	assert_int_equal(store_audit_transaction(store, note_many, NULL), 0);
	assert_int_equal(lines(), AUDIT_KEEP + AUDIT_KEEP / 100 + 1);
	add_incoming("+361");
	while (lines() > AUDIT_KEEP) /* any event of the loop */
		assert_true(sd_event_run(loop, patience_us(1000000)) > 0);
	wait_for_pass();
	assert_int_equal(lines(), AUDIT_KEEP);
	assert_int_equal(sql("SELECT min(id) FROM audit"),
			 sql("SELECT line + 1 FROM audit_anchor"));
}

TEST(test_without_limits_nothing_is_deleted)
{
	for (int i = 0; i < 300; i++)
		add_incoming("+361");
	wall_ms += 10000 * DAY;
	run_pass();
	assert_int_equal(count(), 300);
}

TEST(test_old_gaps_are_deleted)
{
	struct gap gap = { 1, 0, "ofono_down" };

	config.keep_days = 10;
	assert_int_equal(store_receive_gaps_add(store, &gap), 0);
	for (int i = 0; i < 20; i++) {
		gap = (struct gap){ wall_ms - i * DAY - 20000, wall_ms - i * DAY,
				    "suspended" };
		assert_int_equal(store_receive_gaps_add(store, &gap), 0);
	}
	run_pass();
	assert_int_equal(sql("SELECT count(*) FROM receive_gap WHERE until_at > 0"), 11);
	assert_int_equal(sql("SELECT count(*) FROM receive_gap WHERE until_at = 0"), 1);
	config.keep_days = 0;
	sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
	    "2000) INSERT INTO receive_gap (from_at, until_at, reason) SELECT i * "
	    "100000, i * "
	    "100000 + 1, 'x' FROM n");
	run_pass();
	assert_in_range(sql("SELECT count(*) FROM receive_gap"), 1000, 1001);
}

/* Free space is returned to the file system, and the -wal is empty. */
TEST(test_free_pages_are_returned)
{
	struct stat before, after, wal;
	char name[128], text[2001];
	int i;

	memset(text, 'x', 2000);
	text[2000] = '\0';
	snprintf(name, sizeof(name), "%s-wal", path);
	config.keep_messages = 10;
	for (i = 0; i < 2000; i++)
		step_move_message(store, add_message(text), STATE_CANCELLED, NULL, NULL);
	store_retention_checkpoint(store);
	assert_int_equal(stat(path, &before), 0);
	run_pass();
	assert_int_equal(count(), 10);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(stat(name, &wal), 0);
	assert_true(after.st_size < before.st_size / 4);
	assert_int_equal(wal.st_size, 0);
	assert_in_range(sql("PRAGMA freelist_count"), 0, 64);
}

TEST(test_a_full_disk_postpones_the_pass)
{
	config.keep_messages = 10;
	for (int i = 0; i < 300; i++)
		add_incoming("+361");
	start();
	fill_disk(true);
	for (int i = 0; i < 20; i++)
		sd_event_run(loop, 5000);
	assert_false(retention_is_at_work(retention));
	fill_disk(false);
	assert_int_equal(count(), 300);
	retention_free(retention);
	retention = NULL;
	run_pass();
	assert_int_equal(count(), 10);
	assert_consistent();
}

/* A small old database gets auto_vacuum; nothing else changes. */
TEST(test_an_old_database_can_return_free_pages)
{
	int64_t id = add_incoming("+361");

	store_close(store);
	store = NULL;
	sql("PRAGMA journal_mode = DELETE");
	{
		sqlite3 *database;

		assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
		assert_int_equal(sqlite3_exec(database,
					      "PRAGMA auto_vacuum = NONE; VACUUM", NULL,
					      NULL, NULL),
				 SQLITE_OK);
		sqlite3_close(database);
	}
	assert_int_equal(sql("PRAGMA auto_vacuum"), 0);
	open_store();
	store_retention_enable_vacuum(store);
	assert_int_equal(sql("PRAGMA auto_vacuum"), 2);
	assert_true(is_there(id));
	assert_true(add_incoming("+361") > id);
	assert_consistent();
}
