/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json_reader.h"
#include "base/utf8.h"

enum { PLENTY = 4 << 20 };

/* A document being read, and its outcome. */
struct reading {
	struct arena *arena;
	struct json_reader *reader;
	const struct json *root;
	int result;
};

static struct reading reading_open(size_t limit)
{
	struct reading reading = { .arena = arena_new(limit) };

	reading.reader = json_reader_new(reading.arena);
	assert_non_null(reading.reader);
	return reading;
}

static void reading_finish(struct reading *reading)
{
	reading->result = json_reader_finish(reading->reader, &reading->root);
	json_reader_free(reading->reader); /* the tree lives in the arena */
}

/* Each piece is copied to memory of its own, so that ASan detects a read beyond its end. */
static void feed_copy(struct reading *reading, const char *data, size_t length)
{
	char *copy = malloc(length ? length : 1);

	assert_non_null(copy);
	memcpy(copy, data, length);
	json_reader_feed(reading->reader, copy, length);
	free(copy);
}

static struct reading read_bytes(const char *data, size_t length)
{
	struct reading reading = reading_open(PLENTY);

	feed_copy(&reading, data, length);
	reading_finish(&reading);
	return reading;
}

static struct reading read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void reading_free(struct reading *reading)
{
	arena_free(reading->arena);
}

/* The outcome must not depend on where the document is split. */
static void expect_bytes(const char *data, size_t length, int result)
{
	struct reading reading = read_bytes(data, length);
	size_t at;

	if (reading.result != result)
		fail_msg("%.*s: %d, not %d", (int)length, data, reading.result, result);
	if (result)
		assert_null(reading.root);
	reading_free(&reading);
	for (at = 0; at <= length && length < 200; at++) {
		reading = reading_open(PLENTY);
		feed_copy(&reading, data, at);
		feed_copy(&reading, data + at, length - at);
		reading_finish(&reading);
		if (reading.result != result)
			fail_msg("%.*s | %.*s: %d, not %d", (int)at, data,
				 (int)(length - at), data + at, reading.result, result);
		reading_free(&reading);
	}
}

static void expect(const char *text, int result)
{
	expect_bytes(text, strlen(text), result);
}

/* Writes the tree as text, with every public member. */
static void dump(const struct json *value, struct buffer *out)
{
	char head[64];

	snprintf(head, sizeof(head), "<%d %d %zu %zu ", value->type, value->boolean,
		 value->length, value->count);
	buffer_append_text(out, head);
	buffer_append_text(out, value->name ? value->name : "-");
	buffer_append_text(out, " ");
	buffer_append_text(out, value->text ? value->text : "-");
	json_foreach (child, value)
		dump(child, out);
	buffer_append_text(out, ">");
}

static char *dump_text(const struct json *value)
{
	struct buffer out = BUFFER_INIT;
	size_t length;

	dump(value, &out);
	buffer_append(&out, "", 1);
	return buffer_take(&out, &length);
}

static const char sample[] = " {\"jsonrpc\":\"2.0\", \"id\": -12.50e+1,\n\t\"params\" : "
			     "{\"a\":[1,true,false,null,"
			     "[],{},\"\"], \"t\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\": "
			     "\"\\ud83d\\ude00 \xe2\x82\xac "
			     "\\u20AC\\u0041\", \"\":0}} \r\n";

TEST(test_a_document_becomes_a_tree)
{
	struct reading reading = read_text(sample);
	const struct json *params, *array;
	const struct json *root = reading.root;

	assert_int_equal(reading.result, 0);
	assert_int_equal(root->type, JSON_OBJECT);
	assert_int_equal(root->count, 3);
	assert_null(root->name);
	assert_null(root->text);
	assert_string_equal(json_string(json_member(root, "jsonrpc")), "2.0");
	assert_int_equal(json_member(root, "id")->type, JSON_NUMBER);
	assert_string_equal(json_member(root, "id")->text, "-12.50e+1");
	assert_int_equal(json_member(root, "id")->length, 9);
	params = json_member(root, "params");
	assert_int_equal(params->count, 3);
	assert_string_equal(json_string(json_member(params, "t\xc3\xa9\"\\/\b\f\n\r\t")),
			    "\xf0\x9f\x98\x80 \xe2\x82\xac \xe2\x82\xac"
			    "A");
	assert_string_equal(json_member(params, "")->text, "0");
	array = json_member(params, "a");
	assert_int_equal(array->count, 7);
	assert_true(array->first->next->boolean);
	assert_false(array->first->next->next->boolean);
	assert_int_equal(array->first->next->next->next->type, JSON_NULL);
	reading_free(&reading);
}

TEST(test_every_split_gives_the_same_tree)
{
	struct reading whole = read_text(sample);
	char *expected = dump_text(whole.root);
	size_t length = strlen(sample);
	size_t at, behind;

	for (at = 0; at <= length; at++) {
		for (behind = at; behind <= length; behind++) {
			struct reading split = reading_open(PLENTY);
			char *text;

			feed_copy(&split, sample, at);
			feed_copy(&split, sample + at, behind - at);
			feed_copy(&split, sample + behind, length - behind);
			reading_finish(&split);
			assert_int_equal(split.result, 0);
			text = dump_text(split.root);
			assert_string_equal(text, expected);
			free(text);
			reading_free(&split);
		}
	}
	free(expected);
	reading_free(&whole);
}

TEST(test_a_document_may_arrive_byte_by_byte)
{
	struct reading whole = read_text(sample);
	struct reading bytes = reading_open(PLENTY);
	char *expected = dump_text(whole.root);
	char *text;
	size_t at;

	for (at = 0; at < strlen(sample); at++)
		feed_copy(&bytes, sample + at, 1);
	reading_finish(&bytes);
	assert_int_equal(bytes.result, 0);
	text = dump_text(bytes.root);
	assert_string_equal(text, expected);
	free(text);
	free(expected);
	reading_free(&whole);
	reading_free(&bytes);
}

TEST(test_valid_documents_are_accepted)
{
	static const char *const texts[] = {
		"0",	"-0",	      "1.5E-7",	     "true",	 "null",
		"\"\"", "[]",	      "{}",	     " [ ] ",	 "\t1\n",
		"[[]]", "{\"a\":{}}", "\"\\u0001\"", "\"\x7f\"", "\"/\"",
	};
	size_t at;

	for (at = 0; at < sizeof(texts) / sizeof(texts[0]); at++)
		expect(texts[at], 0);
}

TEST(test_bad_syntax_is_refused)
{
	static const char *const texts[] = {
		"",
		" ",
		"\n",
		"[",
		"]",
		"{",
		"}",
		"[1",
		"[1,",
		"[1,]",
		"[,1]",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{\"a\":1,",
		"{\"a\":1,}",
		"{a:1}",
		"{1:1}",
		"{\"a\" 1}",
		"[1 2]",
		"\"",
		"\"a",
		"\"\\",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u12g4\"",
		"tru",
		"truex",
		"nul",
		"True",
		"NaN",
		"Infinity",
		"-",
		"+1",
		"01",
		"1.",
		".5",
		"1e",
		"1e+",
		"0x10",
		"'a'",
		"1 2",
		"{}{}",
		"[][]",
		"{} x",
		"[] ]",
		"true false",
		"[1}",
		"{]",
		"// c\n1",
		"/* c */1",
		"1 /* c */",
		"[1,/**/2]",
		"\"a\nb\"",
		"\"a\tb\"",
		"\v{}",
		"{\f}",
		"[1,\v2]",
		"{\"a\"\f:1}",
		"1\v",
		"\"a\"\f",
		"\"a\vb\"",
		"\\",
		"[\\ud800]",
		"\\u0041",
		"\xef\xbb\xbf{}",
		"\xef\xbb\xbf",
		"\xff\xfe",
		"\xc2\xa0{}",
		"{}\xc2\xa0",
	};
	size_t at;

	for (at = 0; at < sizeof(texts) / sizeof(texts[0]); at++)
		expect(texts[at], JSON_E_SYNTAX);
}

TEST(test_a_nul_outside_strings_is_refused)
{
	expect_bytes("\0", 1, JSON_E_SYNTAX);
	expect_bytes("{}\0", 3, JSON_E_SYNTAX);
	expect_bytes("\"a\0b\"", 5, JSON_E_SYNTAX);
	expect_bytes("1\0", 2, JSON_E_SYNTAX);
}

/* libdbus would abort the process on any of these. */
TEST(test_bad_utf_8_is_refused)
{
	static const char *const texts[] = {
		"\\udc00",
		"\\ud800",
		"\\ud800x",
		"x\\uDBFFy",
		"\\ud800\\n",
		"\\ud800\\u0041",
		"\\ud800\\ud800",
		"\\udc00\\ud800",
		"\\ud83d\\ude00\\ude00",
		"\\ud83d\\ude00\\ud83d",
		"\xc0\xaf",
		"\xc0\x80",
		"\xe0\x80\xaf",
		"\xf0\x80\x80\xaf",
		"\xed\xa0\x80",
		"\xed\xb0\x80",
		"\xed\xa0\xbd\xed\xb8\x80",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\x80",
		"\xbf",
		"\xc2",
		"\xe2\x82",
		"\xf0\x9f\x98",
		"\xff",
		"\xc2x",
		"\xe2\x82x",
		"\\n\xc2",
		"\xc2\\n",
		"\xfc\x80\x80\x80\x80\x80",
	};
	size_t at;

	for (at = 0; at < sizeof(texts) / sizeof(texts[0]); at++) {
		char text[64];

		snprintf(text, sizeof(text), "\"%s\"", texts[at]);
		expect(text, JSON_E_TEXT);
		snprintf(text, sizeof(text), "{\"%s\":1}", texts[at]);
		expect(text, JSON_E_TEXT);
		snprintf(text, sizeof(text), "[1,{\"k\":\"%s\"}]", texts[at]);
		expect(text, JSON_E_TEXT);
	}
}

/* Reading continues, and an error in the rest is reported instead. */
TEST(test_an_escaped_nul_is_reported_at_the_end)
{
	struct reading reading = read_text(
		"{\"id\":7,\"a\":\"\\u0000\",\"b\":[\"x\\u0000y\",\"z\"],\"c\\u0000\":1}");
	const struct json *list;

	assert_int_equal(reading.result, JSON_E_NUL);
	assert_string_equal(json_member(reading.root, "id")->text, "7");
	assert_int_equal(json_member(reading.root, "a")->type, JSON_NULL);
	list = json_member(reading.root, "b");
	assert_int_equal(list->first->type, JSON_NULL);
	assert_string_equal(list->first->next->text, "z");
	assert_null(json_member(reading.root, "c"));
	reading_free(&reading);
	expect("{\"a\\u0000\":1", JSON_E_SYNTAX);
	expect("[\"\\u0000\",\"\\udc00\"]", JSON_E_TEXT);
	expect("[\"\\u0000\",{\"a\":1,\"a\":2}]", JSON_E_DUPLICATE);
	expect("\"\\\\u0000\"", 0);
}

TEST(test_an_escaped_backslash_does_not_start_a_surrogate)
{
	struct reading reading =
		read_text("[\"\\\\ud800\",\"\\\\\\ud83d\\ude00\\\\udc00\"]");

	assert_int_equal(reading.result, 0);
	assert_string_equal(reading.root->first->text, "\\ud800");
	assert_string_equal(reading.root->first->next->text, "\\\xf0\x9f\x98\x80\\udc00");
	reading_free(&reading);
}

/* Each code unit, and a few pairs, is an error or becomes the character that was escaped. */
TEST(test_every_escape_is_decoded)
{
	unsigned int unit;

	for (unit = 0; unit < 0x10000; unit++) {
		bool bad = unit >= 0xd800 && unit <= 0xdfff;
		struct reading reading;
		const char *at;
		char text[16];

		snprintf(text, sizeof(text), "\"\\u%04x\"", unit);
		reading = read_text(text);
		if (reading.result != (bad ? JSON_E_TEXT : unit ? 0 : JSON_E_NUL))
			fail_msg("%s: %d", text, reading.result);
		if (!bad && unit) {
			at = reading.root->text;
			assert_int_equal(utf8_next(&at), unit);
			assert_string_equal(at, "");
		}
		reading_free(&reading);
	}
}

TEST(test_surrogate_pairs_become_one_character)
{
	unsigned int high, low;

	for (high = 0xd800; high < 0xdc00; high += 31) {
		for (low = 0xdc00; low < 0xe000; low += 11) {
			struct reading reading;
			const char *at;
			char text[24];

			snprintf(text, sizeof(text), "\"\\u%04X\\u%04x\"", high, low);
			reading = read_text(text);
			assert_int_equal(reading.result, 0);
			at = reading.root->text;
			assert_int_equal(utf8_next(&at), 0x10000 +
								 ((high - 0xd800) << 10) +
								 (low - 0xdc00));
			assert_string_equal(at, "");
			reading_free(&reading);
		}
	}
}

TEST(test_duplicate_keys_are_refused)
{
	expect("{\"a\":1,\"a\":2}", JSON_E_DUPLICATE);
	expect("{\"a\":1,\"b\":2,\"\\u0061\":[]}", JSON_E_DUPLICATE);
	expect("{\"\":1,\"\":2}", JSON_E_DUPLICATE);
	expect("[{\"x\":{\"a\":1,\"b\":{\"a\":1},\"a\":{}}}]", JSON_E_DUPLICATE);
	expect("{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]},\"b\":{\"a\":1}}", 0);
	expect("{\"a\":1,\"A\":2,\"aa\":3}", 0);
}

static void append_members(struct buffer *text, int count)
{
	int at;

	for (at = 0; at < count; at++) {
		char member[32];

		snprintf(member, sizeof(member), "%s\"%x\":%d", at ? "," : "", at * 7,
			 at);
		buffer_append_text(text, member);
	}
}

TEST(test_an_object_may_have_thousands_of_keys)
{
	struct buffer text = BUFFER_INIT;
	struct reading reading;
	int at = 0;

	buffer_append_text(&text, "{");
	append_members(&text, JSON_VALUES_MAX - 2);
	buffer_append_text(&text, "}");
	reading = read_bytes(text.data, text.length);
	assert_int_equal(reading.result, 0);
	assert_int_equal(reading.root->count, JSON_VALUES_MAX - 2);
	json_foreach (member, reading.root) {
		char name[16];

		snprintf(name, sizeof(name), "%x", at++ * 7);
		assert_string_equal(member->name, name);
	}
	reading_free(&reading);
	text.length--;
	buffer_append_text(&text, ",\"7\":0}"); /* repeats the second key */
	reading = read_bytes(text.data, text.length);
	assert_int_equal(reading.result, JSON_E_DUPLICATE);
	reading_free(&reading);
	buffer_deinit(&text);
}

static struct reading read_nested(int levels, const char *open, const char *close)
{
	struct buffer text = BUFFER_INIT;
	struct reading reading;
	int at;

	for (at = 0; at < levels; at++)
		buffer_append_text(&text, open);
	buffer_append_text(&text, "1");
	for (at = 0; at < levels; at++)
		buffer_append_text(&text, close);
	reading = read_bytes(text.data, text.length);
	buffer_deinit(&text);
	return reading;
}

TEST(test_depth_is_limited)
{
	static const struct {
		int levels;
		int result;
	} cases[] = { { 32, 0 }, { 33, JSON_E_LIMIT }, { 100000, JSON_E_LIMIT } };
	size_t at;

	for (at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
		struct reading reading = read_nested(cases[at].levels, "[", "]");

		assert_int_equal(reading.result, cases[at].result);
		reading_free(&reading);
		reading = read_nested(cases[at].levels, "{\"a\":", "}");
		assert_int_equal(reading.result, cases[at].result);
		reading_free(&reading);
	}
}

static struct reading read_items(int count)
{
	struct buffer text = BUFFER_INIT;
	struct reading reading;
	int at;

	buffer_append_text(&text, "[");
	for (at = 0; at < count; at++)
		buffer_append_text(&text, at ? ",[]" : "1");
	buffer_append_text(&text, "]");
	reading = read_bytes(text.data, text.length);
	buffer_deinit(&text);
	return reading;
}

TEST(test_the_number_of_values_is_limited)
{
	struct reading reading =
		read_items(JSON_VALUES_MAX - 1); /* the array is one more */

	assert_int_equal(reading.result, 0);
	assert_int_equal(reading.root->count, JSON_VALUES_MAX - 1);
	reading_free(&reading);
	reading = read_items(JSON_VALUES_MAX);
	assert_int_equal(reading.result, JSON_E_LIMIT);
	reading_free(&reading);
	reading = read_items(5000);
	assert_int_equal(reading.result, JSON_E_LIMIT);
	reading_free(&reading);
}

/* For every limit of the arena the outcome is the whole tree or JSON_E_LIMIT. */
TEST(test_an_arena_limit_gives_the_whole_tree_or_an_error)
{
	bool whole = false;
	size_t limit;

	for (limit = 0; !whole && limit < 8192; limit += 16) {
		struct reading reading = reading_open(limit);

		feed_copy(&reading, sample, strlen(sample));
		reading_finish(&reading);
		whole = reading.result == 0;
		if (!whole)
			assert_int_equal(reading.result, JSON_E_LIMIT);
		reading_free(&reading);
	}
	assert_true(whole);
	assert_true(limit > 1024);
}

TEST(test_numbers_keep_their_text)
{
	static const char *const texts[] = { "1e999",  "12345678901234567890123",
					     "-0.0",   "1E+0007",
					     "0.1000", "-1e-999999999999" };
	int64_t integer;
	size_t at;

	for (at = 0; at < sizeof(texts) / sizeof(texts[0]); at++) {
		struct reading reading = read_text(texts[at]);

		assert_int_equal(reading.result, 0);
		assert_int_equal(reading.root->type, JSON_NUMBER);
		assert_string_equal(reading.root->text, texts[at]);
		assert_int_equal(reading.root->length, strlen(texts[at]));
		if (at < 2)
			assert_false(json_integer(reading.root, &integer));
		reading_free(&reading);
	}
}

TEST(test_the_first_error_stays)
{
	struct reading reading = reading_open(PLENTY);
	const struct json *root = NULL;

	assert_int_equal(json_reader_feed(reading.reader, "{\"a\":1,", 7), 0);
	assert_int_equal(json_reader_feed(reading.reader, "\"a\":1}", 6),
			 JSON_E_DUPLICATE);
	assert_int_equal(json_reader_feed(reading.reader, "]", 1), JSON_E_DUPLICATE);
	assert_int_equal(json_reader_feed(reading.reader, "", 0), JSON_E_DUPLICATE);
	assert_int_equal(json_reader_finish(reading.reader, &root), JSON_E_DUPLICATE);
	assert_int_equal(json_reader_finish(reading.reader, &root), JSON_E_DUPLICATE);
	assert_null(root);
	json_reader_free(reading.reader);
	reading_free(&reading);
}

TEST(test_a_reader_may_be_freed_midway)
{
	size_t at;

	for (at = 0; at < strlen(sample);
	     at++) { /* LeakSanitizer reports what is not freed */
		struct reading reading = reading_open(PLENTY);

		feed_copy(&reading, sample, at);
		json_reader_free(reading.reader);
		reading_free(&reading);
	}
	json_reader_free(NULL);
}

TEST(test_every_error_has_a_text)
{
	static const int outcomes[] = { JSON_E_SYNTAX, JSON_E_TEXT, JSON_E_DUPLICATE,
					JSON_E_LIMIT,  JSON_E_NUL,  -ENOMEM };
	size_t at, other;

	assert_string_equal(json_reader_error_text(JSON_E_DUPLICATE),
			    "a key appears twice in one object");
	for (at = 0; at < 6; at++) {
		for (other = 0; other < at; other++)
			assert_string_not_equal(json_reader_error_text(outcomes[at]),
						json_reader_error_text(outcomes[other]));
	}
}
