/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forms: how each revision writes them, and which answers fit. */
#include <string.h>
#include "unit_test.h"

#include "base/json_reader.h"
#include "mcp/elicitation.h"

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct arena *arena;

static int set_up(void **state)
{
	arena = arena_new(1024 * 1024);
	return arena ? 0 : -1;
}

static int tear_down(void **state)
{
	arena_free(arena);
	return 0;
}

static const struct json *parse(const char *text)
{
	const struct json *root = NULL;

	assert_int_equal(json_reader_read(arena, text, strlen(text), &root), 0);
	return root;
}

static const struct form_choice colours[] = { { "r", "Red" },
					      { "g", "Green" },
					      { NULL } };
static const struct form_field fields[] = {
	{ "colour", SCHEMA_STRING, true, "Colour", .choices = colours },
	{ "count", SCHEMA_INTEGER, false, "Count" },
	{ "sure", SCHEMA_BOOLEAN, false, "Sure" },
	{ "note", SCHEMA_STRING, false, "Note" },
	{ NULL },
};

static void expect_written(const struct form_field *form, enum form_style kind,
			   const char *expected)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	form_write(writer, form, kind);
	json_writer_free(writer);
	buffer_append(&text, "", 1);
	assert_string_equal(text.data, expected);
	buffer_deinit(&text);
}

TEST(test_each_revision_writes_forms_its_way)
{
#define REST                                                    \
	"\"count\":{\"type\":\"integer\",\"title\":\"Count\"}," \
	"\"sure\":{\"type\":\"boolean\",\"title\":\"Sure\"},"   \
	"\"note\":{\"type\":\"string\",\"title\":\"Note\","     \
	"\"maxLength\":1000}},\"required\":[\"colour\"]}"
#define START                                               \
	"{\"type\":\"object\",\"properties\":{\"colour\":{" \
	"\"type\":\"string\",\"title\":\"Colour\","
	expect_written(fields, FORM_STYLE_TITLES,
		       START "\"oneOf\":[{\"const\":\"r\",\"title\":\"Red\"},"
			     "{\"const\":\"g\",\"title\":\"Green\"}]}," REST);
	expect_written(fields, FORM_STYLE_ENUM_NAMES,
		       START
		       "\"enum\":[\"r\",\"g\"],\"enumNames\":[\"Red\",\"Green\"]}," REST);
}

struct fit {
	const char *content;
	bool fits;
};

static void expect_fits(const struct form_field *form, const struct fit *fit)
{
	for (; fit->content; fit++) {
		const struct json *read = form_read(form, parse(fit->content), arena);

		if (!read == fit->fits)
			fail_msg("%s", fit->content);
		assert_null(json_member(read, "more"));
	}
}

TEST(test_only_fitting_answers_are_read)
{
	static const struct fit cases[] = {
		{ "{\"colour\":\"r\"}", true },
		{ "{\"colour\":\"g\",\"count\":5,\"sure\":false,\"note\":\"äöü\"}",
		  true },
		{ "{\"colour\":\"r\",\"more\":{\"x\":[]}}", true },
		{ "{\"colour\":\"r\",\"count\":3.0}", true },
		{ "{}", false },
		{ "[]", false },
		{ "5", false },
		{ "{\"colour\":\"Red\"}", false },
		{ "{\"colour\":null}", false },
		{ "{\"colour\":[\"r\"]}", false },
		{ "{\"colour\":\"r\",\"count\":2.5}", false },
		{ "{\"colour\":\"r\",\"count\":\"2\"}", false },
		{ "{\"colour\":\"r\",\"sure\":1}", false },
		{ "{\"colour\":\"r\",\"sure\":null}", false },
		{ NULL },
	};

	expect_fits(fields, cases);
	assert_null(form_read(fields, NULL, arena));
}

#define NOTE "{\"colour\":\"r\",\"note\":\"%s%s\"}"

TEST(test_a_text_has_at_most_1000_characters)
{
	char text[2 * FORM_TEXT_MAX + 1] = "";

	for (int i = 0; i < FORM_TEXT_MAX; i++)
		memcpy(text + 2 * i, "ä", sizeof("ä"));
	assert_non_null(
		form_read(fields, parse(arena_printf(arena, NOTE, text, "")), arena));
	assert_null(
		form_read(fields, parse(arena_printf(arena, NOTE, text, "x")), arena));
}

/* Fields of SEP-1034 and SEP-1330 */

static const struct form_choice plain[] = { { "a" }, { "b" }, { NULL } };
static const struct form_choice titled[] = {
	{ "r", "Red" }, { "g", "Green" }, { "b", "Blue" }, { NULL }
};
static const struct form_field presets[] = {
	{ "name", SCHEMA_STRING, .title = "N", .preset = "a \"b\"" },
	{ "age", SCHEMA_INTEGER, .title = "A", .preset = "30" },
	{ "score", SCHEMA_NUMBER, .title = "S", .preset = "0.5" },
	{ "sure", SCHEMA_BOOLEAN, .title = "B", .preset = "false" },
	{ "one", SCHEMA_STRING, .title = "O", .choices = plain, .preset = "b" },
	{ "many", SCHEMA_ARRAY, .title = "M", .choices = titled },
	{ NULL },
};
static const struct form_field variants[] = {
	{ "named", SCHEMA_STRING, .title = "N", .choices = colours, .is_named = true },
	{ "plain", SCHEMA_ARRAY, .title = "P", .choices = plain },
	{ NULL },
};

TEST(test_defaults_are_written_with_the_form)
{
	struct form_field old[ARRAY_LENGTH(presets)];

	expect_written(
		presets, FORM_STYLE_TITLES,
		"{\"type\":\"object\",\"properties\":{"
		"\"name\":{\"type\":\"string\",\"title\":\"N\",\"maxLength\":1000,"
		"\"default\":\"a \\\"b\\\"\"},"
		"\"age\":{\"type\":\"integer\",\"title\":\"A\",\"default\":30},"
		"\"score\":{\"type\":\"number\",\"title\":\"S\",\"default\":0.5},"
		"\"sure\":{\"type\":\"boolean\",\"title\":\"B\",\"default\":false},"
		"\"one\":{\"type\":\"string\",\"title\":\"O\",\"enum\":[\"a\",\"b\"],"
		"\"default\":\"b\"},"
		"\"many\":{\"type\":\"array\",\"title\":\"M\",\"items\":{\"anyOf\":["
		"{\"const\":\"r\",\"title\":\"Red\"},"
		"{\"const\":\"g\",\"title\":\"Green\"},"
		"{\"const\":\"b\",\"title\":\"Blue\"}]}}},\"required\":[]}");
	memcpy(old, presets, sizeof(old));
	old[1] = presets[3];
	old[2] = presets[4];
	old[3].name = NULL;
	expect_written(
		old, FORM_STYLE_ENUM_NAMES,
		"{\"type\":\"object\",\"properties\":{"
		"\"name\":{\"type\":\"string\",\"title\":\"N\",\"maxLength\":1000},"
		"\"sure\":{\"type\":\"boolean\",\"title\":\"B\"},"
		"\"one\":{\"type\":\"string\",\"title\":\"O\","
		"\"enum\":[\"a\",\"b\"]}},\"required\":[]}");
}

TEST(test_each_kind_of_choice_is_written)
{
	expect_written(
		variants, FORM_STYLE_TITLES,
		"{\"type\":\"object\",\"properties\":{\"named\":{\"type\":\"string\",\"title\":\"N\",\"enum\":[\"r\",\"g\"],\"enumNames\":[\"Red\",\"Green\"]},\"plain\":{\"type\":\"array\",\"title\":\"P\",\"items\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}}},\"required\":[]}");
}

TEST(test_numbers_and_choices_are_checked)
{
	static const struct fit cases[] = {
		{ "{}", true }, /* a default is not an answer */
		{ "{\"score\":1.25,\"many\":[\"b\",\"g\"],\"one\":\"a\"}", true },
		{ "{\"score\":-1}", true },
		{ "{\"score\":2e0}", true },
		{ "{\"score\":-1e999}", false },
		{ "{\"score\":\"1\"}", false },
		{ "{\"age\":-9223372036854775808}", true },
		{ "{\"age\":9223372036854775808}", false },
		{ "{\"one\":[\"a\"]}", false },
		{ "{\"many\":\"r\"}", false },
		{ "{\"many\":[]}", true },
		{ "{\"many\":[\"Red\"]}", false },
		{ "{\"many\":[1]}", false },
		{ "{\"many\":[[\"r\"]]}", false },
		{ "{\"many\":{\"r\":true}}", false },
		{ NULL },
	};
	const struct json *read;

	expect_fits(presets, cases);
	read = form_read(presets, parse("{\"many\":[\"b\",\"r\"]}"), arena);
	read = json_member(read, "many");
	assert_int_equal(read->count, 2);
	assert_string_equal(read->first->text, "b");
	assert_string_equal(read->first->next->text, "r");
	assert_null(read->first->next->next);
}

GROUP_FIXTURE(set_up, tear_down)
