/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON reader: a document arrives in pieces and becomes a tree of struct json.
 *
 * yajl parses while the bytes come (feed it 4 KiB or more at a time: a string that spans
 * pieces is scanned again from its start at each piece). Refused besides bad syntax: bad
 * UTF-8, half a surrogate pair ("\ud800"), "\u0000" in strings, an object with the same
 * key twice, more than JSON_DEPTH_MAX levels, more than JSON_VALUES_MAX values, text behind
 * the end. A value costs the arena 64 bytes and its text, a member 8 and its name more.
 */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include <stddef.h>

#include "base/arena.h"
#include "base/json.h"

enum {
	JSON_DEPTH_MAX = 32,
	JSON_VALUES_MAX = 4096,
};

/* outcomes: what was wrong with the document */
enum {
	JSON_E_SYNTAX = 1,
	JSON_E_TEXT,	  /* not UTF-8, or half a surrogate pair */
	JSON_E_DUPLICATE, /* the same key twice in one object */
	JSON_E_LIMIT,	  /* too deep, too many values, or the arena is full */
	JSON_E_NUL,	  /* correct JSON, but a string holds "\u0000" */
};

struct json_reader;

struct json_reader *json_reader_new(
	struct arena *arena); /* borrows it; NULL: no memory */
void json_reader_free(struct json_reader *reader);

/*
 * 0, -ENOMEM or JSON_E_*; after the first error every call returns that error.
 *
 * JSON_E_NUL comes from json_reader_finish() alone, and the document with it, so that the
 * rest of a refused request can be read: a string with a NUL is null there, a key is "".
 */
int json_reader_feed(struct json_reader *reader, const char *data, size_t length);
int json_reader_finish(struct json_reader *reader, const struct json **root_out);

/* One plain sentence fragment for an outcome: "a key appears twice in one object". */
const char *json_reader_error_text(int outcome);

#endif
