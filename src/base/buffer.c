/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_CAPACITY_LEAST = 256 };

static void buffer_clear_secret(struct buffer *buffer)
{
	if (buffer->secret && buffer->data)
		explicit_bzero(buffer->data, buffer->capacity);
}

/* Like realloc(), but clears the old memory. Returns NULL if memory runs out. */
static char *buffer_move_secret(struct buffer *buffer, size_t capacity)
{
	char *data = malloc(capacity);

	if (!data)
		return NULL;
	if (buffer->length)
		memcpy(data, buffer->data, buffer->length);
	buffer_clear_secret(buffer);
	free(buffer->data);
	return data;
}

static __attribute__((noinline)) bool buffer_grow(struct buffer *buffer, size_t more)
{
	size_t capacity = buffer->capacity ? buffer->capacity : BUFFER_CAPACITY_LEAST;
	char *data;

	while (capacity - buffer->length < more) {
		if (capacity > SIZE_MAX / 2)
			return false;
		capacity *= 2;
	}
	data = buffer->secret ? buffer_move_secret(buffer, capacity)
			      : realloc(buffer->data, capacity);
	if (!data)
		return false;
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

static bool buffer_reserve(struct buffer *buffer, size_t more)
{
	return more <= buffer->capacity - buffer->length || buffer_grow(buffer, more);
}

void buffer_append(struct buffer *buffer, const char *data, size_t length)
{
	if (buffer->failed || !length)
		return;
	if (!buffer_reserve(buffer, length)) {
		buffer->failed = true;
		return;
	}
	memcpy(buffer->data + buffer->length, data, length);
	buffer->length += length;
}

void buffer_append_text(struct buffer *buffer, const char *text)
{
	buffer_append(buffer, text, strlen(text));
}

void buffer_clear(struct buffer *buffer)
{
	buffer_clear_secret(buffer);
	buffer->length = 0;
	buffer->failed = false;
}

char *buffer_take(struct buffer *buffer, size_t *length_out)
{
	char *data;

	if (!buffer->failed &&
	    !buffer_reserve(buffer, 1)) /* an empty result is not NULL */
		buffer->failed = true;
	if (buffer->failed) {
		buffer_deinit(buffer);
		return NULL;
	}
	data = buffer->data;
	*length_out = buffer->length;
	*buffer = (struct buffer)BUFFER_INIT;
	return data;
}

void buffer_deinit(struct buffer *buffer)
{
	buffer_clear_secret(buffer);
	free(buffer->data);
	*buffer = (struct buffer)BUFFER_INIT;
}

void buffer_wipe(struct buffer *buffer)
{
	if (buffer->data)
		explicit_bzero(buffer->data, buffer->capacity);
	buffer_deinit(buffer);
}
