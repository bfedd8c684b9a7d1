/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fixture of the audit tests: lines, manipulations of them, and the reader's verdict. */
#pragma once

#include "store/audit.h"
#include "store/store_audit.h"
#include "store_bench.h"

enum { LINES = 9 };

static struct audit_reader_verdict verdict;
static int64_t kept = AUDIT_KEEP; /* as prune_to() set it */

static inline int set_up(void **state)
{
	int failed = store_set_up(state);

	kept = AUDIT_KEEP;
	if (!failed)
		open_store();
	return failed;
}

static inline void add_lines(int count)
{
	for (int i = 0; i < count; i++)
		assert_int_equal(store_audit_record(store, AUDIT_OPTED_OUT,
						    (struct audit_event_fact[]){
							    { "number", "+36201234567" },
							    { NULL },
						    }),
				 0);
}

static inline int set_up_lines(void **state)
{
	int failed = set_up(state);

	add_lines(LINES);
	return failed;
}

static inline void verify_from(const struct audit_chain_head *noted)
{
	struct explanation error = { "" };
	struct audit_reader_expected expected = { .kept = kept };
	struct audit_reader *reader;

	if (noted)
		expected.noted[expected.noted_count++] = *noted;
	if (audit_reader_open(folder, &reader, &error))
		fail_msg("%s", error.text);
	if (audit_reader_verify(reader, &expected, &verdict))
		fail_msg("%s", audit_reader_error(reader));
	audit_reader_close(reader);
}

static inline void verify(void)
{
	verify_from(NULL);
}

/* Changes the file without its triggers. */
static inline void tamper(const char *text)
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

static inline void assert_break(int place, enum audit_reader_flaw flaw, int64_t line,
				int64_t until)
{
	assert_true(place < verdict.break_count);
	assert_int_equal(verdict.breaks[place].flaw, flaw);
	assert_int_equal(verdict.breaks[place].line, line);
	assert_int_equal(verdict.breaks[place].until, until);
}

static inline void assert_only(enum audit_reader_flaw flaw, int64_t line, int64_t until)
{
	assert_int_equal(verdict.break_count, 1);
	assert_break(0, flaw, line, until);
}

static inline void prune_to(int64_t keep)
{
	bool done = false;
	int steps = 0;

	kept = keep > 1 ? keep : 1;
	while (!done) {
		assert_int_equal(store_audit_prune(store, keep, &done), 0);
		verify(); /* at every step */
		assert_int_equal(verdict.break_count, 0);
		assert_true(++steps < 10);
	}
}
