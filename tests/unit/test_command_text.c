/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of the owner: the word, where a code may be, and answers to approvals. */
#include <string.h>

#include "unit_test.h"
#include "text/command_text.h"

static const struct command_text_words with_codes = {
	.word = "agent",
	.approve = "YES",
	.reject = "NO",
	.needs_word = true,
	.has_codes = true,
};

static struct command_text read_text(const struct command_text_words *words,
				     const char *text)
{
	struct command_text read;

	command_text_read(words, text, &read);
	return read;
}

static void assert_command(const struct command_text_words *words, const char *text,
			   const char *code, const char *command)
{
	struct command_text read = read_text(words, text);

	if (read.kind != COMMAND_TEXT_COMMAND)
		fail_msg("no command: %s", text);
	assert_string_equal(read.code, code);
	assert_int_equal(read.command.length, strlen(command));
	assert_memory_equal(text + read.command.from, command, strlen(command));
}

static void assert_no_command(const struct command_text_words *words, const char *text)
{
	if (read_text(words, text).kind != COMMAND_TEXT_NONE)
		fail_msg("a command: %s", text);
}

TEST(test_a_command_begins_with_the_word_in_any_case)
{
	assert_command(&with_codes, "agent call home", "", "call home");
	assert_command(&with_codes, "AGENT call home", "", "call home");
	assert_command(&with_codes, "  Agent: call home", "", "call home");
	assert_command(&with_codes, "Agent,call home", "", "call home");
	assert_command(&with_codes, "agent\ncall home\n", "", "call home");
	assert_command(&with_codes, "\u200eagent call home", "", "call home");
	assert_command(&with_codes, "agent", "", "");
}

TEST(test_other_words_that_begin_like_it_are_no_commands)
{
	assert_no_command(&with_codes, "agents are late");
	assert_no_command(&with_codes, "agent007 called");
	assert_no_command(&with_codes, "the agent called");
	assert_no_command(&with_codes, "agen call home");
	assert_no_command(&with_codes, "");
	assert_no_command(&with_codes, " ,.! ");
}

TEST(test_the_word_may_be_in_any_script)
{
	static const struct {
		const char *word, *text;
	} rows[] = {
		{ "\u00e1gens", "\u00c1GENS h\u00edvd fel" },  /* Hungarian */
		{ "\u00e1gens", "A\u0301gens h\u00edvd fel" }, /* decomposed */
		{ "\u0430\u0433\u0435\u043d\u0442",
		  "\u0410\u0413\u0415\u041d\u0422 h\u00edvd fel" }, /* Russian */
		{ "\u03c0\u03c1\u03ac\u03ba\u03c4\u03c9\u03c1",
		  "\u03a0\u03a1\u0386\u039a\u03a4\u03a9\u03a1 h\u00edvd fel" }, /* Greek */
		{ "\u03c0\u03c1\u03ac\u03ba\u03c4\u03c9\u03c1",
		  "\u03a0\u03a1\u0391\u039a\u03a4\u03a9\u03a1 h\u00edvd fel" },
		{ "\u52a9\u624b", "\u52a9\u624b\uff0ch\u00edvd fel" }, /* Chinese */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct command_text_words words = with_codes;
		struct command_text read;

		words.word = rows[i].word;
		read = read_text(&words, rows[i].text);
		assert_int_equal(read.kind, COMMAND_TEXT_COMMAND);
		assert_no_command(&words, "agent call home");
	}
}

TEST(test_the_code_is_after_the_word_or_at_the_end)
{
	assert_command(&with_codes, "agent 482913 call home", "482913", "call home");
	assert_command(&with_codes, "agent: 482913, call home", "482913", "call home");
	assert_command(&with_codes, "agent call home 482913", "482913", "call home");
	assert_command(&with_codes, "agent call home 482 913", "482913", "call home");
	assert_command(&with_codes, "agent call home 482-913.", "482913", "call home");
	assert_command(&with_codes, "agent 482 913 call home", "482913", "call home");
	assert_command(&with_codes, "agent 482913", "482913", "");
	assert_command(&with_codes,
		       "agent \u0664\u0668\u0662\u0669\u0661\u0663 call home", "482913",
		       "call home"); /* Arabic digits */
	assert_command(&with_codes,
		       "agent call home \uff14\uff18\uff12\uff19\uff11\uff13", "482913",
		       "call home"); /* full width */
}

TEST(test_a_code_right_after_the_word_comes_first)
{
	assert_command(&with_codes, "agent 482913 text 654321", "482913", "text 654321");
	assert_command(&with_codes, "agent 300 200 forints 482913", "482913",
		       "300 200 forints");
}

TEST(test_a_code_is_never_cut_out_of_something_longer)
{
	assert_command(&with_codes, "agent 4829135 call home", "", "4829135 call home");
	assert_command(&with_codes, "agent call +36201482913", "", "call +36201482913");
	assert_command(&with_codes, "agent call a482913", "", "call a482913");
	assert_command(&with_codes, "agent 482913 is wrong, I said", "482913",
		       "is wrong, I said");
	assert_command(&with_codes, "agent I said 482913 once", "", "I said 482913 once");
	assert_command(&with_codes, "agent call home 482  913", "", "call home 482  913");
}

TEST(test_without_codes_digits_are_part_of_the_command)
{
	struct command_text_words words = with_codes;

	words.has_codes = false;
	assert_command(&words, "agent 482913 call", "", "482913 call");
}

TEST(test_on_the_sim_for_commands_no_word_is_needed)
{
	struct command_text_words words = with_codes;

	words.needs_word = false;
	assert_command(&words, "call home 482913", "482913", "call home");
	assert_command(&words, "482913 call home", "482913", "call home");
	assert_command(&words, "Agent 482913 call home", "482913", "call home");
}

static void assert_answer(const char *text, bool approves, int64_t number,
			  const char *code)
{
	struct command_text read = read_text(&with_codes, text);

	if (read.kind != COMMAND_TEXT_ANSWER)
		fail_msg("no answer: %s", text);
	assert_int_equal(read.approves, approves);
	assert_int_equal(read.number, number);
	assert_string_equal(read.code, code);
}

TEST(test_answers_have_a_word_a_number_and_a_code)
{
	struct command_text_words words = with_codes;

	assert_answer("YES 17 482913", true, 17, "482913");
	assert_answer("yes 4711 482 913", true, 4711, "482913");
	assert_answer("No 17, 482913.", false, 17, "482913");
	assert_answer("YES 17", true, 17, "");
	assert_no_command(&with_codes, "YES");
	assert_no_command(&with_codes, "yes please 17 482913");
	assert_no_command(&with_codes, "Yes 17 people come");
	assert_no_command(&with_codes, "YES 17 482913 now");
	words.approve = NULL;
	words.reject = NULL;
	assert_no_command(&words, "YES 17 482913");
}

static void assert_masked(const char *text, const char *expected)
{
	struct command_text read = read_text(&with_codes, text);
	struct buffer masked = BUFFER_INIT;

	command_text_mask(&read, text, &masked);
	buffer_append(&masked, "", 1);
	assert_string_equal(masked.data, expected);
	buffer_deinit(&masked);
}

TEST(test_codes_and_approval_numbers_are_masked)
{
	assert_masked("agent 482913 text 654321", "agent ****** text 654321");
	assert_masked("agent set it to 250 482 913", "agent set it to 250 ******");
	assert_masked("YES 4711 482913", "YES ****** ******");
	assert_masked("agent call home", "agent call home");
}
