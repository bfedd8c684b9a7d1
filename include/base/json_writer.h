/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON writer: yajl's generator on top of a buffer.
 *
 * Strings must be valid UTF-8 (they were checked at the edge). Misuse (a value without
 * its key, an object left open, more than 64 levels) is a bug and asserts; out of memory
 * is the buffer's sticky flag.
 */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct json_writer;

/*
 * Appends to `buffer`, which is borrowed until json_writer_free(). NULL: no memory, and the
 * buffer has failed.
 */
struct json_writer *json_writer_new(struct buffer *buffer);
void json_writer_free(
	struct json_writer *writer); /* asserts that the document is whole */

/* Also when the buffer found no memory for it. */
bool json_writer_is_whole(const struct json_writer *writer);
/* Bytes in the buffer by now. */
size_t json_writer_length(const struct json_writer *writer);

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
/* A finished JSON value, copied as it is. */
void json_write_raw(struct json_writer *writer, const char *json, size_t length);

/* key and value in one call */
void json_put_string(struct json_writer *writer, const char *key, const char *text);
void json_put_integer(struct json_writer *writer, const char *key, int64_t value);
void json_put_boolean(struct json_writer *writer, const char *key, bool value);

#endif
