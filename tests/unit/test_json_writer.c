/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"

static struct buffer buffer;
static struct json_writer *writer;

static int setup(void **state)
{
	buffer = (struct buffer)BUFFER_INIT;
	writer = json_writer_new(&buffer);
	return writer ? 0 : -1;
}

static int teardown(void **state)
{
	buffer_deinit(&buffer);
	return 0;
}

/* Ends the document too. */
static void expect(const char *text)
{
	json_writer_free(writer);
	assert_false(buffer.failed);
	assert_int_equal(buffer.length, strlen(text));
	assert_memory_equal(buffer.data, text, buffer.length);
}

FIXTURE(setup, teardown)

TEST(test_a_document_is_written)
{
	json_open_object(writer);
	json_put_string(writer, "jsonrpc", "2.0");
	json_key(writer, "id");
	json_write_raw(writer, "-12.50e+1", 9);
	json_key(writer, "result");
	json_open_object(writer);
	json_put_boolean(writer, "yes", true);
	json_put_boolean(writer, "no", false);
	json_key(writer, "none");
	json_write_null(writer);
	json_key(writer, "list");
	json_open_array(writer);
	json_write_integer(writer, 1);
	json_write_string(writer, "a key?");
	json_open_object(writer);
	json_close_object(writer);
	json_open_array(writer);
	json_close_array(writer);
	json_write_raw(writer, "{\"raw\":[1, 2]}", 14);
	json_write_raw(writer, "[]", 2);
	json_close_array(writer);
	json_put_integer(writer, "after", 7);
	json_close_object(writer);
	json_close_object(writer);
	expect("{\"jsonrpc\":\"2.0\",\"id\":-12.50e+1,\"result\":{\"yes\":true,\"no\":false,\"none\":null,\"list\":[1,\"a "
	       "key?\",{},[],{\"raw\":[1, 2]},[]],\"after\":7}}");
}

TEST(test_integers_are_written_in_full)
{
	json_open_array(writer);
	json_write_integer(writer, INT64_MIN);
	json_write_integer(writer, 0);
	json_write_integer(writer, INT64_MAX);
	json_close_array(writer);
	expect("[-9223372036854775808,0,9223372036854775807]");
}

TEST(test_strings_are_escaped)
{
	json_open_array(writer);
	json_write_string(writer, "");
	json_write_string(writer, "\"\\/\b\f\n\r\t\x01\x1f\x7f");
	json_write_string(writer, "\xe2\x82\xac\xf0\x9f\x98\x80");
	json_write_text(writer, "cut here", 3);
	json_write_text(writer, "a\0b", 3);
	json_close_array(writer);
	expect("[\"\",\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\","
	       "\"\xe2\x82\xac\xf0\x9f\x98\x80\",\"cut\",\"a\\u0000b\"]");
}

TEST(test_key_is_escaped)
{
	json_open_object(writer);
	json_put_integer(writer, "a\"b\n", 1);
	json_close_object(writer);
	expect("{\"a\\\"b\\n\":1}");
}

TEST(test_a_document_may_be_a_scalar)
{
	json_write_boolean(writer, true);
	expect("true");
}

TEST(test_it_appends_to_the_buffer)
{
	buffer_append_text(&buffer, "data: ");
	json_write_integer(writer, 5);
	expect("data: 5");
	writer = json_writer_new(&buffer);
	buffer_append_text(&buffer, "\n");
	json_write_null(writer);
	expect("data: 5\nnull");
}

TEST(test_the_deepest_nesting_is_allowed)
{
	int at;

	for (at = 0; at < 64; at++)
		json_open_array(writer);
	for (at = 0; at < 64; at++)
		json_close_array(writer);
	json_writer_free(writer);
	assert_int_equal(buffer.length, 128);
}

TEST(test_failed_buffer_is_no_misuse)
{
	json_open_object(writer);
	buffer.failed = true;
	json_put_string(writer, "key", "value");
	json_close_object(writer);
	json_writer_free(writer);
	assert_true(buffer.failed);
	assert_int_equal(buffer.length, 1);
}

static void value_without_key(void)
{
	json_open_object(writer);
	json_write_integer(writer, 1);
}

static void string_without_key(void)
{
	json_open_object(writer);
	json_write_string(writer, "no key");
}

static void object_without_key(void)
{
	json_open_object(writer);
	json_open_object(writer);
}

static void raw_without_key(void)
{
	json_open_object(writer);
	json_write_raw(writer, "1", 1);
}

static void key_twice(void)
{
	json_open_object(writer);
	json_key(writer, "a");
	json_key(writer, "b");
}

static void key_without_value(void)
{
	json_open_object(writer);
	json_key(writer, "a");
	json_close_object(writer);
}

static void key_in_array(void)
{
	json_open_array(writer);
	json_key(writer, "a");
}

static void key_outside(void)
{
	json_key(writer, "a");
}

static void wrong_bracket(void)
{
	json_open_array(writer);
	json_close_object(writer);
}

static void other_wrong_bracket(void)
{
	json_open_object(writer);
	json_close_array(writer);
}

static void bracket_without_opening(void)
{
	json_close_array(writer);
}

static void second_document(void)
{
	json_write_integer(writer, 1);
	json_write_integer(writer, 2);
}

static void second_object(void)
{
	json_open_object(writer);
	json_close_object(writer);
	json_open_object(writer);
}

static void left_open(void)
{
	json_open_object(writer);
	json_writer_free(writer);
}

static void nothing_written(void)
{
	json_writer_free(writer);
}

static void too_deep(void)
{
	int at;

	for (at = 0; at < 65; at++)
		json_open_array(writer);
}

static bool aborts(void (*misuse)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		signal(SIGABRT, SIG_DFL); /* cmocka's handler would go on */
		close(STDERR_FILENO);
		misuse();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST(test_misuse_asserts)
{
	static void (*const misuses[])(void) = {
		value_without_key,
		string_without_key,
		object_without_key,
		raw_without_key,
		key_twice,
		key_without_value,
		key_in_array,
		key_outside,
		wrong_bracket,
		other_wrong_bracket,
		bracket_without_opening,
		second_document,
		second_object,
		left_open,
		nothing_written,
		too_deep,
	};
	size_t at;

	for (at = 0; at < sizeof(misuses) / sizeof(misuses[0]); at++) {
		if (!aborts(misuses[at]))
			fail_msg("misuse %zu", at);
	}
	json_write_null(writer);
	json_writer_free(writer);
	json_writer_free(NULL);
}
