/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schemas: what is advertised, and the words of each refusal. */
#include <string.h>
#include "unit_test.h"

#include "base/json_reader.h"
#include "mcp/schema.h"

static const char *const colours[] = { "red", "green", NULL };

static const struct schema_field inner[] = {
	{ "depth", SCHEMA_INTEGER, true, "How deep" },
	{ 0 },
};

static const struct schema_field fields[] = {
	{ "name", SCHEMA_STRING, true, "A name", 2, 4 },
	{ "count", SCHEMA_INTEGER, false, "A count", -1, 9 },
	{ "free", SCHEMA_INTEGER, false, NULL },
	{ "flag", SCHEMA_BOOLEAN, false, "A flag" },
	{ "colour", SCHEMA_STRING, false, "A colour", .words = colours },
	{ "ids", SCHEMA_ARRAY, false, "Numbers", 1, 9, .items = SCHEMA_INTEGER },
	{ "words", SCHEMA_ARRAY, false, "Words", .words = colours },
	{ 0 },
};

static const struct {
	const char *json;
	const char *problem; /* NULL: fits */
} cases[] = {
	{ "{\"name\":\"ab\"}", NULL },
	{ "{\"name\":\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"}", NULL }, /* four characters */
	{ "{\"name\":\"ab\",\"count\":9}", NULL },
	{ "{\"name\":\"ab\",\"count\":9.0}", NULL },
	{ "{\"name\":\"ab\",\"count\":-1}", NULL },
	{ "{\"name\":\"ab\",\"free\":-1000000}", NULL },
	{ "{\"name\":\"ab\",\"flag\":true}", NULL },
	{ "{\"name\":\"ab\",\"colour\":\"green\"}", NULL },
	{ "{\"name\":\"ab\",\"ids\":[]}", NULL },
	{ "{\"name\":\"ab\",\"ids\":[1,9.0,3]}", NULL },
	{ "{\"name\":\"ab\",\"words\":[\"red\",\"red\"]}", NULL },
	{ "{}", "name is missing" },
	{ "[]", "must be an object" },
	{ "{\"name\":\"a\"}", "name must have 2 to 4 characters, not 1" },
	{ "{\"name\":\"abcde\"}", "name must have 2 to 4 characters, not 5" },
	{ "{\"name\":12}", "name must be a string (in quotes), not a number" },
	{ "{\"name\":null}", "name must be a string (in quotes), not null" },
	{ "{\"name\":\"ab\",\"count\":10}", "count must be from -1 to 9" },
	{ "{\"name\":\"ab\",\"count\":1.5}",
	  "count must be a whole number of 64 bits at most" },
	{ "{\"name\":\"ab\",\"count\":1e999}",
	  "count must be a whole number of 64 bits at most" },
	{ "{\"name\":\"ab\",\"count\":\"1\"}",
	  "count must be an integer (without quotes), not a string" },
	{ "{\"name\":\"ab\",\"flag\":1}", "flag must be true or false, not a number" },
	{ "{\"name\":\"ab\",\"colour\":\"blue\"}", "colour must be one of: red, green" },
	{ "{\"name\":\"ab\",\"ids\":{}}", "ids must be an array, not an object" },
	{ "{\"name\":\"ab\",\"ids\":7}", "ids must be an array, not a number" },
	{ "{\"name\":\"ab\",\"ids\":[1,\"2\"]}",
	  "ids[1] must be an integer (without quotes), not a string" },
	{ "{\"name\":\"ab\",\"ids\":[[1]]}",
	  "ids[0] must be an integer (without quotes), not an array" },
	{ "{\"name\":\"ab\",\"ids\":[1,2,10]}", "ids[2] must be from 1 to 9" },
	{ "{\"name\":\"ab\",\"words\":[\"green\",\"blue\"]}",
	  "words[1] must be one of: red, green" },
	{ "{\"name\":\"ab\",\"other\":1}",
	  "unknown parameter \"other\"; the parameters are: "
	  "name, count, free, flag, colour, ids, words" },
};

static const struct json *read(struct arena *arena, const char *text)
{
	const struct json *root = NULL;

	assert_int_equal(json_reader_read(arena, text, strlen(text), &root), 0);
	return root;
}

TEST(test_arguments_are_checked)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *arena = arena_new(1 << 16);
		const char *problem =
			schema_check(fields, 0, read(arena, cases[i].json), arena);

		if (cases[i].problem)
			assert_string_equal(problem, cases[i].problem);
		else
			assert_null(problem);
		arena_free(arena);
	}
}

TEST(test_an_absent_object_counts_as_empty)
{
	struct arena *arena = arena_new(1 << 16);

	assert_string_equal(schema_check(fields, 0, NULL, arena), "name is missing");
	assert_null(schema_check(inner + 1, 0, NULL, arena));
	arena_free(arena);
}

static void expect_written(const struct schema_field *table, enum schema_kind kind,
			   const char *expected)
{
	struct buffer buffer = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&buffer);

	schema_write(writer, table, kind, NULL);
	json_writer_free(writer);
	buffer_append(&buffer, "", 1);
	assert_string_equal(buffer.data, expected);
	buffer_deinit(&buffer);
}

TEST(test_a_schema_is_written)
{
	static const struct schema_field two[] = {
		{ "name", SCHEMA_STRING, true, "A name", 2, 4 },
		{ "list", SCHEMA_ARRAY, false, "A list", .members = inner },
		{ 0 },
	};

	expect_written(inner + 1, SCHEMA_CLOSED,
		       "{\"type\":\"object\",\"properties\":{},\"required\":[],"
		       "\"additionalProperties\":false}");
	expect_written(two, SCHEMA_OPEN,
		       "{\"type\":\"object\",\"properties\":{"
		       "\"name\":{\"type\":\"string\",\"description\":\"A name\","
		       "\"minLength\":2,\"maxLength\":4},"
		       "\"list\":{\"type\":\"array\",\"description\":\"A list\","
		       "\"items\":{\"type\":\"object\",\"properties\":{"
		       "\"depth\":{\"type\":\"integer\",\"description\":\"How deep\"}},"
		       "\"required\":[\"depth\"]}}},\"required\":[\"name\"]}");
}

TEST(test_items_of_arrays_are_written)
{
	static const struct schema_field two[] = {
		{ "ids", SCHEMA_ARRAY, true, "Numbers", 1, 9, .items = SCHEMA_INTEGER },
		{ "words", SCHEMA_ARRAY, false, "Words", .words = colours },
		{ 0 },
	};

	expect_written(two, SCHEMA_CLOSED,
		       "{\"type\":\"object\",\"properties\":{"
		       "\"ids\":{\"type\":\"array\",\"description\":\"Numbers\","
		       "\"items\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}},"
		       "\"words\":{\"type\":\"array\",\"description\":\"Words\","
		       "\"items\":{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}}},"
		       "\"required\":[\"ids\"],\"additionalProperties\":false}");
}
