/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static char output[4096];

/* stderr is a pipe while `log` runs; `output` is what came through it. */
static void capture(void (*log)(void))
{
	int saved = dup(STDERR_FILENO);
	int ends[2];
	ssize_t length;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	log();
	dup2(saved, STDERR_FILENO);
	close(saved);
	length = read(ends[0], output, sizeof(output) - 1);
	assert_true(length >= 0);
	output[length] = '\0';
	close(ends[0]);
}

static int setup(void **state)
{
	unsetenv("JOURNAL_STREAM");
	log_set_level(LOG_LEVEL_INFO);
	return 0;
}

static void log_levels(void)
{
	log_error("error %d", 1);
	log_warning("warning %s", "two");
	log_info("info");
	log_debug("debug");
}

FIXTURE(setup, NULL)

TEST(test_lines_above_the_level_are_dropped)
{
	capture(log_levels);
	assert_string_equal(output, "error 1\nwarning two\ninfo\n");
	log_set_level(LOG_LEVEL_DEBUG);
	capture(log_levels);
	assert_string_equal(output, "error 1\nwarning two\ninfo\ndebug\n");
	log_set_level(LOG_LEVEL_ERROR);
	capture(log_levels);
	assert_string_equal(output, "error 1\n");
}

TEST(test_lines_have_a_priority_under_the_journal)
{
	setenv("JOURNAL_STREAM", "8:1234", 1);
	log_set_level(LOG_LEVEL_DEBUG);
	capture(log_levels);
	assert_string_equal(output, "<3>error 1\n<4>warning two\n<6>info\n<7>debug\n");
}

static void log_forged(void)
{
	log_info("from %s end", "a\n<3>forged\r\t\x1b[2J\x7f\x01");
}

TEST(test_no_line_can_be_forged)
{
	capture(log_forged);
	assert_string_equal(output, "from a?<3>forged???[2J?? end\n");
}

static void log_utf8(void)
{
	log_info("from %s", "Caf\xc3\xa9 \xe2\x82\xac");
}

TEST(test_ordinary_text_stays)
{
	capture(log_utf8);
	assert_string_equal(output, "from Caf\xc3\xa9 \xe2\x82\xac\n");
}

static void log_hidden(void)
{
	log_info("from %s end", "a\u202eb\u2028\xc2\x85\u200b"
				"c\xff\xe2\x82");
}

/* Nothing turns the line on a terminal, and a character that is cut is none. */
TEST(test_nothing_hides_or_turns_text)
{
	capture(log_hidden);
	assert_string_equal(output,
			    "from a\\u{202E}b\\u{2028}\\u{85}\\u{200B}c??? end\n");
}

static void log_long(void)
{
	char text[3000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	log_info("%s", text);
	log_info("after");
}

TEST(test_long_line_is_cut)
{
	const char *end;

	capture(log_long);
	end = strchr(output, '\n');
	assert_non_null(end);
	assert_int_equal(end - output,
			 1022); /* and "\n", and NUL while it is formatted */
	assert_string_equal(end, "\nafter\n");
}

static void log_errno(void)
{
	errno = ENOENT;
	log_info("%m");
	assert_int_equal(errno, ENOENT);
	setenv("JOURNAL_STREAM", "8:1234", 1);
	errno = EACCES;
	log_info("%m");
	assert_int_equal(errno, EACCES);
}

TEST(test_logging_keeps_errno)
{
	capture(log_errno);
	assert_string_equal(output, "No such file or directory\n<6>Permission denied\n");
}

TEST(test_a_phone_number_is_shortened)
{
	assert_string_equal(log_number("+491701234567"), "...567");
	assert_string_equal(log_number("121"), "...121");
	assert_string_equal(log_number("7"), "...7");
	assert_string_equal(log_number(""), "...");
	assert_string_equal(log_number("Caf\xc3\xa9"), "...af\xc3\xa9");
	assert_string_equal(log_number("\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
				       "\xf0\x9f\x98\x80"),
			    "...\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80");
	assert_string_equal(log_number("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
				       "\x80\x80\x80\x80\x80\x80\x80\x80"),
			    "...\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80");
	log_set_level(LOG_LEVEL_DEBUG);
	assert_string_equal(log_number("+491701234567"), "+491701234567");
}
