/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

TEST(test_it_grows_and_keeps_its_content)
{
	struct buffer buffer = BUFFER_INIT;
	size_t at;

	for (at = 0; at < 10000; at++) {
		char byte = (char)(at * 31);

		buffer_append(&buffer, &byte, 1);
	}
	buffer_append_text(&buffer, "end");
	assert_false(buffer.failed);
	assert_int_equal(buffer.length, 10003);
	for (at = 0; at < 10000; at++)
		assert_int_equal(buffer.data[at], (char)(at * 31));
	assert_memory_equal(buffer.data + 10000, "end", 3);
	buffer_deinit(&buffer);
	assert_null(buffer.data);
}

TEST(test_clear_keeps_the_memory)
{
	struct buffer buffer = BUFFER_INIT;
	char *data;

	buffer_append_text(&buffer, "first");
	data = buffer.data;
	buffer_clear(&buffer);
	assert_int_equal(buffer.length, 0);
	buffer_append_text(&buffer, "second");
	assert_ptr_equal(buffer.data, data);
	assert_memory_equal(buffer.data, "second", 6);
	buffer_deinit(&buffer);
}

TEST(test_take_empties_the_buffer)
{
	struct buffer buffer = BUFFER_INIT;
	size_t length = 99;
	char *data;

	data = buffer_take(&buffer, &length);
	assert_non_null(data); /* empty is not an error */
	assert_int_equal(length, 0);
	free(data);
	buffer_append_text(&buffer, "taken");
	data = buffer_take(&buffer, &length);
	assert_int_equal(length, 5);
	assert_memory_equal(data, "taken", 5);
	assert_null(buffer.data);
	assert_int_equal(buffer.length, 0);
	free(data);
}

TEST(test_an_empty_append_changes_nothing)
{
	struct buffer buffer = BUFFER_INIT;

	buffer_append(&buffer, NULL, 0);
	buffer_append_text(&buffer, "");
	assert_null(buffer.data);
	assert_false(buffer.failed);
}

/* A length that no memory can hold fails before a byte of `data` is read. */
TEST(test_failure_is_sticky)
{
	struct buffer buffer = BUFFER_INIT;
	size_t length = 99;

	buffer_append_text(&buffer, "kept");
	buffer_append(&buffer, "x", SIZE_MAX - 2);
	assert_true(buffer.failed);
	buffer_append_text(&buffer, "more");
	assert_int_equal(buffer.length, 4);
	assert_true(buffer.failed);
	assert_null(buffer_take(&buffer, &length));
	assert_int_equal(length, 99);
	assert_null(buffer.data);
	assert_false(buffer.failed);
}

TEST(test_clear_resets_a_failure)
{
	struct buffer buffer = BUFFER_INIT;

	buffer_append(&buffer, "x", SIZE_MAX);
	assert_true(buffer.failed);
	buffer_clear(&buffer);
	buffer_append_text(&buffer, "again");
	assert_false(buffer.failed);
	assert_int_equal(buffer.length, 5);
	buffer_deinit(&buffer);
}

/* Only the place that it had before can be looked at: nobody else has it yet. */
TEST(test_a_secret_is_cleared)
{
	struct buffer buffer = { .secret = true };
	const char *token = "0123456789";

	for (int i = 0; i < 200; i++)
		buffer_append_text(&buffer, token);
	assert_int_equal(buffer.length, 2000);
	assert_memory_equal(buffer.data + 1990, token, 10);
	buffer_clear(&buffer);
	for (size_t i = 0; i < buffer.capacity; i++)
		assert_int_equal(buffer.data[i], 0);
	assert_true(buffer.secret);
	buffer_deinit(&buffer);
}
