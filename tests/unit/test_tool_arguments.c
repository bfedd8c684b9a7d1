/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of tools: what counts as not given, what is ignored, and what is misspelt. */
#include <stdio.h>
#include <string.h>
#include "unit_test.h"

#include "base/json_reader.h"
#include "mcp/tool_arguments.h"

enum { ARENA_BYTES = 64 * 1024 };

static const struct schema_field fields[] = {
	{ "to_phone_number", SCHEMA_STRING, true, "Recipient", 1, 30 },
	{ "sms_text", SCHEMA_STRING, true, "Text", .tool_checks_absence = true },
	{ "subscription_id", SCHEMA_INTEGER, false, "SIM" },
	{ "wait_seconds", SCHEMA_INTEGER, false, "Wait", 0, 60 },
	{ "limit", SCHEMA_INTEGER, false, "Most", 1, 100 },
	{ "cursor", SCHEMA_STRING, false, "Page", 1, 99,
	  .other_names = "page after next_page" },
	{ "call_id", SCHEMA_INTEGER, false, "Call" },
	{ "dry_run", SCHEMA_BOOLEAN, false, "Only look" },
	{ "secret_part", SCHEMA_STRING, false, "Of a hub", .scopes = 1 },
	{ 0 },
};

static const struct {
	const char *given, *read, *ignored; /* `read`: a JSON object, else the problem */
} cases[] = {
	{ "{\"to_phone_number\":\"1\"}", "{\"to_phone_number\":\"1\"}", NULL },
	/* not given */
	{ "{\"to_phone_number\":\"1\",\"cursor\":null,\"limit\":null,\"dry_run\":null}",
	  "{\"to_phone_number\":\"1\"}", NULL },
	{ "{\"to_phone_number\":\"1\",\"cursor\":\"\",\"sms_text\":\"\"}",
	  "{\"sms_text\":\"\",\"to_phone_number\":\"1\"}", NULL },
	{ "{\"to_phone_number\":null}", "to_phone_number is missing", NULL },
	{ "{\"to_phone_number\":\"\"}",
	  "to_phone_number must have 1 to 30 characters, not 0", NULL },
	/* 0 */
	{ "{\"to_phone_number\":\"1\",\"subscription_id\":0}",
	  "subscription_id can't be 0; leave it out", NULL },
	{ "{\"to_phone_number\":\"1\",\"limit\":0}", "limit can't be 0; leave it out",
	  NULL },
	{ "{\"to_phone_number\":\"1\",\"wait_seconds\":0}",
	  "{\"to_phone_number\":\"1\",\"wait_seconds\":0}", NULL },
	/* of the host */
	{ "{\"toolCallId\":\"x\",\"to_phone_number\":\"1\",\"call_id\":3,\"sessionId\":{},\"action\":\"send\",\"chatInput\":null,\"user_context\":[],\"random_string\":\"\"}",
	  "{\"call_id\":3,\"to_phone_number\":\"1\"}",
	  "[\"toolCallId\",\"sessionId\",\"action\",\"chatInput\",\"user_context\","
	  "\"random_string\"]" },
	{ "{\"to_phone_number\":\"1\",\"x\\u001b[2J\":1}", "{\"to_phone_number\":\"1\"}",
	  "[\"x\\\\u{1B}[2J\"]" },
	/* misspelt */
	{ "{\"phone_number\":\"1\"}",
	  "unknown parameter \"phone_number\"; use \"to_phone_number\"", NULL },
	{ "{\"toPhoneNumber\":\"1\"}",
	  "unknown parameter \"toPhoneNumber\"; use \"to_phone_number\"", NULL },
	{ "{\"to_phone_number\":\"1\",\"text\":\"x\"}",
	  "unknown parameter \"text\"; use \"sms_text\"", NULL },
	{ "{\"to_phone_number\":\"1\",\"dry-run\":true}",
	  "unknown parameter \"dry-run\"; use \"dry_run\"", NULL },
	{ "{\"to_phone_number\":\"1\",\"curser\":\"x\"}",
	  "unknown parameter \"curser\"; use \"cursor\"", NULL },
	/* several: all of them are reported */
	{ "{\"text\":\"x\",\"phone_number\":\"1\",\"limit\":0,\"secret_part\":1}",
	  "unknown parameter \"text\"; use \"sms_text\", and unknown parameter "
	  "\"phone_number\"; use \"to_phone_number\", and limit can't be 0; leave it out, "
	  "and unknown parameter \"secret_part\"",
	  NULL },
	{ "{\"text\":\"x\",\"action\":1,\"phone_number\":\"1\"}",
	  "unknown parameter \"text\"; use \"sms_text\", and unknown parameter "
	  "\"phone_number\"; use \"to_phone_number\"",
	  "[\"action\"]" },
	/* "" where it can mean nothing else */
	{ "{\"to_phone_number\":\"1\",\"subscription_id\":\"\"}",
	  "{\"to_phone_number\":\"1\"}", NULL },
	/* called by another name */
	{ "{\"to_phone_number\":\"1\",\"nextPage\":\"x\"}",
	  "unknown parameter \"nextPage\"; use \"cursor\"", NULL },
	{ "{\"to_phone_number\":\"1\",\"after\":\"x\"}",
	  "unknown parameter \"after\"; use \"cursor\"", NULL },
	{ "{\"to_phone_number\":\"1\",\"after\":\"x\",\"cursor\":\"y\"}",
	  "{\"cursor\":\"y\",\"to_phone_number\":\"1\"}", "[\"after\"]" },
	/* beside the right one it is the host's */
	{ "{\"to_phone_number\":\"1\",\"phone_number\":\"2\"}",
	  "{\"to_phone_number\":\"1\"}", "[\"phone_number\"]" },
	/* not for this client */
	{ "{\"to_phone_number\":\"1\",\"secret_part\":\"x\"}",
	  "unknown parameter \"secret_part\"", NULL },
	{ "[]", "must be an object", NULL },
};

static void assert_canonical(const struct json *value, const char *expected)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	json_write_canonical(writer, value);
	json_writer_free(writer);
	buffer_append(&text, "", 1);
	assert_string_equal(text.data, expected);
	buffer_deinit(&text);
}

static void check_case(size_t at)
{
	struct arena *arena = arena_new(ARENA_BYTES);
	struct tool_arguments arguments;
	const struct json *given = NULL;
	const char *problem;

	assert_int_equal(
		json_reader_read(arena, cases[at].given, strlen(cases[at].given), &given),
		0);
	problem = tool_arguments_read(fields, 0, given, arena, &arguments);
	if (problem || *cases[at].read != '{')
		assert_string_equal(problem ? problem : "it fits", cases[at].read);
	else
		assert_canonical(arguments.object, cases[at].read);
	if (!cases[at].ignored)
		assert_null(arguments.ignored);
	else
		assert_canonical(arguments.ignored, cases[at].ignored);
	arena_free(arena);
}

TEST(test_each_kind_of_argument_is_read_as_it_is_meant)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_case(i);
}

TEST(test_absent_arguments_fit_like_an_empty_object)
{
	struct arena *arena = arena_new(ARENA_BYTES);
	struct tool_arguments arguments;

	assert_string_equal(tool_arguments_read(fields, 0, NULL, arena, &arguments),
			    "to_phone_number is missing");
	assert_null(tool_arguments_read(fields + 2, 0, NULL, arena, &arguments));
	assert_null(arguments.object);
	arena_free(arena);
}

/* No more names are repeated than an answer has room for, and long ones are no parameters. */
TEST(test_hostile_names_cost_little)
{
	struct arena *arena = arena_new(4 * 1024 * 1024);
	struct buffer text = BUFFER_INIT;
	struct tool_arguments arguments;
	const struct json *given = NULL;
	char name[40];

	buffer_append_text(&text, "{\"to_phone_number\":\"1\"");
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), ",\"zz%dQx_9%d\":%d", i, i, i);
		buffer_append_text(&text, name);
	}
	buffer_append_text(&text, ",\"");
	for (int i = 0; i < 1000; i++)
		buffer_append_text(&text, "to_phone_number_");
	buffer_append_text(&text, "\":1}");
	assert_int_equal(json_reader_read(arena, text.data, text.length, &given), 0);
	assert_null(tool_arguments_read(fields, 0, given, arena, &arguments));
	assert_int_equal(arguments.ignored->count, 16);
	assert_int_equal(arguments.object->count, 1);
	buffer_deinit(&text);
	arena_free(arena);
}
