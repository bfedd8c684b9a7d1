/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which messages opt out. Single words are listed here; texts that people write are the lines of
 * tests/unit/opt_corpus, where each list has a bound of its own.
 */
#include "unit_test.h"
#include <stdio.h>
#include <string.h>

#include "corpus.h"
#include "sms/opt_word.h"

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
	{ "STOP STOP STOP STOP", OPT_OUT },
	{ "s t o p", OPT_NONE },
};

static bool opts_out(const char *text)
{
	const char *word = NULL;
	bool is_leaving = opt_word_find(text, &word) == OPT_OUT;

	assert_int_equal(is_leaving, word != NULL);
	return is_leaving;
}

/* Counts the lines of a list, and those of them that are judged wrongly; prints the latter. */
static void judge(const char *list, bool should_opt_out, unsigned *lines, unsigned *wrong)
{
	char name[64], line[256];
	FILE *file;

	snprintf(name, sizeof(name), "opt_corpus/%s.txt", list);
	file = corpus_open(name);
	*lines = *wrong = 0;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		++*lines;
		if (opts_out(line) == should_opt_out)
			continue;
		printf("%s: %s\n", should_opt_out ? "missed" : "taken for one", line);
		++*wrong;
	}
	fclose(file);
	printf("%s: %u of %u wrong\n", list, *wrong, *lines);
}

static void assert_judged(const char *list, bool should_opt_out, unsigned lines_least,
			  unsigned wrong_percent_most)
{
	unsigned lines, wrong;

	judge(list, should_opt_out, &lines, &wrong);
	assert_true(lines >= lines_least);
	assert_true(100 * wrong <= wrong_percent_most * lines);
}

TEST(test_what_people_write_around_the_word_is_allowed)
{
	assert_judged("words/leaving", true, 134, 2);
}

TEST(test_ordinary_messages_with_the_word_do_not_opt_out)
{
	assert_judged("words/ordinary", false, 142, 2);
}

TEST(test_a_sentence_that_asks_for_no_more_messages_opts_out)
{
	assert_judged("sentences/leaving", true, 189, 4);
}

TEST(test_other_sentences_of_the_same_words_do_not_opt_out)
{
	assert_judged("sentences/ordinary", false, 138, 0);
}

TEST(test_only_a_message_of_such_words_counts)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *word = NULL;

		if (opt_word_find(cases[i].text, &word) != cases[i].opt)
			fail_msg("\"%s\"", cases[i].text);
		assert_int_equal(word != NULL, cases[i].opt != OPT_NONE);
	}
}
