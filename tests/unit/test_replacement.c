/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <string.h>

#include "base/utf8.h"
#include "text/replacement.h"
#include "text/segments.h"

static void assert_fix(const char *text, const char *expected)
{
	struct arena *arena = arena_new(1 << 16);
	struct replacement_advice advice = replacement_advise(arena, text);

	assert_string_equal(advice.fix, expected);
	arena_free(arena);
}

TEST(test_the_fix_names_the_nearest_characters)
{
	assert_fix("Hi \U0001f642", "Write \":-)\" instead of \U0001f642.");
	assert_fix("\U0001f499 \U0001f600\U0001f600 \u2764\ufe0f",
		   "Write \"<3\" instead of \U0001f499, \":-D\" instead of \U0001f600.");
	assert_fix("\U0001f1ed\U0001f1fa",
		   "Write \"H\" instead of \U0001f1ed, \"U\" instead of \U0001f1fa.");
	assert_fix("\U0001d4d7\U0001d4f2 \U0001d7d2",
		   "Write \"H\" instead of \U0001d4d7, \"i\" instead of \U0001d4f2, "
		   "\"4\" instead of \U0001d7d2.");
}

TEST(test_what_has_no_near_character_is_left_out)
{
	assert_fix("\U0001f680", "Leave out \U0001f680.");
	assert_fix("\U00020000 \U0001f44d\U0001f3fd",
		   "Write \"(y)\" instead of \U0001f44d; leave out \U00020000.");
	assert_fix("\U0001f469\u200d\U0001f4bb", "Leave out \U0001f469, \U0001f4bb.");
	assert_fix("a\ufffe", "Leave out \\u{FFFE}.");
	assert_fix("\U0001f3fd", "Leave out \U0001f3fd."); /* of no emoji */
}

TEST(test_all_characters_are_named_but_not_endlessly)
{
	char text[4 * 10 + 1] = "";
	struct arena *arena = arena_new(1 << 16);
	struct replacement_advice advice;

	advice = replacement_advise(arena, "\U0001f680 then \U0001f642");
	assert_non_null(strstr(advice.characters, "U+1F680"));
	assert_non_null(strstr(advice.characters, "U+1F642"));
	for (uint32_t i = 0; i < 10; i++)
		text[strlen(text) + utf8_write(0x1f680 + i, text + strlen(text))] = '\0';
	advice = replacement_advise(arena, text);
	assert_non_null(strstr(advice.characters, "U+1F687"));
	assert_null(strstr(advice.characters, "U+1F688"));
	assert_non_null(strstr(advice.characters, " and others"));
	assert_non_null(strstr(advice.fix, ", and no other emoji."));
	arena_free(arena);
}

/* Otherwise the advice would be refused, too. */
TEST(test_every_replacement_can_be_sent)
{
	unsigned found = 0;

	for (uint32_t character = 0; character <= 0x10ffff; character++) {
		char instead[REPLACEMENT_BYTES];
		struct segments segments;

		replacement_find(character, instead);
		if (!*instead)
			continue;
		found++;
		assert_true(segments_is_unsendable(character));
		assert_true(utf8_valid(instead, strlen(instead)));
		segments_measure(instead, &segments);
		assert_int_equal(segments.unsendable, 0);
	}
	assert_true(found > 100);
}
