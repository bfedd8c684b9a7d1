/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON reader: turns a document that arrives in pieces into a tree of struct json.
 *
 * Pieces should have 4 KiB or more: yajl scans a string that spans pieces from its start
 * again for each piece. Refused besides bad syntax: bad UTF-8, half a surrogate pair
 * ("\ud800"), "\u0000" in strings, a repeated key in one object, more than JSON_DEPTH_MAX
 * levels, more than JSON_VALUES_MAX values, text after the end. A value takes 64 bytes of the
 * arena and its text, a member 8 more and its name.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/json.h"

enum {
	JSON_DEPTH_MAX = 32,
	JSON_VALUES_MAX = 4096,
};

/* What is wrong with the document. */
enum {
	JSON_E_SYNTAX = 1,
	JSON_E_TEXT,	  /* not UTF-8, or half a surrogate pair */
	JSON_E_DUPLICATE, /* the same key twice in one object */
	JSON_E_LIMIT,	  /* too deep, too many values, or the arena is full */
	JSON_E_NUL,	  /* correct JSON, but a string holds "\u0000" */
};

struct json_reader;

struct json_reader *json_reader_new(
	struct arena *arena); /* borrows it; NULL if memory runs out */
void json_reader_free(struct json_reader *reader);

/*
 * Returns 0, -ENOMEM or JSON_E_*; after the first error every call returns that error.
 *
 * Only json_reader_finish() returns JSON_E_NUL, and it returns the document with it, so that
 * the rest of a refused request can be read: in it a string with a NUL is null, a key is "".
 */
int json_reader_feed(struct json_reader *reader, const char *data, size_t length);
int json_reader_finish(struct json_reader *reader, const struct json **root_out);

/* Reads a document that is there as a whole: its pieces are one. As json_reader_finish(). */
int json_reader_read(struct arena *arena, const char *text, size_t length,
		     const struct json **root_out);

/* Returns an outcome in words: "a key appears twice in one object". */
const char *json_reader_error_text(int outcome);
