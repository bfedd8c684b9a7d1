/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The audit: lines hang on each other, and whatever was done to them shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/audit_reader.h"
#include "store/store_audit.h"
#include "store/store_outgoing.h"
#include "store/store_rescue.h"
#include "store/store_restore.h"
#include "store_bench.h"

enum { LINES = 9 };

static struct audit_verdict verdict;

static int set_up(void **state)
{
	int failed = store_set_up(state);

	if (!failed)
		open_store();
	return failed;
}

static void add_lines(int count)
{
	for (int i = 0; i < count; i++)
		assert_int_equal(store_audit_note(store, AUDIT_OPTED_OUT,
						  (struct audit_fact[]){
							  { "number", "+36201234567" },
							  { NULL },
						  }),
				 0);
}

static int set_up_lines(void **state)
{
	int failed = set_up(state);

	add_lines(LINES);
	return failed;
}

static void verify_from(const struct audit_head *noted)
{
	struct config_error error = { "" };
	struct audit_reader *reader;

	if (audit_reader_open(folder, &reader, &error))
		fail_msg("%s", error.text);
	if (audit_reader_verify(reader, noted, &verdict))
		fail_msg("%s", audit_reader_error(reader));
	audit_reader_close(reader);
}

static void verify(void)
{
	verify_from(NULL);
}

/* What can be done to the file by who is not kept by triggers. */
static void tamper(const char *text)
{
	sqlite3 *database;
	char *error = NULL;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	sqlite3_exec(database,
		     "DROP TRIGGER audit_stays; DROP TRIGGER audit_is_kept;"
		     "DROP TRIGGER audit_is_added_to; DROP TRIGGER audit_anchor_moves;"
		     "DROP TRIGGER audit_anchor_stays;",
		     NULL, NULL, NULL);
	if (sqlite3_exec(database, text, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s", error);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void assert_break(int place, enum audit_flaw flaw, int64_t line, int64_t until)
{
	assert_true(place < verdict.break_count);
	assert_int_equal(verdict.breaks[place].flaw, flaw);
	assert_int_equal(verdict.breaks[place].line, line);
	assert_int_equal(verdict.breaks[place].until, until);
}

static void assert_only(enum audit_flaw flaw, int64_t line, int64_t until)
{
	assert_int_equal(verdict.break_count, 1);
	assert_break(0, flaw, line, until);
}

static void test_empty(void **state)
{
	(void)state;
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.lines, 0);
	assert_int_equal(verdict.head.line, 0);
}

static void test_whole(void **state)
{
	struct audit_head head;

	(void)state;
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.lines, LINES);
	assert_int_equal(verdict.first, 1);
	assert_int_equal(verdict.head.line, LINES);
	assert_int_equal(store_audit_head(store, &head), 0);
	assert_int_equal(head.line, LINES);
	assert_memory_equal(head.hash, verdict.head.hash, AUDIT_HASH_BYTES);
	reopen_store();
	add_lines(1);
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.lines, LINES + 1);
}

/* The same lines give the same hashes everywhere: others can verify a copy. */
static void test_the_hash_is_what_is_documented(void **state)
{
	char command[1024];

	(void)state;
	snprintf(command, sizeof(command),
		 "/usr/bin/python3 - %s <<'END'\n"
		 "import hashlib, sqlite3, sys\n"
		 "before = bytes(32)\n"
		 "for id, at, event, detail, hash in "
		 "sqlite3.connect(sys.argv[1]).execute(\n"
		 "        'SELECT * FROM audit ORDER BY id'):\n"
		 "    e, d = event.encode(), detail.encode()\n"
		 "    n = lambda number: number.to_bytes(8, 'big')\n"
		 "    before = hashlib.sha256(before + n(id) + n(at) + n(len(e)) + e\n"
		 "                            + n(len(d)) + d).digest()\n"
		 "    assert before == hash\n"
		 "END\n",
		 path);
	assert_int_equal(system(command), 0);
}

static void test_changed(void **state)
{
	static const char *const changes[] = {
		"UPDATE audit SET detail = '{\"number\":\"+36309999999\"}' WHERE id = 4",
		"UPDATE audit SET detail = detail || ' ' WHERE id = 4",
		"UPDATE audit SET detail = detail || char(0) || 'x' WHERE id = 4",
		"UPDATE audit SET event = 'opted_in' WHERE id = 4",
		"UPDATE audit SET at = at + 1 WHERE id = 4",
		/* a byte moves from one part into the next */
		"UPDATE audit SET event = event || substr(detail, 1, 1),"
		" detail = substr(detail, 2) WHERE id = 4",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		tamper("CREATE TABLE was AS SELECT * FROM audit");
		tamper(changes[i]);
		verify();
		assert_only(AUDIT_CHANGED, 4, 4);
		tamper("DELETE FROM audit; INSERT INTO audit SELECT * FROM was;"
		       "DROP TABLE was");
		verify();
		assert_int_equal(verdict.break_count, 0);
	}
}

/* Who changes a line and its hash breaks the line after it. */
static void test_changed_with_its_hash(void **state)
{
	(void)state;
	tamper("UPDATE audit SET detail = '{}', hash = randomblob(32) WHERE id = 4");
	verify();
	assert_int_equal(verdict.break_count, 2);
	assert_break(0, AUDIT_CHANGED, 4, 4);
	assert_break(1, AUDIT_CHANGED, 5, 5);
}

static void test_swapped(void **state)
{
	(void)state;
	tamper("UPDATE audit SET id = -1 WHERE id = 3; UPDATE audit SET id = 3 WHERE "
	       "id = 6;"
	       "UPDATE audit SET id = 6 WHERE id = -1");
	verify();
	assert_true(verdict.break_count >= 2);
	assert_break(0, AUDIT_CHANGED, 3, 3);
}

static void test_missing(void **state)
{
	(void)state;
	tamper("DELETE FROM audit WHERE id IN (4, 5)");
	verify();
	assert_only(AUDIT_MISSING, 4, 5);
	tamper("DELETE FROM audit WHERE id = 1");
	verify();
	assert_int_equal(verdict.break_count, 2);
	assert_break(0, AUDIT_MISSING, 1, 1);
	tamper("DELETE FROM audit WHERE id = 8");
	verify();
	assert_int_equal(verdict.break_count, 3);
}

/* Lines closed up after one was taken out. */
static void test_missing_and_closed_up(void **state)
{
	(void)state;
	tamper("DELETE FROM audit WHERE id = 4");
	for (int id = 5; id <= LINES; id++) {
		char text[96];

		snprintf(text, sizeof(text), "UPDATE audit SET id = %d WHERE id = %d",
			 id - 1, id);
		tamper(text);
	}
	verify();
	assert_true(verdict.break_count > 0);
	assert_break(0, AUDIT_CHANGED, 4, 4);
}

static void test_put_in(void **state)
{
	(void)state;
	tamper("INSERT INTO audit SELECT 10, at, event, detail, hash FROM audit"
	       " WHERE id = 9");
	verify();
	assert_only(AUDIT_CHANGED, 10, 10);
}

/* A cut end is seen against what was noted, and only so. */
static void test_cut(void **state)
{
	struct audit_head noted, other;

	(void)state;
	assert_int_equal(store_audit_head(store, &noted), 0);
	add_lines(2);
	verify_from(&noted);
	assert_int_equal(verdict.break_count, 0);
	other = noted;
	other.hash[31] ^= 1;
	verify_from(&other);
	assert_only(AUDIT_OTHER_HEAD, LINES, LINES);
	tamper("DELETE FROM audit WHERE id > 7");
	verify();
	assert_int_equal(verdict.break_count, 0);
	verify_from(&noted);
	assert_only(AUDIT_CUT, LINES, LINES);
	add_lines(5); /* it grew again, another way */
	verify();
	assert_int_equal(verdict.break_count, 0);
	verify_from(&noted);
	assert_only(AUDIT_OTHER_HEAD, LINES, LINES);
}

static void test_triggers(void **state)
{
	static const char *const refused[] = {
		"UPDATE audit SET detail = '{}' WHERE id = 4",
		"DELETE FROM audit WHERE id = 5",
		"DELETE FROM audit",
		"INSERT OR REPLACE INTO audit SELECT id, at, event, '{}', hash FROM audit"
		" WHERE id = 4",
		"UPDATE audit_anchor SET line = 5, hash = randomblob(32)",
		"UPDATE audit_anchor SET line = 2",
		"DELETE FROM audit_anchor",
	};
	bool done = false;
	sqlite3 *database;

	(void)state;
	add_lines(AUDIT_STEP_LINES);
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

static void prune_to(int64_t keep)
{
	bool done = false;
	int steps = 0;

	while (!done) {
		assert_int_equal(store_audit_prune(store, keep, &done), 0);
		verify(); /* at every moment */
		assert_int_equal(verdict.break_count, 0);
		assert_true(++steps < 10);
	}
}

static void test_what_is_pruned_leaves_an_anchor(void **state)
{
	struct audit_head noted;

	(void)state;
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

static void test_noted_and_pruned(void **state)
{
	struct audit_head noted, anchor;

	(void)state;
	assert_int_equal(store_audit_head(store, &anchor), 0);
	add_lines(10);
	prune_to(10);
	verify_from(&anchor); /* the very line that is the anchor now */
	assert_int_equal(verdict.break_count, 0);
	noted = (struct audit_head){ .line = 2 };
	verify_from(&noted);
	assert_only(AUDIT_HEAD_GONE, 2, 2);
}

static void test_broken_anchor(void **state)
{
	(void)state;
	prune_to(5);
	tamper("UPDATE audit_anchor SET hash = randomblob(32)");
	verify();
	assert_only(AUDIT_BAD_ANCHOR, 5, 5);
	tamper("UPDATE audit_anchor SET line = 6");
	verify();
	assert_true(verdict.break_count > 0);
	assert_break(0, AUDIT_BAD_ANCHOR, 5, 5);
	tamper("DELETE FROM audit_anchor");
	verify();
	assert_only(AUDIT_MISSING, 1, 4);
	tamper("INSERT INTO audit_anchor SELECT 1, 3, hash FROM audit WHERE id = 5");
	verify();
	assert_only(AUDIT_MISSING, 4, 4);
}

/* A message and its line: both, or neither, and no number of a line is left out. */
static void test_with_its_message(void **state)
{
	int64_t id;

	(void)state;
	id = add_message("hidden");
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'send_accepted'"),
			 1);
	fill_disk(true);
	assert_int_equal(store_message_move(store, id, STATE_CANCELLED, NULL, NULL),
			 STORE_E_FULL);
	assert_int_equal(store_audit_add(store, AUDIT_PAUSED, "{}"), STORE_E_FULL);
	fill_disk(false);
	assert_int_equal(store_message_move(store, id, STATE_SENT, NULL, NULL),
			 STORE_E_ILLEGAL);
	assert_int_equal(sql("SELECT count(*) FROM audit"), 1);
	assert_int_equal(store_message_move(store, id, STATE_CANCELLED, NULL, NULL), 0);
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
	struct outgoing_move move = { to, .by = by };

	assert_int_equal(store_outgoing_move(store, id, &move), 0);
}

static int64_t add_waiting(void)
{
	struct message_draft draft = { identify("8936", ""),  7, "+36201234567", "x", 1,
				       STATE_WAITING_APPROVAL };
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	return id;
}

/* What the owner said is a line, and so is how a message ends; what lies between is not. */
static void test_moves(void **state)
{
	int64_t id;

	(void)state;
	id = add_waiting();
	assert_int_equal(count("approval_asked"), 1);
	assert_int_equal(count("send_accepted"), 0);
	move_to(id, STATE_QUEUED, "owner");
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'approval_given'"
			     " AND json_extract(detail, '$.by') = 'owner'"),
			 1);
	move_to(id, STATE_HANDING, NULL);
	move_to(id, STATE_HANDED, NULL);
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

static void test_details(void **state)
{
	char *large = calloc(1, AUDIT_DETAIL_BYTES + 2);
	struct client client = { .id = 3, .name = "laptop", .scopes = 3 };

	(void)state;
	memset(large, ' ', AUDIT_DETAIL_BYTES + 1);
	assert_int_equal(store_audit_add(store, AUDIT_PAUSED, large), -E2BIG);
	free(large);
	assert_int_equal(store_audit_client(store, AUDIT_CLIENT_PAIRED, &client), 0);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE"
			     " json_extract(detail, '$.scopes') = 'read send'"
			     " AND json_extract(detail, '$.client') = 'laptop'"),
			 1);
	assert_int_equal(
		store_audit_note(store, AUDIT_PAUSED,
				 (struct audit_fact[]){ { "by", "\xff" }, { NULL } }),
		0);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE detail = '{}'"), 1);
	verify();
	assert_int_equal(verdict.break_count, 0);
}

static void note_last(void *data, const struct audit_line *line)
{
	snprintf(data, 32, "%s", line->event);
}

static void open_rescued(void)
{
	struct config_error error = { "" };

	if (store_open_or_rescue(folder, &store, &error))
		fail_msg("%s", error.text);
	assert_non_null(store_rescue_notice(store));
}

static const char *last_event(void)
{
	static char event[32];
	struct config_error error = { "" };
	struct audit_reader *reader;

	event[0] = '\0';
	assert_int_equal(audit_reader_open(folder, &reader, &error), 0);
	assert_int_equal(audit_reader_list(reader, &(struct audit_range){ .last = 1 },
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

static void test_rescued(void **state)
{
	(void)state;
	prune_to(5);
	mark_damaged();
	open_rescued();
	assert_string_equal(last_event(), "ledger_rescued");
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.gone, 4);
	assert_int_equal(verdict.lines, 6);
}

/* What a rescue could not save stays told. */
static void test_rescued_with_loss(void **state)
{
	(void)state;
	tamper("DELETE FROM audit WHERE id = 4");
	mark_damaged();
	open_rescued();
	add_lines(1);
	verify();
	assert_only(AUDIT_MISSING, 4, 4);
	assert_int_equal(verdict.head.line, LINES + 2);
}

static void test_restored(void **state)
{
	struct config_error error = { "" };
	struct store_restored restored;
	struct store_summary summary;
	struct audit_head backed_up, lost;
	char file[128], expected[256], text[AUDIT_HEAD_TEXT_BYTES];
	struct store_backup backup = { .folder = folder, .file = file };
	struct store_restore restore = { .folder = folder, .file = file };

	(void)state;
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
	assert_string_equal(last_event(), "ledger_restored");
	audit_head_write(&lost, text);
	snprintf(expected, sizeof(expected),
		 "SELECT count(*) FROM audit WHERE"
		 " json_extract(detail, '$.replaced') = '%s'",
		 text);
	assert_int_equal(sql(expected), 1);
}

static void test_heads_as_text(void **state)
{
	static const char *const wrong[] = {
		"",
		":",
		"1",
		"1:",
		"x:00",
		"-1:00",
		"1:0g",
		"1:000000000000000000000000000000000000000000000000000000000000000",
		"1:00000000000000000000000000000000000000000000000000000000000000000",
		"1:\x10"
		"000000000000000000000000000000000000000000000000000000000000000",
		"9999999999999999999:"
		"0000000000000000000000000000000000000000000000000000000000000000",
	};
	struct audit_head head = { .line = 12, .hash = { 0xab, 1 } }, read;
	char text[AUDIT_HEAD_TEXT_BYTES];

	(void)state;
	audit_head_write(&head, text);
	assert_int_equal(strlen(text), 67);
	assert_true(audit_head_parse(text, &read));
	assert_int_equal(read.line, 12);
	assert_memory_equal(read.hash, head.hash, AUDIT_HASH_BYTES);
	text[3] = 'A';
	assert_true(audit_head_parse(text, &read));
	assert_memory_equal(read.hash, head.hash, AUDIT_HASH_BYTES);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(audit_head_parse(wrong[i], &read));
}

static void test_table(void **state)
{
	(void)state;
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

#define WITH(test, before) cmocka_unit_test_setup_teardown(test, before, store_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_empty, set_up),
		WITH(test_whole, set_up_lines),
		WITH(test_the_hash_is_what_is_documented, set_up_lines),
		WITH(test_changed, set_up_lines),
		WITH(test_changed_with_its_hash, set_up_lines),
		WITH(test_swapped, set_up_lines),
		WITH(test_missing, set_up_lines),
		WITH(test_missing_and_closed_up, set_up_lines),
		WITH(test_put_in, set_up_lines),
		WITH(test_cut, set_up_lines),
		WITH(test_triggers, set_up_lines),
		WITH(test_what_is_pruned_leaves_an_anchor, set_up_lines),
		WITH(test_noted_and_pruned, set_up_lines),
		WITH(test_broken_anchor, set_up_lines),
		WITH(test_with_its_message, set_up),
		WITH(test_moves, set_up),
		WITH(test_details, set_up),
		WITH(test_rescued, set_up_lines),
		WITH(test_rescued_with_loss, set_up_lines),
		WITH(test_restored, set_up_lines),
		cmocka_unit_test(test_heads_as_text),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
