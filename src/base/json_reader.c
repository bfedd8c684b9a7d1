/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON reader: yajl's callbacks append to the tree.
 *
 * Four things yajl leaves to us: it has no limits, its check of UTF-8 lets bad text
 * through (so it is off, and ours sees every string and key), it turns half a
 * surrogate pair into '?' or into another character without a word, and it takes \v and
 * \f for white space. What it decoded does not show a surrogate any more, hence the
 * escapes are followed in the text itself, before yajl reads it. All four:
 * tests/unit/test_json_reader.c.
 */
#include "base/json_reader.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/utf8.h"
#include "base/yajl_memory.h"

enum { FEW_NAMES = 8 };

struct level {
	struct json *value; /* the open array or object */
	struct json *last;  /* its last child */
};

enum escape_state {
	ESCAPE_NONE,
	ESCAPE_BACKSLASH,  /* "\" seen */
	ESCAPE_DIGITS,	   /* in "\uXXXX" */
	ESCAPE_WANTS_PAIR, /* a high surrogate is behind us */
	ESCAPE_WANTS_U,	   /* and "\" */
};

struct escapes {
	enum escape_state state;
	unsigned int unit; /* UTF-16 */
	int digits;
	bool high; /* the unit before this one was a high surrogate */
};

struct json_reader {
	struct arena *arena;
	yajl_handle yajl;
	struct yajl_memory memory; /* its own */
	int error;
	bool has_nul; /* in a string or key; the rest is read on */
	struct escapes escapes;
	const struct json *root;
	const char *key; /* of the value to come */
	size_t values;
	size_t depth;
	struct level levels[JSON_DEPTH_MAX];
};

static unsigned int hex_value(char digit)
{
	if (digit <= '9')
		return (unsigned int)(digit - '0') & 0xf;
	return ((unsigned int)(digit | 0x20) - 'a' + 10) &
	       0xf; /* yajl refuses the rest */
}

static bool escapes_unit_end(struct escapes *escapes)
{
	bool low = (escapes->unit & 0xfc00) == 0xdc00;

	if (low != escapes->high)
		return false;
	escapes->high = (escapes->unit & 0xfc00) == 0xd800;
	escapes->state = escapes->high ? ESCAPE_WANTS_PAIR : ESCAPE_NONE;
	return true;
}

static bool escapes_step(struct escapes *escapes, char byte)
{
	switch (escapes->state) {
	case ESCAPE_NONE:
		if (byte == '\\')
			escapes->state = ESCAPE_BACKSLASH;
		return true;
	case ESCAPE_WANTS_PAIR:
		escapes->state = ESCAPE_WANTS_U;
		return byte == '\\';
	case ESCAPE_WANTS_U:
		if (byte != 'u')
			return false;
		/* fall through */
	case ESCAPE_BACKSLASH:
		escapes->state = byte == 'u' ? ESCAPE_DIGITS : ESCAPE_NONE;
		escapes->unit = 0;
		escapes->digits = 0;
		return true;
	case ESCAPE_DIGITS:
		escapes->unit = escapes->unit << 4 | hex_value(byte);
		if (++escapes->digits < 4)
			return true;
		return escapes_unit_end(escapes);
	}
	return true;
}

/* How much of the text is without half a surrogate pair; `length` when all of it is. */
static size_t escapes_scan(struct escapes *escapes, const char *data, size_t length)
{
	size_t at = 0;

	while (at < length) {
		if (escapes->state == ESCAPE_NONE) {
			const char *found = memchr(data + at, '\\', length - at);

			if (!found)
				return length;
			at = (size_t)(found - data);
		}
		if (!escapes_step(escapes, data[at]))
			return at;
		at++;
	}
	return length;
}

static int reader_fail(struct json_reader *reader, int error)
{
	if (!reader->error)
		reader->error = error;
	return 0; /* makes yajl stop */
}

static int reader_fail_arena(struct json_reader *reader)
{
	int error = arena_error(reader->arena);

	return reader_fail(reader, error == -ENOMEM ? error : JSON_E_LIMIT);
}

static void level_append(struct level *level, struct json *child)
{
	if (level->last)
		level->last->next = child;
	else
		level->value->first = child;
	level->last = child;
	level->value->count++;
}

/* A new value at the place where the document stands; NULL: the reader has failed. */
static struct json *reader_add(struct json_reader *reader, enum json_type type)
{
	struct json *value;

	if (++reader->values > JSON_VALUES_MAX) {
		reader_fail(reader, JSON_E_LIMIT);
		return NULL;
	}
	value = arena_alloc(reader->arena, sizeof(*value));
	if (!value) {
		reader_fail_arena(reader);
		return NULL;
	}
	value->type = type;
	value->name = reader->key;
	reader->key = NULL;
	if (reader->depth == 0)
		reader->root = value;
	else
		level_append(&reader->levels[reader->depth - 1], value);
	return value;
}

/* A checked copy of a string or key; NULL: the reader has failed. */
static const char *reader_text(struct json_reader *reader, const unsigned char *bytes,
			       size_t length)
{
	const char *text = (const char *)bytes;
	const char *copy;

	if (length && !utf8_valid(text, length)) {
		reader_fail(reader, JSON_E_TEXT);
		return NULL;
	}
	copy = arena_copy(reader->arena, text, length);
	if (!copy)
		reader_fail_arena(reader);
	return copy;
}

static int on_null(void *data)
{
	return reader_add(data, JSON_NULL) != NULL;
}

static int on_boolean(void *data, int boolean)
{
	struct json *value = reader_add(data, JSON_BOOLEAN);

	if (!value)
		return 0;
	value->boolean = boolean != 0;
	return 1;
}

static int add_text(struct json_reader *reader, enum json_type type,
		    const unsigned char *bytes, size_t length)
{
	struct json *value = reader_add(reader, type);

	if (!value)
		return 0;
	value->text = reader_text(reader, bytes, length);
	value->length = length;
	return value->text != NULL;
}

static int on_number(void *data, const char *digits, size_t length)
{
	return add_text(data, JSON_NUMBER, (const unsigned char *)digits, length);
}

/* No C string can hold it, and cut there it would be another text: null stands for it. */
static bool take_nul(struct json_reader *reader, const unsigned char *bytes,
		     size_t length)
{
	bool has_nul = length && memchr(bytes, '\0', length);

	reader->has_nul |= has_nul;
	return has_nul;
}

static int on_string(void *data, const unsigned char *bytes, size_t length)
{
	if (take_nul(data, bytes, length))
		return on_null(data);
	return add_text(data, JSON_STRING, bytes, length);
}

static int on_key(void *data, const unsigned char *bytes, size_t length)
{
	struct json_reader *reader = data;

	if (take_nul(reader, bytes, length))
		length = 0;
	reader->key = reader_text(reader, bytes, length);
	return reader->key != NULL;
}

static int reader_open(struct json_reader *reader, enum json_type type)
{
	struct json *value;

	if (reader->depth == JSON_DEPTH_MAX)
		return reader_fail(reader, JSON_E_LIMIT);
	value = reader_add(reader, type);
	if (!value)
		return 0;
	reader->levels[reader->depth++] = (struct level){ .value = value };
	return 1;
}

static int on_object_open(void *data)
{
	return reader_open(data, JSON_OBJECT);
}

static int on_array_open(void *data)
{
	return reader_open(data, JSON_ARRAY);
}

static struct json *reader_close(struct json_reader *reader)
{
	assert(reader->depth > 0);
	return reader->levels[--reader->depth].value;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Each with all before it: a few need no sorting. */
static int check_few_names(struct json_reader *reader, const struct json *object)
{
	json_foreach (member, object) {
		const struct json *other = object->first;

		for (; other != member; other = other->next)
			if (strcmp(other->name, member->name) == 0)
				return reader_fail(reader, JSON_E_DUPLICATE);
	}
	return 1;
}

/* Sorted, equal names are neighbours; no names make this slow, as they may a hash. */
static int check_many_names(struct json_reader *reader, const struct json *object)
{
	const char **names;
	size_t at = 0;

	names = arena_alloc(reader->arena, object->count * sizeof(*names));
	if (!names)
		return reader_fail_arena(reader);
	json_foreach (member, object) {
		names[at++] = member->name;
	}
	qsort(names, object->count, sizeof(*names), compare_names);
	for (at = 1; at < object->count; at++) {
		if (strcmp(names[at - 1], names[at]) == 0)
			return reader_fail(reader, JSON_E_DUPLICATE);
	}
	return 1;
}

static int on_object_close(void *data)
{
	const struct json *object = reader_close(data);

	return object->count <= FEW_NAMES ? check_few_names(data, object)
					  : check_many_names(data, object);
}

static int on_array_close(void *data)
{
	reader_close(data);
	return 1;
}

static const yajl_callbacks reader_callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_object_open,
	.yajl_map_key = on_key,
	.yajl_end_map = on_object_close,
	.yajl_start_array = on_array_open,
	.yajl_end_array = on_array_close,
};

void json_reader_free(struct json_reader *reader)
{
	if (!reader)
		return;
	yajl_memory_deinit(&reader->memory);
	free(reader);
}

static void allocate(void *data)
{
	struct json_reader *reader = data;

	reader->yajl = yajl_alloc(&reader_callbacks, &reader->memory.functions, reader);
}

struct json_reader *json_reader_new(struct arena *arena)
{
	struct json_reader *reader = malloc(sizeof(*reader));

	if (!reader)
		return NULL;
	memset(reader, 0, offsetof(struct json_reader, levels)); /* none is open */
	reader->arena = arena;
	yajl_memory_init(&reader->memory);
	if (!yajl_memory_try(&reader->memory, allocate, reader)) {
		json_reader_free(reader);
		return NULL;
	}
	yajl_config(reader->yajl, yajl_dont_validate_strings, 1);
	return reader;
}

static void take_result(struct json_reader *reader, yajl_status status)
{
	if (status != yajl_status_ok)
		reader_fail(reader, JSON_E_SYNTAX); /* unless a callback said more */
}

struct piece {
	struct json_reader *reader;
	const char *data;
	size_t length;
};

static void parse(void *data)
{
	const struct piece *piece = data;

	take_result(piece->reader,
		    yajl_parse(piece->reader->yajl, (const unsigned char *)piece->data,
			       piece->length));
}

static void complete(void *data)
{
	struct json_reader *reader = data;

	take_result(reader, yajl_complete_parse(reader->yajl));
}

/* No JSON text has a \v or \f in it: strings escape both, and neither is white space. */
static size_t length_to_feeds(const char *data, size_t length)
{
	const char *feed = memchr(data, '\v', length);

	if (feed)
		length = (size_t)(feed - data);
	feed = memchr(data, '\f', length);
	return feed ? (size_t)(feed - data) : length;
}

/* What stands before the first flaw is parsed, so that the first of several counts. */
int json_reader_feed(struct json_reader *reader, const char *data, size_t length)
{
	struct piece piece = { reader, data, 0 };
	size_t to_feeds;

	if (reader->error || !length)
		return reader->error;
	to_feeds = length_to_feeds(data, length);
	piece.length = escapes_scan(&reader->escapes, data, to_feeds);
	if (!yajl_memory_try(&reader->memory, parse, &piece))
		reader_fail(reader, -ENOMEM);
	if (piece.length < to_feeds)
		reader_fail(reader, JSON_E_TEXT);
	else if (to_feeds < length)
		reader_fail(reader, JSON_E_SYNTAX);
	return reader->error;
}

int json_reader_finish(struct json_reader *reader, const struct json **root_out)
{
	if (!reader->error && !yajl_memory_try(&reader->memory, complete, reader))
		reader_fail(reader, -ENOMEM);
	if (reader->error)
		return reader->error;
	assert(reader->root && reader->depth == 0);
	*root_out = reader->root;
	return reader->has_nul ? JSON_E_NUL : 0;
}

const char *json_reader_error_text(int outcome)
{
	switch (outcome) {
	case JSON_E_SYNTAX:
		return "the text is not one complete JSON value";
	case JSON_E_TEXT:
		return "a string is not valid UTF-8";
	case JSON_E_NUL:
		return "a string holds \\u0000";
	case JSON_E_DUPLICATE:
		return "a key appears twice in one object";
	case JSON_E_LIMIT:
		return "the document is too deep or too large";
	case -ENOMEM:
		return "out of memory";
	default:
		return "no error";
	}
}
