/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/shown_text.h"

static const struct {
	const char *text, *shown;
} cases[] = {
	{ "", "" },
	{ "plain \"text\" {\"a\":1} *b*\n\ttab", "plain \"text\" {\"a\":1} *b*\n\ttab" },
	{ "\u00e1rv\u00edzt\u0171r\u0151 \u041f\u0440\u0438 \u4f60\u597d",
	  "\u00e1rv\u00edzt\u0171r\u0151 \u041f\u0440\u0438 \u4f60\u597d" },
	{ "a\r\nb\rc", "a\nb\\u000dc" },
	{ "\r", "\\u000d" },
	{ "\x1b[31mred\x07", "\\u001b[31mred\\u0007" },
	{ "\x7f\xc2\x80\xc2\x9f\u00a0", "\\u007f\\u0080\\u009f\u00a0" },
	{ "abc\u202edef\u202c", "abc\\u202edef\\u202c" },
	{ "\u2066x\u2069\u200e\u200f\u061c", "\\u2066x\\u2069\\u200e\\u200f\\u061c" },
	{ "pay\u200bpal \u00ad\ufeff\u2060", "pay\\u200bpal \\u00ad\\ufeff\\u2060" },
	{ "line\u2028para\u2029", "line\\u2028para\\u2029" },
	{ "\U000e0041\U000e007f!", "\\u{e0041}\\u{e007f}!" },
	/* a family and a heart are drawn with joiners and selectors */
	{ "\U0001f468\u200d\U0001f469\u2764\ufe0f",
	  "\U0001f468\u200d\U0001f469\u2764\ufe0f" },
	{ "\\u202e", "\\u202e" },
};

static void test_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer buffer = BUFFER_INIT;

		shown_text_append(&buffer, cases[i].text);
		buffer_append(&buffer, "", 1);
		assert_string_equal(buffer.data, cases[i].shown);
		buffer_deinit(&buffer);
	}
}

static void test_every_bidirectional_control(void **state)
{
	static const uint32_t controls[] = { 0x061c, 0x200e, 0x200f, 0x202a,
					     0x202b, 0x202c, 0x202d, 0x202e,
					     0x2066, 0x2067, 0x2068, 0x2069 };

	(void)state;
	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		assert_true(shown_text_escapes(controls[i]));
	assert_false(shown_text_escapes(0x10ffff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_every_bidirectional_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
