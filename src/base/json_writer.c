/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON writer: yajl_gen knows neither a key from a value that is a string nor which
 * bracket is open, hence we keep our own account of it.
 */
#include "base/json_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include "base/yajl_memory.h"

enum {
	JSON_WRITER_DEPTH_MAX = 64, /* below YAJL_MAX_DEPTH, which counts its own way */
	INTEGER_CHARACTERS = 20,    /* of INT64_MIN */
};

enum place {
	PLACE_ITEM, /* in an array */
	PLACE_KEY,
	PLACE_MEMBER, /* the value of a key */
};

struct json_writer {
	yajl_gen generator;
	struct yajl_memory memory; /* its own; taken when it is made, and not later */
	struct buffer *buffer;
	bool whole; /* the document has ended */
	size_t depth;
	enum place places[JSON_WRITER_DEPTH_MAX];
};

static void print_to_buffer(void *data, const char *text, size_t length)
{
	buffer_append(data, text, length);
}

static void allocate(void *data)
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
	if (!yajl_memory_try(&writer->memory, allocate, writer)) {
		yajl_memory_deinit(&writer->memory);
		free(writer);
		buffer->failed = true;
		return NULL;
	}
	writer->buffer = buffer;
	writer->whole = false;
	writer->depth = 0; /* of the places none is used */
	yajl_gen_config(writer->generator, yajl_gen_print_callback, print_to_buffer,
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

static void check(yajl_gen_status status)
{
	assert(status == yajl_gen_status_ok);
	(void)status;
}

/* yajl_gen itself refuses a second document. */
static void value_begin(struct json_writer *writer)
{
	assert(writer->depth == 0 || writer->places[writer->depth - 1] != PLACE_KEY);
	(void)writer;
}

static void value_end(struct json_writer *writer)
{
	if (writer->depth == 0)
		writer->whole = true;
	else if (writer->places[writer->depth - 1] == PLACE_MEMBER)
		writer->places[writer->depth - 1] = PLACE_KEY;
}

static void level_open(struct json_writer *writer, enum place place)
{
	assert(writer->depth < JSON_WRITER_DEPTH_MAX);
	writer->places[writer->depth++] = place;
}

static void level_close(struct json_writer *writer, enum place place)
{
	assert(writer->depth > 0 && writer->places[writer->depth - 1] == place);
	(void)place;
	writer->depth--;
	value_end(writer);
}

void json_open_object(struct json_writer *writer)
{
	value_begin(writer);
	level_open(writer, PLACE_KEY);
	check(yajl_gen_map_open(writer->generator));
}

void json_close_object(struct json_writer *writer)
{
	level_close(writer, PLACE_KEY);
	check(yajl_gen_map_close(writer->generator));
}

void json_open_array(struct json_writer *writer)
{
	value_begin(writer);
	level_open(writer, PLACE_ITEM);
	check(yajl_gen_array_open(writer->generator));
}

void json_close_array(struct json_writer *writer)
{
	level_close(writer, PLACE_ITEM);
	check(yajl_gen_array_close(writer->generator));
}

void json_key(struct json_writer *writer, const char *key)
{
	assert(writer->depth > 0 && writer->places[writer->depth - 1] == PLACE_KEY);
	writer->places[writer->depth - 1] = PLACE_MEMBER;
	check(yajl_gen_string(writer->generator, (const unsigned char *)key,
			      strlen(key)));
}

void json_write_string(struct json_writer *writer, const char *text)
{
	json_write_text(writer, text, strlen(text));
}

void json_write_text(struct json_writer *writer, const char *text, size_t length)
{
	value_begin(writer);
	check(yajl_gen_string(writer->generator, (const unsigned char *)text, length));
	value_end(writer);
}

void json_write_boolean(struct json_writer *writer, bool value)
{
	value_begin(writer);
	check(yajl_gen_bool(writer->generator, value));
	value_end(writer);
}

void json_write_null(struct json_writer *writer)
{
	value_begin(writer);
	check(yajl_gen_null(writer->generator));
	value_end(writer);
}

void json_write_raw(struct json_writer *writer, const char *json, size_t length)
{
	value_begin(writer);
	check(yajl_gen_number(writer->generator, json,
			      length)); /* copies text as it is */
	value_end(writer);
}

/* yajl_gen would print it with sprintf(), which takes ten times as long. */
void json_write_integer(struct json_writer *writer, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[INTEGER_CHARACTERS];
	char *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		*--first = '-';
	json_write_raw(writer, first, (size_t)(digits + sizeof(digits) - first));
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
