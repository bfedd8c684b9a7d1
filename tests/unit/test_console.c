/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The embedded page: one complete, small document with one style and one script.
 */
#include "unit_test.h"
#include <string.h>

#include "base/utf8.h"
#include "console/console.h"

enum { MOST_BYTES = 60 * 1000 };

static unsigned count_of(const char *word)
{
	struct console_part page = console_document();
	const char *at = page.text, *end = page.text + page.length;
	unsigned count = 0;

	while ((at = memmem(at, (size_t)(end - at), word, strlen(word)))) {
		at++;
		count++;
	}
	return count;
}

TEST(is_whole_and_small)
{
	static const char first[] = "<!doctype html>\n", last[] = "</html>\n";
	struct console_part page = console_document();

	assert_in_range(page.length, 1, MOST_BYTES - 1);
	assert_true(utf8_valid(page.text, page.length));
	assert_memory_equal(page.text, first, strlen(first));
	assert_memory_equal(page.text + page.length - strlen(last), last, strlen(last));
}

TEST(has_each_part_once)
{
	struct console_part page = console_document(), style = console_style(),
			    script = console_script();

	assert_int_equal(count_of("<style"), 1);
	assert_int_equal(count_of("</style>"), 1);
	assert_int_equal(count_of("<script"), 1);
	assert_int_equal(count_of("</script>"), 1);
	assert_true(style.text > page.text && script.text > style.text);
	assert_true(style.length > 1000 && script.length > 10000);
	assert_memory_equal(style.text + style.length, "</style>", 8);
	assert_memory_equal(script.text + script.length, "</script>", 9);
}

/* compose replaces each line @name@ by that file. */
TEST(nothing_is_left_out)
{
	assert_int_equal(count_of("\n@"), 0);
	assert_int_equal(count_of("SPDX"), 0);
	/* words of the first file and of the last */
	assert_int_equal(count_of("getElementById("), 1);
	assert_int_equal(count_of("parent===window?"), 1);
}
