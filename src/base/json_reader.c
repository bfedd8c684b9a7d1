/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * yajl's callbacks append to the tree; a stack of levels holds the open arrays and objects.
 *
 * yajl lacks four things that are done here (all in tests/unit/test_json_reader.c):
 *  - limits;
 *  - a correct check of UTF-8: yajl's own is off, ours checks every string and key;
 *  - it silently turns half a surrogate pair into '?' or another character. Decoded text no
 *    longer shows this, so the escapes are checked in the text before yajl reads it;
 *  - it accepts \v and \f as white space.
 */
#include "base/json_reader.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/utf8.h"
#include "base/yajl_memory.h"

enum { FEW_NAMES = 8 };

struct json_reader_level {
	struct json *value; /* the open array or object */
	struct json *last;  /* its last child */
};

enum json_reader_escape_state {
	ESCAPE_NONE,
	ESCAPE_BACKSLASH,  /* "\" seen */
	ESCAPE_DIGITS,	   /* in "\uXXXX" */
	ESCAPE_WANTS_PAIR, /* after a high surrogate */
	ESCAPE_WANTS_U,	   /* after a high surrogate and "\" */
};

struct json_reader_escapes {
	enum json_reader_escape_state state;
	unsigned int unit; /* UTF-16 */
	int digits;
	bool high; /* the unit before this one was a high surrogate */
};

struct json_reader {
	struct arena *arena;
	yajl_handle yajl;
	struct yajl_memory memory; /* its own */
	int error;
	bool has_nul; /* in a string or key; reading continues */
	struct json_reader_escapes escapes;
	const struct json *root;
	const char *key; /* of the next value */
	size_t values;
	size_t depth;
	struct json_reader_level levels[JSON_DEPTH_MAX];
};

static unsigned int json_reader_hex(char digit)
{
	if (digit <= '9')
		return (unsigned int)(digit - '0') & 0xf;
	return ((unsigned int)(digit | 0x20) - 'a' + 10) &
	       0xf; /* yajl refuses other characters */
}

static bool json_reader_end_unit(struct json_reader_escapes *escapes)
{
	bool low = (escapes->unit & 0xfc00) == 0xdc00;

	if (low != escapes->high)
		return false;
	escapes->high = (escapes->unit & 0xfc00) == 0xd800;
	escapes->state = escapes->high ? ESCAPE_WANTS_PAIR : ESCAPE_NONE;
	return true;
}

static bool json_reader_step_escape(struct json_reader_escapes *escapes, char byte)
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
		escapes->unit = escapes->unit << 4 | json_reader_hex(byte);
		if (++escapes->digits < 4)
			return true;
		return json_reader_end_unit(escapes);
	}
	return true;
}

/* Returns the length of the text before the first half of a surrogate pair. */
static size_t json_reader_scan_escapes(struct json_reader_escapes *escapes,
				       const char *data, size_t length)
{
	size_t at = 0;

	while (at < length) {
		if (escapes->state == ESCAPE_NONE) {
			const char *found = memchr(data + at, '\\', length - at);

			if (!found)
				return length;
			at = (size_t)(found - data);
		}
		if (!json_reader_step_escape(escapes, data[at]))
			return at;
		at++;
	}
	return length;
}

static int json_reader_fail(struct json_reader *reader, int error)
{
	if (!reader->error)
		reader->error = error;
	return 0; /* stops yajl */
}

static int json_reader_fail_arena(struct json_reader *reader)
{
	int error = arena_error(reader->arena);

	return json_reader_fail(reader, error == -ENOMEM ? error : JSON_E_LIMIT);
}

static void json_reader_append(struct json_reader_level *level, struct json *child)
{
	if (level->last)
		level->last->next = child;
	else
		level->value->first = child;
	level->last = child;
	level->value->count++;
}

/* Adds a value to the innermost open level. Returns NULL if the reader has failed. */
static struct json *json_reader_add(struct json_reader *reader, enum json_type type)
{
	struct json *value;

	if (++reader->values > JSON_VALUES_MAX) {
		json_reader_fail(reader, JSON_E_LIMIT);
		return NULL;
	}
	value = arena_alloc(reader->arena, sizeof(*value));
	if (!value) {
		json_reader_fail_arena(reader);
		return NULL;
	}
	value->type = type;
	value->name = reader->key;
	reader->key = NULL;
	if (reader->depth == 0)
		reader->root = value;
	else
		json_reader_append(&reader->levels[reader->depth - 1], value);
	return value;
}

/* Returns a checked copy of a string or key; NULL if the reader has failed. */
static const char *json_reader_copy_text(struct json_reader *reader,
					 const unsigned char *bytes, size_t length)
{
	const char *text = (const char *)bytes;
	const char *copy;

	if (length && !utf8_valid(text, length)) {
		json_reader_fail(reader, JSON_E_TEXT);
		return NULL;
	}
	copy = arena_copy(reader->arena, text, length);
	if (!copy)
		json_reader_fail_arena(reader);
	return copy;
}

static int json_reader_on_null(void *data)
{
	return json_reader_add(data, JSON_NULL) != NULL;
}

static int json_reader_on_boolean(void *data, int boolean)
{
	struct json *value = json_reader_add(data, JSON_BOOLEAN);

	if (!value)
		return 0;
	value->boolean = boolean != 0;
	return 1;
}

static int json_reader_add_text(struct json_reader *reader, enum json_type type,
				const unsigned char *bytes, size_t length)
{
	struct json *value = json_reader_add(reader, type);

	if (!value)
		return 0;
	value->text = json_reader_copy_text(reader, bytes, length);
	value->length = length;
	return value->text != NULL;
}

static int json_reader_on_number(void *data, const char *digits, size_t length)
{
	return json_reader_add_text(data, JSON_NUMBER, (const unsigned char *)digits,
				    length);
}

/* C strings cannot hold a NUL, and cut text would be wrong: the string becomes null. */
static bool json_reader_check_nul(struct json_reader *reader, const unsigned char *bytes,
				  size_t length)
{
	bool has_nul = length && memchr(bytes, '\0', length);

	reader->has_nul |= has_nul;
	return has_nul;
}

static int json_reader_on_string(void *data, const unsigned char *bytes, size_t length)
{
	if (json_reader_check_nul(data, bytes, length))
		return json_reader_on_null(data);
	return json_reader_add_text(data, JSON_STRING, bytes, length);
}

static int json_reader_on_key(void *data, const unsigned char *bytes, size_t length)
{
	struct json_reader *reader = data;

	if (json_reader_check_nul(reader, bytes, length))
		length = 0;
	reader->key = json_reader_copy_text(reader, bytes, length);
	return reader->key != NULL;
}

static int json_reader_open(struct json_reader *reader, enum json_type type)
{
	struct json *value;

	if (reader->depth == JSON_DEPTH_MAX)
		return json_reader_fail(reader, JSON_E_LIMIT);
	value = json_reader_add(reader, type);
	if (!value)
		return 0;
	reader->levels[reader->depth++] = (struct json_reader_level){ .value = value };
	return 1;
}

static int json_reader_on_object_open(void *data)
{
	return json_reader_open(data, JSON_OBJECT);
}

static int json_reader_on_array_open(void *data)
{
	return json_reader_open(data, JSON_ARRAY);
}

static struct json *json_reader_close(struct json_reader *reader)
{
	assert(reader->depth > 0);
	return reader->levels[--reader->depth].value;
}

static int json_reader_compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Compares each name with all before it. */
static int json_reader_check_few_names(struct json_reader *reader,
				       const struct json *object)
{
	json_foreach (member, object) {
		const struct json *other = object->first;

		for (; other != member; other = other->next)
			if (strcmp(other->name, member->name) == 0)
				return json_reader_fail(reader, JSON_E_DUPLICATE);
	}
	return 1;
}

/* Sorts the names: unlike with a hash, no choice of names makes this slow. */
static int json_reader_check_many_names(struct json_reader *reader,
					const struct json *object)
{
	const char **names;
	size_t at = 0;

	names = arena_alloc(reader->arena, object->count * sizeof(*names));
	if (!names)
		return json_reader_fail_arena(reader);
	json_foreach (member, object) {
		names[at++] = member->name;
	}
	qsort(names, object->count, sizeof(*names), json_reader_compare_names);
	for (at = 1; at < object->count; at++) {
		if (strcmp(names[at - 1], names[at]) == 0)
			return json_reader_fail(reader, JSON_E_DUPLICATE);
	}
	return 1;
}

static int json_reader_on_object_close(void *data)
{
	const struct json *object = json_reader_close(data);

	return object->count <= FEW_NAMES ? json_reader_check_few_names(data, object)
					  : json_reader_check_many_names(data, object);
}

static int json_reader_on_array_close(void *data)
{
	json_reader_close(data);
	return 1;
}

static const yajl_callbacks json_reader_callbacks = {
	.yajl_null = json_reader_on_null,
	.yajl_boolean = json_reader_on_boolean,
	.yajl_number = json_reader_on_number,
	.yajl_string = json_reader_on_string,
	.yajl_start_map = json_reader_on_object_open,
	.yajl_map_key = json_reader_on_key,
	.yajl_end_map = json_reader_on_object_close,
	.yajl_start_array = json_reader_on_array_open,
	.yajl_end_array = json_reader_on_array_close,
};

void json_reader_free(struct json_reader *reader)
{
	if (!reader)
		return;
	yajl_memory_deinit(&reader->memory);
	free(reader);
}

static void json_reader_allocate(void *data)
{
	struct json_reader *reader = data;

	reader->yajl =
		yajl_alloc(&json_reader_callbacks, &reader->memory.functions, reader);
}

struct json_reader *json_reader_new(struct arena *arena)
{
	struct json_reader *reader = malloc(sizeof(*reader));

	if (!reader)
		return NULL;
	memset(reader, 0, offsetof(struct json_reader, levels)); /* no level is open */
	reader->arena = arena;
	yajl_memory_init(&reader->memory);
	if (!yajl_memory_try(&reader->memory, json_reader_allocate, reader)) {
		json_reader_free(reader);
		return NULL;
	}
	yajl_config(reader->yajl, yajl_dont_validate_strings, 1);
	return reader;
}

static void json_reader_check_status(struct json_reader *reader, yajl_status status)
{
	if (status != yajl_status_ok)
		json_reader_fail(
			reader, JSON_E_SYNTAX); /* unless a callback set a better error */
}

struct json_reader_piece {
	struct json_reader *reader;
	const char *data;
	size_t length;
};

static void json_reader_parse(void *data)
{
	const struct json_reader_piece *piece = data;

	json_reader_check_status(piece->reader,
				 yajl_parse(piece->reader->yajl,
					    (const unsigned char *)piece->data,
					    piece->length));
}

static void json_reader_complete(void *data)
{
	struct json_reader *reader = data;

	json_reader_check_status(reader, yajl_complete_parse(reader->yajl));
}

/* Returns the length before a raw \v or \f, which JSON allows nowhere. */
static size_t json_reader_length_to_feed(const char *data, size_t length)
{
	const char *feed = memchr(data, '\v', length);

	if (feed)
		length = (size_t)(feed - data);
	feed = memchr(data, '\f', length);
	return feed ? (size_t)(feed - data) : length;
}

/* Parses what precedes the first flaw, so that the first of several errors is reported. */
int json_reader_feed(struct json_reader *reader, const char *data, size_t length)
{
	struct json_reader_piece piece = { reader, data, 0 };
	size_t to_feeds;

	if (reader->error || !length)
		return reader->error;
	to_feeds = json_reader_length_to_feed(data, length);
	piece.length = json_reader_scan_escapes(&reader->escapes, data, to_feeds);
	if (!yajl_memory_try(&reader->memory, json_reader_parse, &piece))
		json_reader_fail(reader, -ENOMEM);
	if (piece.length < to_feeds)
		json_reader_fail(reader, JSON_E_TEXT);
	else if (to_feeds < length)
		json_reader_fail(reader, JSON_E_SYNTAX);
	return reader->error;
}

int json_reader_finish(struct json_reader *reader, const struct json **root_out)
{
	if (!reader->error &&
	    !yajl_memory_try(&reader->memory, json_reader_complete, reader))
		json_reader_fail(reader, -ENOMEM);
	if (reader->error)
		return reader->error;
	assert(reader->root && reader->depth == 0);
	*root_out = reader->root;
	return reader->has_nul ? JSON_E_NUL : 0;
}

int json_reader_read(struct arena *arena, const char *text, size_t length,
		     const struct json **root_out)
{
	struct json_reader *reader = json_reader_new(arena);
	int error = reader ? json_reader_feed(reader, text, length) : -ENOMEM;

	if (!error)
		error = json_reader_finish(reader, root_out);
	json_reader_free(reader);
	return error;
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
