/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON values as they were read.
 *
 * A value and all below it live in the arena of the reader that made them. Strings are
 * strict UTF-8 without NUL, and NUL-terminated. Numbers keep their text, so that a
 * request id can be echoed exactly.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#define json_foreach(child, parent) \
	for (const struct json *child = (parent)->first; child; child = child->next)

/* The member of an object, or NULL (also when `object` is NULL or no object). */
const struct json *json_member(const struct json *object, const char *name);

/* The text of a string value, or NULL when `value` is NULL or no string. */
const char *json_string(const struct json *value);

/* True when `value` is a whole number within int64_t (14, -3, 14.0, 1e2). */
bool json_integer(const struct json *value, int64_t *integer_out);

/* True when `value` is a number that a double can come close to. */
bool json_real(const struct json *value, double *real_out);

#endif
