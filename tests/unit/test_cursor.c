/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdio.h>
#include <string.h>

#include "tools/cursor.h"

static const enum cursor_kind kinds[] = { CURSOR_MESSAGES, CURSOR_CONVERSATIONS,
					  CURSOR_ARRIVALS };

TEST(test_a_cursor_is_read_as_it_was_written_and_only_as_its_kind)
{
	static const int64_t ids[] = { 0,	 1,	 15,	    16,
				       255,	 100000, INT32_MAX, INT64_C(1) << 40,
				       INT64_MAX };

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		for (size_t kind = 0; kind < 3; kind++) {
			char text[CURSOR_BYTES];
			int64_t id = -1;

			cursor_write(kinds[kind], ids[i], text);
			assert_true(strlen(text) < CURSOR_BYTES - 1);
			assert_true(cursor_read(kinds[kind], text, &id));
			assert_true(id == ids[i]);
			assert_false(cursor_read(kinds[(kind + 1) % 3], text, &id));
		}
	}
}

/* Clients keep cursors over an upgrade: the format must not change. */
TEST(test_a_cursor_of_an_older_program_is_still_read)
{
	char text[CURSOR_BYTES];

	cursor_write(CURSOR_MESSAGES, 500, text);
	assert_string_equal(text, "m1f4-814ea0f9");
	cursor_write(CURSOR_ARRIVALS, 0, text);
	assert_string_equal(text, "w0-0f473672");
}

TEST(test_made_up_cursors_are_refused)
{
	static const char *const cases[] = {
		"",
		"m",
		"m1",
		"1",
		"next",
		"m1-0",
		"m1-00000000",
		"m-1-00000000",
		"mffffffffffffffff-00000000",
		"m 1-00000000",
		"{\"id\":1}",
		"eyJpZCI6MX0=",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t id = 42;

		assert_false(cursor_read(CURSOR_MESSAGES, cases[i], &id));
		assert_int_equal(id, 42);
	}
}

TEST(test_a_single_wrong_character_is_detected)
{
	char text[CURSOR_BYTES];
	int64_t id;

	cursor_write(CURSOR_MESSAGES, 123456, text);
	for (size_t at = 0; text[at]; at++) {
		char kept = text[at];

		for (const char *byte = "0123456789abcdefABCDEFmcw- +x"; *byte; byte++) {
			text[at] = *byte;
			assert_true(*byte == kept ||
				    !cursor_read(CURSOR_MESSAGES, text, &id));
		}
		text[at] = kept;
	}
}
