/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer: bytes that grow at the end.
 *
 * Failure is sticky: when memory runs out, `failed` is set and further appends do nothing, so
 * a writer checks once, at its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer {
	char *data; /* not NUL-terminated */
	size_t length;
	size_t capacity;
	bool failed;
	bool secret; /* set by the owner: memory is cleared before it is released */
};

#define BUFFER_INIT { NULL, 0, 0, false }

void buffer_append(struct buffer *buffer, const char *data, size_t length);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_clear(struct buffer *buffer); /* keeps the memory, clears `failed` */
/*
 * Returns the bytes, which the caller frees; NULL if an append has failed. Either way the buffer is
 * empty afterwards, and not failed.
 */
char *buffer_take(struct buffer *buffer, size_t *length_out);
void buffer_deinit(struct buffer *buffer);
/* Clears the memory first. Unless `secret` is set, memory it outgrew was not cleared. */
void buffer_wipe(struct buffer *buffer);
