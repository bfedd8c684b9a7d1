/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON: values that were read (json_reader.h), and a writer.
 *
 * A value and everything below it live in the arena of the reader that made them. Strings
 * are strict UTF-8 without NUL, and NUL-terminated. Numbers keep their text, so that a
 * request ID can be echoed exactly.
 *
 * The writer appends to a buffer. Strings must be valid UTF-8 (they were checked where they
 * came in). Misuse (a value without its key, an object left open, more than 64 levels) is a
 * bug and asserts; when memory runs out, the buffer's `failed` is set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct json_writer;

enum json_type {
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_type type;
	const char *name;   /* of a member of an object, else NULL */
	const char *text;   /* string: its value; number: as written; else NULL */
	size_t length;	    /* bytes of text */
	bool boolean;	    /* JSON_BOOLEAN */
	size_t count;	    /* array, object: children */
	struct json *first; /* array, object: children in order */
	struct json *next;  /* sibling */
};

/* Returns the first child of an array or object; NULL if there is none, or `parent` is NULL. */
static inline const struct json *json_first(const struct json *parent)
{
	return parent ? parent->first : NULL;
}

#define json_foreach(child, parent) \
	for (const struct json *child = json_first(parent); child; child = child->next)

/* Returns the member of an object; NULL if there is none, or `object` is NULL or not an object. */
const struct json *json_member(const struct json *object, const char *name);

/* Returns the text of a string; NULL if `value` is NULL or not a string. */
const char *json_string(const struct json *value);

/* Is it absent, null or ""? Many clients send these for what they leave out. */
bool json_says_nothing(const struct json *value);

/* Is `value` a whole number within int64_t (14, -3, 14.0, 1e2)? */
bool json_integer(const struct json *value, int64_t *integer_out);

/* Is `value` a number within the range of double? */
bool json_real(const struct json *value, double *real_out);

/*
 * Appends to `buffer`, which is borrowed until json_writer_free(). Returns NULL if memory runs out,
 * and the buffer has failed.
 */
struct json_writer *json_writer_new(struct buffer *buffer);
void json_writer_free(
	struct json_writer *writer); /* asserts that the document is whole */

/* Is the document complete? Also true when the buffer had no memory for it. */
bool json_writer_is_whole(const struct json_writer *writer);
/* Returns the bytes in the buffer so far. */
size_t json_writer_length(const struct json_writer *writer);
const char *json_writer_data(const struct json_writer *writer);
/*
 * Takes back what was written behind `length` bytes: elements of the array that is open. If it
 * was all of them, nothing but the end of the array may follow.
 */
void json_writer_drop(struct json_writer *writer, size_t length);

void json_open_object(struct json_writer *writer);
void json_close_object(struct json_writer *writer);
void json_open_array(struct json_writer *writer);
void json_close_array(struct json_writer *writer);

void json_key(struct json_writer *writer, const char *key);
void json_write_string(struct json_writer *writer, const char *text);
void json_write_text(struct json_writer *writer, const char *text, size_t length);
void json_write_integer(struct json_writer *writer, int64_t value);
void json_write_boolean(struct json_writer *writer, bool value);
void json_write_null(struct json_writer *writer);
/* Copies a finished JSON value. */
void json_write_raw(struct json_writer *writer, const char *json, size_t length);

/* Writes key and value in one call. */
void json_put_string(struct json_writer *writer, const char *key, const char *text);
void json_put_integer(struct json_writer *writer, const char *key, int64_t value);
void json_put_boolean(struct json_writer *writer, const char *key, bool value);
/* Writes the key, and opens its value. */
void json_open_object_at(struct json_writer *writer, const char *key);
void json_open_array_at(struct json_writer *writer, const char *key);

/*
 * Writes the same text for all texts that mean the same value, so that digests can be
 * compared: members sorted by name, integers as digits.
 */
void json_write_canonical(struct json_writer *writer, const struct json *value);
