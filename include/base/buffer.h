/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer: bytes that grow at the end.
 *
 * Out of memory is sticky: appends become nothing and `failed` stays true, so that a
 * writer checks once, at its end.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct buffer {
	char *data; /* not NUL-terminated */
	size_t length;
	size_t capacity;
	bool failed;
	bool secret; /* set by its owner: whatever memory it leaves is cleared before */
};

#define BUFFER_INIT { NULL, 0, 0, false }

void buffer_append(struct buffer *buffer, const char *data, size_t length);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_clear(struct buffer *buffer); /* keeps the memory; not failed */
/*
 * The bytes, which the caller frees, or NULL when an append has failed. Either way the
 * buffer is empty then, and not failed.
 */
char *buffer_take(struct buffer *buffer, size_t *length_out);
void buffer_deinit(struct buffer *buffer);
/* The same for secrets: its memory is cleared first. What it grew out of was not. */
void buffer_wipe(struct buffer *buffer);

#endif
