/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every manipulation of the audit log shows, with its place. */
#include "unit_test.h"
#include "audit_bench.h"

FIXTURE(set_up_lines, store_tear_down)

TEST_WITH(test_an_empty_log_verifies, set_up, store_tear_down)
{
	verify();
	assert_int_equal(verdict.break_count, 0);
	assert_int_equal(verdict.lines, 0);
	assert_int_equal(verdict.head.line, 0);
}

TEST(test_an_intact_log_verifies)
{
	struct audit_chain_head head;

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
TEST(test_the_hash_is_what_is_documented)
{
	char command[1024];

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

TEST(test_a_changed_line_shows)
{
	static const char *const changes[] = {
		"UPDATE audit SET detail = '{\"number\":\"+36309999999\"}' WHERE id = 4",
		"UPDATE audit SET detail = detail || ' ' WHERE id = 4",
		"UPDATE audit SET detail = detail || char(0) || 'x' WHERE id = 4",
		"UPDATE audit SET event = 'opted_in' WHERE id = 4",
		"UPDATE audit SET at = at + 1 WHERE id = 4",
		/* a byte moves from one part into the next */
		("UPDATE audit SET event = event || substr(detail, 1, 1),"
		 " detail = substr(detail, 2) WHERE id = 4"),
	};

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

/* Changing a line with its hash breaks the line after it. */
TEST(test_a_line_changed_with_its_hash_breaks_the_next)
{
	tamper("UPDATE audit SET detail = '{}', hash = randomblob(32) WHERE id = 4");
	verify();
	assert_int_equal(verdict.break_count, 2);
	assert_break(0, AUDIT_CHANGED, 4, 4);
	assert_break(1, AUDIT_CHANGED, 5, 5);
}

TEST(test_swapped_lines_show)
{
	tamper("UPDATE audit SET id = -1 WHERE id = 3; UPDATE audit SET id = 3 WHERE "
	       "id = 6;"
	       "UPDATE audit SET id = 6 WHERE id = -1");
	verify();
	assert_true(verdict.break_count >= 2);
	assert_break(0, AUDIT_CHANGED, 3, 3);
}

TEST(test_a_missing_line_shows)
{
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

/* The lines were closed up after one was removed. */
TEST(test_closed_up_lines_show)
{
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

TEST(test_an_inserted_line_shows)
{
	tamper("INSERT INTO audit SELECT 10, at, event, detail, hash FROM audit"
	       " WHERE id = 9");
	verify();
	assert_only(AUDIT_CHANGED, 10, 10);
}

/* A cut end shows against a saved head, and only so. */
TEST(test_a_cut_end_shows_against_a_saved_head)
{
	struct audit_chain_head noted, other;

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
	add_lines(5); /* it grew again, differently */
	verify();
	assert_int_equal(verdict.break_count, 0);
	verify_from(&noted);
	assert_only(AUDIT_OTHER_HEAD, LINES, LINES);
}

TEST(test_a_pruned_head_proves_nothing)
{
	struct audit_chain_head noted, anchor;

	assert_int_equal(store_audit_head(store, &anchor), 0);
	add_lines(10);
	prune_to(10);
	verify_from(&anchor); /* the line that is the anchor now */
	assert_int_equal(verdict.break_count, 0);
	noted = (struct audit_chain_head){ .line = 2 };
	verify_from(&noted);
	assert_only(AUDIT_HEAD_GONE, 2, 2);
}

TEST(test_a_broken_anchor_shows)
{
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

/* Moving the anchor and deleting lines does not pass for pruning. */
TEST(test_a_moved_anchor_shows)
{
	struct audit_chain_head newest, middle;

	assert_int_equal(store_audit_head(store, &middle), 0);
	add_lines(5);
	assert_int_equal(store_audit_head(store, &newest), 0);
	tamper("INSERT INTO audit_anchor SELECT 1, id, hash FROM audit WHERE id = 3;"
	       "DELETE FROM audit WHERE id <= 3");
	verify();
	assert_only(AUDIT_MISSING, 1, 3);
	assert_int_equal(verdict.gone, 0);
	verify_from(&middle);
	assert_only(AUDIT_MISSING, 1, 3);
	tamper("UPDATE audit_anchor SET line = 9, hash = (SELECT hash FROM audit"
	       " WHERE id = 9); DELETE FROM audit WHERE id <= 9");
	verify_from(&middle); /* the anchor itself */
	assert_int_equal(verdict.break_count, 2);
	assert_break(0, AUDIT_MISSING, 1, 9);
	assert_break(1, AUDIT_CUT, LINES, LINES);
	tamper("UPDATE audit_anchor SET line = 14, hash = (SELECT hash FROM audit"
	       " WHERE id = 14); DELETE FROM audit");
	verify();
	assert_only(AUDIT_MISSING, 1, LINES + 5);
	verify_from(&newest);
	assert_int_equal(verdict.break_count, 2);
	assert_break(0, AUDIT_MISSING, 1, LINES + 5);
	assert_break(1, AUDIT_CUT, LINES + 5, LINES + 5);
	assert_int_equal(verdict.lines, 0);
	add_lines(3); /* it goes on from there */
	verify();
	assert_only(AUDIT_MISSING, 1, LINES + 5);
}

/* Pruning is accepted up to where enough lines were kept, and no further. */
TEST(test_an_anchor_one_line_too_far_shows)
{
	add_lines(11);
	prune_to(10); /* of 20 */
	tamper("UPDATE audit_anchor SET line = 11, hash = (SELECT hash FROM audit"
	       " WHERE id = 11); DELETE FROM audit WHERE id <= 11");
	verify();
	assert_only(AUDIT_MISSING, 11, 11);
	assert_int_equal(verdict.gone, 10);
	add_lines(1);
	verify(); /* by now it would have been pruned */
	assert_int_equal(verdict.break_count, 0);
}

TEST_WITH(test_heads_are_written_and_parsed, NULL, NULL)
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
		"9999999999999999999:0000000000000000000000000000000000000000000000000000000000000000",
	};
	struct audit_chain_head head = { .line = 12, .hash = { 0xab, 1 } }, read;
	char text[AUDIT_HEAD_TEXT_BYTES];

	audit_chain_write_head(&head, text);
	assert_int_equal(strlen(text), 67);
	assert_true(audit_chain_parse_head(text, &read));
	assert_int_equal(read.line, 12);
	assert_memory_equal(read.hash, head.hash, AUDIT_HASH_BYTES);
	text[3] = 'A';
	assert_true(audit_chain_parse_head(text, &read));
	assert_memory_equal(read.hash, head.hash, AUDIT_HASH_BYTES);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(audit_chain_parse_head(wrong[i], &read));
}
