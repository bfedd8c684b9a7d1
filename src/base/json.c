/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON values, and their writer: yajl's generator on top of a buffer.
 *
 * yajl_gen does not know whether a string is a key or a value, nor which bracket is open, so
 * the writer keeps its own stack: each open level is an array (ITEM) or an object, and an
 * object expects a key (KEY) or the value of one (MEMBER).
 *
 *     KEY --- json_key() ---> MEMBER --- any value ---> KEY
 */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include "base/yajl_memory.h"

enum {
	/* less than YAJL_MAX_DEPTH, which counts differently */
	JSON_WRITER_DEPTH_MAX = 64,
	JSON_INTEGER_CHARACTERS = 20, /* of INT64_MIN */
};

enum json_expected {
	JSON_EXPECT_ITEM,
	JSON_EXPECT_KEY,
	JSON_EXPECT_MEMBER,
};

struct json_writer {
	yajl_gen generator;
	struct yajl_memory memory; /* all allocated in json_writer_new() */
	struct buffer *buffer;
	bool whole; /* the document has ended */
	size_t depth;
	enum json_expected expected[JSON_WRITER_DEPTH_MAX];
};

/* ---- reading values */

const struct json *json_member(const struct json *object, const char *name)
{
	if (!object || object->type != JSON_OBJECT)
		return NULL;
	json_foreach (member, object) {
		if (strcmp(member->name, name) == 0)
			return member;
	}
	return NULL;
}

const char *json_string(const struct json *value)
{
	return value && value->type == JSON_STRING ? value->text : NULL;
}

bool json_says_nothing(const struct json *value)
{
	return !value || value->type == JSON_NULL ||
	       (value->type == JSON_STRING && !value->length);
}

static bool json_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/*
 * Returns the exponent at `text`, "" or "e+12". It saturates far above the length of any text that
 * the reader accepts, so adding it to a number of digits cannot overflow.
 */
static int64_t json_parse_exponent(const char *text)
{
	static const int64_t most = INT64_C(1) << 40;
	int64_t exponent = 0;
	bool negative;

	if (!*text)
		return 0;
	text++; /* e, E */
	negative = *text == '-';
	if (*text == '-' || *text == '+')
		text++;
	for (; json_is_digit(*text) && exponent < most; text++)
		exponent = exponent * 10 + (*text - '0');
	return negative ? -exponent : exponent;
}

/* Computes value * 10 + digit, away from zero. Returns false if that exceeds int64_t. */
static bool json_push_digit(int64_t *value, int digit, bool negative)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
	       !__builtin_add_overflow(*value, negative ? -digit : digit, value);
}

/*
 * Once the exponent is applied, `point` of the digits (which may hold a '.') are before the
 * decimal point. Digits after it must be zeros; missing digits before it are zeros.
 */
static bool json_scale(const char *digits, int64_t point, bool negative,
		       int64_t *integer_out)
{
	int64_t value = 0;

	for (; json_is_digit(*digits) || *digits == '.'; digits++) {
		if (*digits == '.')
			continue;
		if (point-- > 0) {
			if (!json_push_digit(&value, *digits - '0', negative))
				return false;
		} else if (*digits != '0') {
			return false;
		}
	}
	for (; point > 0 && value != 0; point--) { /* overflows after 19 rounds */
		if (!json_push_digit(&value, 0, negative))
			return false;
	}
	*integer_out = value;
	return true;
}

bool json_integer(const struct json *value, int64_t *integer_out)
{
	const char *digits;
	bool negative;

	if (!value || value->type != JSON_NUMBER)
		return false;
	negative = value->text[0] == '-';
	digits = value->text + (negative ? 1 : 0);
	return json_scale(
		digits,
		(int64_t)strspn(digits, "0123456789") +
			json_parse_exponent(digits + strspn(digits, "0123456789.")),
		negative, integer_out);
}

bool json_real(const struct json *value, double *real_out)
{
	double real;

	if (!value || value->type != JSON_NUMBER)
		return false;
	real = strtod(value->text, NULL); /* the locale is C */
	if (!isfinite(real))
		return false;
	*real_out = real;
	return true;
}

/* ---- the writer */

static void json_writer_print(void *data, const char *text, size_t length)
{
	buffer_append(data, text, length);
}

static void json_writer_allocate(void *data)
{
	struct json_writer *writer = data;

	writer->generator = yajl_gen_alloc(&writer->memory.functions);
}

struct json_writer *json_writer_new(struct buffer *buffer)
{
	struct json_writer *writer = malloc(sizeof(*writer));

	if (!writer) {
		buffer->failed = true;
		return NULL;
	}
	yajl_memory_init(&writer->memory);
	if (!yajl_memory_try(&writer->memory, json_writer_allocate, writer)) {
		yajl_memory_deinit(&writer->memory);
		free(writer);
		buffer->failed = true;
		return NULL;
	}
	writer->buffer = buffer;
	writer->whole = false;
	writer->depth = 0; /* `expected` stays uninitialised: clearing it costs time */
	yajl_gen_config(writer->generator, yajl_gen_print_callback, json_writer_print,
			buffer);
	return writer;
}

void json_writer_free(struct json_writer *writer)
{
	if (!writer)
		return;
	assert(writer->whole);
	yajl_memory_deinit(&writer->memory);
	free(writer);
}

bool json_writer_is_whole(const struct json_writer *writer)
{
	return writer->whole;
}

size_t json_writer_length(const struct json_writer *writer)
{
	return writer->buffer->length;
}

const char *json_writer_data(const struct json_writer *writer)
{
	return writer->buffer->data;
}

void json_writer_drop(struct json_writer *writer, size_t length)
{
	assert(length <= writer->buffer->length);
	writer->buffer->length = length;
}

static void json_writer_check(yajl_gen_status status)
{
	assert(status == yajl_gen_status_ok);
}

/* yajl_gen itself refuses a second document. */
static void json_writer_begin_value(struct json_writer *writer)
{
	assert(writer->depth == 0 ||
	       writer->expected[writer->depth - 1] != JSON_EXPECT_KEY);
}

static void json_writer_end_value(struct json_writer *writer)
{
	if (writer->depth == 0)
		writer->whole = true;
	else if (writer->expected[writer->depth - 1] == JSON_EXPECT_MEMBER)
		writer->expected[writer->depth - 1] = JSON_EXPECT_KEY;
}

static void json_writer_push(struct json_writer *writer, enum json_expected expected)
{
	json_writer_begin_value(writer);
	assert(writer->depth < JSON_WRITER_DEPTH_MAX);
	writer->expected[writer->depth++] = expected;
}

static void json_writer_pop(struct json_writer *writer, enum json_expected expected)
{
	assert(writer->depth > 0 && writer->expected[writer->depth - 1] == expected);
	writer->depth--;
	json_writer_end_value(writer);
}

void json_open_object(struct json_writer *writer)
{
	json_writer_push(writer, JSON_EXPECT_KEY);
	json_writer_check(yajl_gen_map_open(writer->generator));
}

void json_close_object(struct json_writer *writer)
{
	json_writer_pop(writer, JSON_EXPECT_KEY);
	json_writer_check(yajl_gen_map_close(writer->generator));
}

void json_open_array(struct json_writer *writer)
{
	json_writer_push(writer, JSON_EXPECT_ITEM);
	json_writer_check(yajl_gen_array_open(writer->generator));
}

void json_close_array(struct json_writer *writer)
{
	json_writer_pop(writer, JSON_EXPECT_ITEM);
	json_writer_check(yajl_gen_array_close(writer->generator));
}

void json_key(struct json_writer *writer, const char *key)
{
	assert(writer->depth > 0 &&
	       writer->expected[writer->depth - 1] == JSON_EXPECT_KEY);
	writer->expected[writer->depth - 1] = JSON_EXPECT_MEMBER;
	json_writer_check(yajl_gen_string(writer->generator, (const unsigned char *)key,
					  strlen(key)));
}

void json_write_string(struct json_writer *writer, const char *text)
{
	json_write_text(writer, text, strlen(text));
}

void json_write_text(struct json_writer *writer, const char *text, size_t length)
{
	json_writer_begin_value(writer);
	json_writer_check(
		yajl_gen_string(writer->generator, (const unsigned char *)text, length));
	json_writer_end_value(writer);
}

void json_write_boolean(struct json_writer *writer, bool value)
{
	json_writer_begin_value(writer);
	json_writer_check(yajl_gen_bool(writer->generator, value));
	json_writer_end_value(writer);
}

void json_write_null(struct json_writer *writer)
{
	json_writer_begin_value(writer);
	json_writer_check(yajl_gen_null(writer->generator));
	json_writer_end_value(writer);
}

/* yajl_gen_number() copies any text unchanged. */
void json_write_raw(struct json_writer *writer, const char *json, size_t length)
{
	json_writer_begin_value(writer);
	json_writer_check(yajl_gen_number(writer->generator, json, length));
	json_writer_end_value(writer);
}

/* yajl_gen_integer() uses sprintf(), which takes ten times as long. */
void json_write_integer(struct json_writer *writer, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[JSON_INTEGER_CHARACTERS];
	char *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		*--first = '-';
	json_write_raw(writer, first, (size_t)(digits + sizeof(digits) - first));
}

void json_open_object_at(struct json_writer *writer, const char *key)
{
	json_key(writer, key);
	json_open_object(writer);
}

void json_open_array_at(struct json_writer *writer, const char *key)
{
	json_key(writer, key);
	json_open_array(writer);
}

void json_put_string(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_write_string(writer, text);
}

void json_put_integer(struct json_writer *writer, const char *key, int64_t value)
{
	json_key(writer, key);
	json_write_integer(writer, value);
}

void json_put_boolean(struct json_writer *writer, const char *key, bool value)
{
	json_key(writer, key);
	json_write_boolean(writer, value);
}

/* ---- canonical writing */

/*
 * Returns the member whose name sorts next after `name`, or the first if that is NULL. Names are
 * unique.
 */
static const struct json *json_next_member(const struct json *object, const char *name)
{
	const struct json *next = NULL;

	json_foreach (member, object) {
		if (name && strcmp(member->name, name) <= 0)
			continue;
		if (!next || strcmp(member->name, next->name) < 0)
			next = member;
	}
	return next;
}

/* Recursion is bounded by JSON_DEPTH_MAX, the search for names by a closed schema. */
void json_write_canonical(struct json_writer *writer, const struct json *value)
{
	const struct json *member = NULL;
	int64_t integer;

	switch (value->type) {
	case JSON_NULL:
		json_write_null(writer);
		break;
	case JSON_BOOLEAN:
		json_write_boolean(writer, value->boolean);
		break;
	case JSON_NUMBER:
		if (json_integer(value, &integer))
			json_write_integer(writer, integer);
		else
			json_write_raw(writer, value->text, value->length);
		break;
	case JSON_STRING:
		json_write_text(writer, value->text, value->length);
		break;
	case JSON_ARRAY:
		json_open_array(writer);
		json_foreach (item, value)
			json_write_canonical(writer, item);
		json_close_array(writer);
		break;
	case JSON_OBJECT:
		json_open_object(writer);
		while ((member = json_next_member(value, member ? member->name : NULL))) {
			json_key(writer, member->name);
			json_write_canonical(writer, member);
		}
		json_close_object(writer);
		break;
	}
}
