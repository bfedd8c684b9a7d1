/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The audit log: lines of changes, pruning, and what a rescue and a restore record. */
#include "unit_test.h"
#include "audit_bench.h"
#include "store/store_message.h"
#include "store/store.h"
#include "store/store_restore.h"
#include "store_steps.h"

FIXTURE(set_up_lines, store_tear_down)

TEST(test_triggers_keep_the_audit_append_only)
{
	static const char *const refused[] = {
		"UPDATE audit SET detail = '{}' WHERE id = 4",
		"DELETE FROM audit WHERE id = 5",
		"DELETE FROM audit",
		("INSERT OR REPLACE INTO audit SELECT id, at, event, '{}', hash FROM "
		 "audit"
		 " WHERE id = 4"),
		"UPDATE audit_anchor SET line = 5, hash = randomblob(32)",
		"UPDATE audit_anchor SET line = 2",
		"DELETE FROM audit_anchor",
	};
	bool done = false;
	sqlite3 *database;

	add_lines(AUDIT_STEP_LINES);
	kept = AUDIT_STEP_LINES + LINES - 3;
	assert_int_equal(store_audit_prune(store, AUDIT_STEP_LINES + LINES - 3, &done),
			 0);
	assert_true(done);
	verify();
	assert_int_equal(verdict.gone, 3);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_int_equal(sqlite3_exec(database, refused[i], NULL, NULL, NULL),
				 SQLITE_CONSTRAINT);
	sqlite3_close(database);
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.lines, AUDIT_STEP_LINES + LINES - 3);
}

TEST(test_pruning_leaves_an_anchor)
{
	struct audit_chain_head noted;

	add_lines(250);
	assert_int_equal(store_audit_head(store, &noted), 0);
	prune_to(INT64_MAX);
	assert_int_equal(verdict.lines, LINES + 250);
	prune_to(20);
	assert_int_equal(verdict.lines, 20);
	assert_int_equal(verdict.first, LINES + 250 - 20 + 1);
	assert_int_equal(verdict.gone, LINES + 250 - 20);
	verify_from(&noted);
	assert_int_equal(verdict.break_count, 0);
	prune_to(0); /* the newest stays, or the chain would begin anew */
	assert_int_equal(verdict.lines, 1);
	verify_from(&noted);
	assert_int_equal(verdict.break_count, 0);
	add_lines(1);
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.head.line, LINES + 251);
}

/* Both or neither are stored, and line IDs have no gap. */
TEST_WITH(test_a_message_and_its_line_are_one_commit, set_up, store_tear_down)
{
	int64_t id;

	id = add_message("hidden");
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'send_accepted'"),
			 1);
	fill_disk(true);
	assert_int_equal(step_move_message(store, id, STATE_CANCELLED, NULL, NULL),
			 STORE_E_FULL);
	assert_int_equal(store_audit_add(store, AUDIT_PAUSED, "{}"), STORE_E_FULL);
	fill_disk(false);
	assert_int_equal(step_move_message(store, id, STATE_SENT, NULL, NULL),
			 STORE_E_ILLEGAL);
	assert_int_equal(sql("SELECT count(*) FROM audit"), 1);
	assert_int_equal(step_move_message(store, id, STATE_CANCELLED, NULL, NULL), 0);
	assert_int_equal(sql("SELECT max(id) FROM audit"), 2);
	assert_int_equal(
		sql("SELECT count(*) FROM audit WHERE event = 'send_cancelled' AND"
		    " json_extract(detail, '$.message_id') = 1"),
		1);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE detail LIKE '%hidden%'"),
			 0);
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.lines, 2);
}

static int64_t count(const char *event)
{
	char text[96];

	snprintf(text, sizeof(text), "SELECT count(*) FROM audit WHERE event = '%s'",
		 event);
	return sql(text);
}

static void move_to(int64_t id, enum message_state to, const char *by)
{
	struct store_message_transition move = { to, .by = by };

	assert_int_equal(store_message_change_state(store, id, &move), 0);
}

static int64_t add_waiting(void)
{
	struct store_message_draft draft = {
		identify("8936", ""), 7, "+36201234567", "x", 1, STATE_WAITING_APPROVAL
	};
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	return id;
}

/* The owner's decision and the outcome are recorded, the states between are not. */
TEST_WITH(test_decisions_and_outcomes_are_recorded, set_up, store_tear_down)
{
	int64_t id;

	id = add_waiting();
	assert_int_equal(count("approval_asked"), 1);
	assert_int_equal(count("send_accepted"), 0);
	move_to(id, STATE_QUEUED, "owner");
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'approval_given'"
			     " AND json_extract(detail, '$.by') = 'owner'"),
			 1);
	move_to(id, STATE_SUBMITTING, NULL);
	move_to(id, STATE_SUBMITTED, NULL);
	move_to(id, STATE_UNKNOWN, NULL);
	move_to(id, STATE_SENT, NULL);
	move_to(id, STATE_DELIVERED, NULL);
	assert_int_equal(count("send_outcome"), 2);
	move_to(add_waiting(), STATE_FAILED, "owner");
	assert_int_equal(count("approval_rejected"), 1);
	move_to(add_waiting(), STATE_EXPIRED, NULL);
	assert_int_equal(count("approval_expired"), 1);
	move_to(add_waiting(), STATE_CANCELLED, NULL);
	assert_int_equal(count("send_cancelled"), 1);
}

TEST_WITH(test_details_are_json_of_known_facts, set_up, store_tear_down)
{
	char *large = calloc(1, AUDIT_DETAIL_BYTES + 2);
	struct client client = { .id = 3, .name = "laptop", .scopes = 3 };

	memset(large, ' ', AUDIT_DETAIL_BYTES + 1);
	assert_int_equal(store_audit_add(store, AUDIT_PAUSED, large), -E2BIG);
	free(large);
	assert_int_equal(store_audit_record_client(store, AUDIT_CLIENT_PAIRED, &client),
			 0);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE"
			     " json_extract(detail, '$.scopes') = 'read send'"
			     " AND json_extract(detail, '$.client') = 'laptop'"),
			 1);
	assert_int_equal(store_audit_record(store, AUDIT_PAUSED,
					    (struct audit_event_fact[]){ { "by", "\xff" },
									 { NULL } }),
			 0);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE detail = '{}'"), 1);
	verify();
	assert_int_equal(verdict.break_count, 0);
}

static void note_last(void *data, const struct audit_chain_line *line)
{
	snprintf(data, 32, "%s", line->event);
}

static void open_rescued(void)
{
	struct explanation error = { "" };

	if (store_open_or_rescue(folder, &store, &error))
		fail_msg("%s", error.text);
	assert_non_null(store_rescue_notice(store));
}

static const char *last_event(void)
{
	static char event[32];
	struct explanation error = { "" };
	struct audit_reader *reader;

	event[0] = '\0';
	assert_int_equal(audit_reader_open(folder, &reader, &error), 0);
	assert_int_equal(audit_reader_list(reader,
					   &(struct audit_reader_range){ .last = 1 },
					   note_last, event),
			 0);
	audit_reader_close(reader);
	return event;
}

static void mark_damaged(void)
{
	char mark[128];

	store_close(store);
	store = NULL;
	snprintf(mark, sizeof(mark), "touch %s/gateway.db-damaged", folder);
	assert_int_equal(system(mark), 0);
}

TEST(test_a_rescue_keeps_the_chain)
{
	prune_to(5);
	mark_damaged();
	open_rescued();
	assert_string_equal(last_event(), "store_rescued");
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.gone, 4);
	assert_int_equal(verdict.lines, 6);
}

/* The audit says that the rescue lost rows. */
TEST(test_a_rescue_records_that_rows_were_lost)
{
	tamper("DELETE FROM audit WHERE id = 4");
	mark_damaged();
	open_rescued();
	add_lines(1);
	verify();
	assert_only(AUDIT_MISSING, 4, 4);
	assert_int_equal(verdict.head.line, LINES + 2);
}

static void overwrite_page(int64_t page)
{
	char bytes[4096];
	int fd = open(path, O_WRONLY);

	memset(bytes, 0x55, sizeof(bytes));
	assert_int_equal(
		pwrite(fd, bytes, sizeof(bytes), (page - 1) * (off_t)sizeof(bytes)),
		sizeof(bytes));
	close(fd);
}

/* Lines on both sides of the damaged page are copied, and the gap is reported. */
TEST(test_a_rescue_keeps_lines_around_a_damaged_page)
{
	int64_t page;

	add_lines(500);
	page = sql("SELECT pageno FROM dbstat WHERE name = 'audit' AND pagetype = 'leaf'"
		   " ORDER BY path LIMIT 1 OFFSET 3");
	store_close(store);
	store = NULL;
	overwrite_page(page);
	open_rescued();
	verify();
	assert_int_equal(verdict.break_count, 1);
	assert_int_equal(verdict.breaks[0].flaw, AUDIT_MISSING);
	assert_true(verdict.first == 1 && verdict.breaks[0].line > 1);
	assert_int_equal(verdict.head.line, LINES + 500 + 1);
	assert_int_equal(verdict.lines + verdict.breaks[0].until -
				 verdict.breaks[0].line + 1,
			 LINES + 500 + 1);
}

TEST(test_a_restore_records_the_replaced_head)
{
	struct explanation error = { "" };
	struct store_restore_result restored;
	struct store_backup_summary summary;
	struct audit_chain_head backed_up, lost;
	char file[128], expected[256], text[AUDIT_HEAD_TEXT_BYTES];
	struct store_backup backup = { .folder = folder, .file = file };
	struct store_restore restore = { .folder = folder, .file = file };

	snprintf(file, sizeof(file), "%s/copy", root);
	assert_int_equal(store_backup(&backup, &summary, &error), 0);
	assert_int_equal(store_audit_head(store, &backed_up), 0);
	add_lines(4);
	assert_int_equal(store_audit_head(store, &lost), 0);
	store_close(store);
	store = NULL;
	if (store_restore(&restore, &restored, &error))
		fail_msg("%s", error.text);
	verify_from(&backed_up);
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.head.line, LINES + 1);
	verify_from(&lost);
	assert_only(AUDIT_CUT, lost.line, lost.line);
	assert_string_equal(last_event(), "store_restored");
	audit_chain_write_head(&lost, text);
	snprintf(expected, sizeof(expected),
		 "SELECT count(*) FROM audit WHERE"
		 " json_extract(detail, '$.replaced') = '%s'",
		 text);
	assert_int_equal(sql(expected), 1);
}

TEST_WITH(test_the_table_of_events_is_complete, NULL, NULL)
{
	for (int event = 0; event < AUDIT_EVENT_COUNT; event++) {
		const struct audit_event_row *row = &audit_events[event];

		assert_non_null(row->name);
		assert_non_null(row->words);
		assert_ptr_equal(audit_event_find(row->name), row);
		assert_null(row->fields[AUDIT_FIELDS_MAX]);
		assert_true(audit_event_has((enum audit_event)event, row->fields[0]));
		assert_false(audit_event_has((enum audit_event)event, "text"));
	}
	assert_null(audit_event_find("none"));
}
