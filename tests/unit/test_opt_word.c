/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sms/inbox_draft.h"

static const struct {
	const char *text;
	enum opt opt;
} cases[] = {
	{ "STOP", OPT_OUT },
	{ "stop", OPT_OUT },
	{ " Stop. ", OPT_OUT },
	{ "\"STOP\"!!!", OPT_OUT },
	{ "STOP\r\n", OPT_OUT },
	{ "\uff33\uff34\uff2f\uff30",
	  OPT_NONE }, /* no keyboard writes these characters */
	{ "STOPALL", OPT_OUT },
	{ "stop all", OPT_OUT },
	{ "Unsubscribe", OPT_OUT },
	{ "CANCEL", OPT_OUT },
	{ "END", OPT_OUT },
	{ "Quit", OPT_OUT },
	{ "REVOKE", OPT_OUT },
	{ "opt out", OPT_OUT },
	{ "OPT-OUT", OPT_OUT },
	{ "optout", OPT_OUT },
	{ "ARRET", OPT_OUT },
	{ "Arr\u00eat", OPT_OUT },
	{ "BAJA", OPT_OUT },
	{ "Alto.", OPT_OUT },
	{ "STOPP", OPT_OUT },
	{ "Abmelden", OPT_OUT },
	{ "LE\u00c1LL", OPT_OUT },
	{ "le\u00e1ll\u00edt\u00e1s", OPT_OUT },
	{ "SAIR", OPT_OUT },
	{ "afmelden", OPT_OUT },
	{ "\u0421\u0422\u041e\u041f", OPT_OUT },
	{ "\u0441\u0442\u043e\u043f", OPT_OUT },
	{ "\u03a3\u03a4\u039f\u03a0", OPT_OUT },
	{ "\u9000\u8ba2", OPT_OUT },
	{ "\u505c\u6b62\u3002", OPT_OUT },
	{ "\u0130PTAL", OPT_OUT },
	{ "START", OPT_IN },
	{ "unstop", OPT_IN },
	{ "Yes!", OPT_IN },
	{ "opt in", OPT_IN },
	{ "ALTA", OPT_IN },
	{ "\u0421\u0442\u0430\u0440\u0442", OPT_IN },
	/* more than a word */
	{ "", OPT_NONE },
	{ "...", OPT_NONE },
	{ "Please stop", OPT_NONE },
	{ "Stop by at five", OPT_NONE },
	{ "stop it", OPT_NONE },
	{ "the end", OPT_NONE },
	{ "STOP 1", OPT_NONE },
	{ "STOP2END", OPT_NONE },
	{ "stopped", OPT_NONE },
	{ "non-stop", OPT_NONE },
	{ "cancel the appointment", OPT_NONE },
	{ "yes please", OPT_NONE },
	{ "no", OPT_NONE },
	{ "STOP STOP STOP STOP", OPT_NONE },
	{ "s t o p", OPT_NONE },
	{ "STOP                                                                ",
	  OPT_NONE }, /* too long */
};

static void test_only_a_message_of_such_words_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *word = NULL;

		if (inbox_draft_find_opt(cases[i].text, &word) != cases[i].opt)
			fail_msg("\"%s\"", cases[i].text);
		assert_int_equal(word != NULL, cases[i].opt != OPT_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_a_message_of_such_words_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
