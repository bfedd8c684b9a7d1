/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

static const struct {
	const char *text, *shown;
} cases[] = {
	{ "", "" },
	{ "plain \"text\" {\"a\":1} *b*\n\ttab", "plain \"text\" {\"a\":1} *b*\n\ttab" },
	{ "\u00e1rv\u00edzt\u0171r\u0151 \u041f\u0440\u0438 \u4f60\u597d",
	  "\u00e1rv\u00edzt\u0171r\u0151 \u041f\u0440\u0438 \u4f60\u597d" },
	{ "a\r\nb\rc", "a\nb\\u{D}c" },
	{ "\r", "\\u{D}" },
	{ "\x1b[31mred\x07", "\\u{1B}[31mred\\u{7}" },
	{ "\x7f\xc2\x80\xc2\x9f\u00a0", "\\u{7F}\\u{80}\\u{9F}\u00a0" },
	{ "abc\u202edef\u202c", "abc\\u{202E}def\\u{202C}" },
	{ "\u2066x\u2069\u200e\u200f\u061c",
	  "\\u{2066}x\\u{2069}\\u{200E}\\u{200F}\\u{61C}" },
	{ "pay\u200bpal \u00ad\ufeff\u2060",
	  "pay\\u{200B}pal \\u{AD}\\u{FEFF}\\u{2060}" },
	{ "line\u2028para\u2029", "line\\u{2028}para\\u{2029}" },
	{ "\U000e0041\U000e007f!", "\\u{E0041}\\u{E007F}!" },
	{ "\U000e0100\U000e01ef\ufe00", "\\u{E0100}\\u{E01EF}\\u{FE00}" },
	{ "\ufff9a\ufffab\ufffb\ufffc\ufffd",
	  "\\u{FFF9}a\\u{FFFA}b\\u{FFFB}\\u{FFFC}\ufffd" },
	{ "\ufdd0\uffff\U0001fffe\U0010ffff\U00050000\ue000\u2800",
	  "\\u{FDD0}\\u{FFFF}\\u{1FFFE}\\u{10FFFF}\\u{50000}\\u{E000}\\u{2800}" },
	/* a family, a heart, a keycap and a waving flag are drawn with joiners, selectors */
	{ "\U0001f468\u200d\U0001f469\u2764\ufe0f 1\ufe0f\u20e3",
	  "\U0001f468\u200d\U0001f469\u2764\ufe0f 1\ufe0f\u20e3" },
	{ "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f44b\U0001f3fd",
	  "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f44b\U0001f3fd" },
	/* Persian and Hindi are written with them */
	{ "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937",
	  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937" },
	/* elsewhere they hide something */
	{ "a\u200db\u200cc\u200d", "a\\u{200D}b\\u{200C}c\\u{200D}" },
	{ "\U0001f468\u200d\u200d\U0001f469", "\U0001f468\\u{200D}\\u{200D}\U0001f469" },
	{ "\U0001f600\ufe0f\ufe0f a\ufe0f 1\ufe0f",
	  "\U0001f600\ufe0f\\u{FE0F} a\\u{FE0F} 1\\u{FE0F}" },
	/* whoever writes the writing itself is found out */
	{ "\\u202e \\n \\\\", "\\u202e \\n \\\\" },
	{ "\\u{202E}", "\\u{5C}u{202E}" },
	{ "\\\\u{", "\\\\u{5C}u{" },
	{ "\\\u202e", "\\\\u{202E}" },
};

static bool has_escapes(const char *shown)
{
	return strstr(shown, "\\u{");
}

TEST(test_hostile_characters_are_escaped)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer buffer = BUFFER_INIT;
		bool escaped = escape_text(&buffer, cases[i].text);

		buffer_append(&buffer, "", 1);
		assert_string_equal(buffer.data, cases[i].shown);
		assert_int_equal(escaped, has_escapes(cases[i].shown));
		assert_int_equal(escape_is_plain(cases[i].text),
				 strcmp(cases[i].text, cases[i].shown) == 0);
		buffer_deinit(&buffer);
	}
}

/* Nothing is lost but a carriage return before a line feed. */
TEST(test_undo_restores_the_original)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[256];

		if (strstr(cases[i].text, "\r\n"))
			continue;
		strcpy(text, cases[i].shown);
		escape_undo(text);
		assert_string_equal(text, cases[i].text);
	}
}

TEST(test_undo_leaves_other_text_alone)
{
	static const char *const texts[] = {
		"\\u{",	  "\\u{}",	  "\\u{202e}",	"\\u{D800}", "\\u{110000}",
		"\\u{0}", "\\u{1234567}", "\\u{20 2E}", "\\u202E",   "u{202E}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char text[32];

		strcpy(text, texts[i]);
		escape_undo(text);
		assert_string_equal(text, texts[i]);
	}
}

/* Whatever comes: nothing is left that has to be written out, and all of it comes back. */
TEST(test_any_text_survives_escaping_and_undoing)
{
	static const uint32_t often[] = { 0x200b, 0x200c, 0x200d, 0xfe0f,  0x1f468,
					  '\\',	  'u',	  '{',	  '}',	   '2',
					  0x202e, 0x645,  0x20e3, 0xe0041, 0x1f1e6,
					  '\n',	  'a',	  0x915 };
	static const uint32_t limits[] = { 0x80, 0x3000, 0x10000, 0x110000 };

	srandom(1);
	for (unsigned round = 0; round < 20000; round++) {
		char text[256], restored[4096];
		struct buffer shown = BUFFER_INIT;
		size_t length = 0;

		while (length < (size_t)(round % 200)) {
			long chance = random();
			uint32_t character =
				chance % 2 ? often[(size_t)chance / 2 % 18]
					   : (uint32_t)random() % limits[chance / 2 % 4];

			if (!character || character == '\r' ||
			    (character >= 0xd800 && character <= 0xdfff))
				continue;
			length += utf8_write(character, text + length);
		}
		text[length] = '\0';
		escape_text(&shown, text);
		buffer_append(&shown, "", 1);
		for (const char *at = shown.data; *at;)
			assert_false(escape_is_needed(utf8_next(&at)));
		assert_true(shown.length < sizeof(restored));
		strcpy(restored, shown.data);
		escape_undo(restored);
		assert_string_equal(restored, text);
		buffer_deinit(&shown);
	}
}

TEST(test_a_line_has_no_line_breaks)
{
	struct buffer shown = BUFFER_INIT;

	assert_false(escape_line(&shown, "Anna (+36)"));
	assert_true(escape_line(&shown, "x\n9  from y\r\n\tz\u2028\u202e\xc2\x85"));
	buffer_append(&shown, "", 1);
	assert_string_equal(shown.data, "Anna (+36)x\\u{A}9  from y\\u{D}\\u{A}\\u{9}z"
					"\\u{2028}\\u{202E}\\u{85}");
	escape_undo(shown.data);
	assert_string_equal(shown.data,
			    "Anna (+36)x\n9  from y\r\n\tz\u2028\u202e\xc2\x85");
	buffer_deinit(&shown);
}

TEST(test_a_quote_is_short_and_on_one_line)
{
	struct arena *arena = arena_new(1 << 12);

	assert_string_equal(escape_quote(arena, "a\u202eb", 64), "a\\u{202E}b");
	assert_string_equal(escape_quote(arena, "a\u202eb", 2), "a\\u{202E}");
	assert_string_equal(escape_quote(arena, "a\nb", 64), "a\\u{A}b");
	assert_string_equal(escape_quote(arena, "", 2), "");
	arena_free(arena);
}

TEST(test_every_bidirectional_control_is_escaped)
{
	static const uint32_t controls[] = { 0x061c, 0x200e, 0x200f, 0x202a,
					     0x202b, 0x202c, 0x202d, 0x202e,
					     0x2066, 0x2067, 0x2068, 0x2069 };

	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		assert_true(escape_is_needed(controls[i]));
	assert_true(escape_is_needed(0x10ffff));
	assert_false(escape_is_needed(0xfffd));
}
