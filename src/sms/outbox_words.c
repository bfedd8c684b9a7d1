/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outbox_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "sms/outbox_message.h"

struct outbox_words *outbox_words_new(const char *number, const char *text)
{
	size_t number_bytes = strlen(number) + 1, text_bytes = strlen(text) + 1;
	struct outbox_words *words = malloc(sizeof(*words) + number_bytes + text_bytes);
	char *at;

	if (!words)
		return NULL;
	at = (char *)(words + 1);
	words->number = memcpy(at, number, number_bytes);
	words->text = memcpy(at + number_bytes, text, text_bytes);
	return words;
}

int outbox_words_read(struct store *store, int64_t message_id,
		      struct outbox_words **words_out)
{
	struct arena *arena = arena_new(OUTBOX_ARENA_BYTES);
	struct outbox_words *words = NULL;
	struct message row;
	int error = arena ? store_message_get(store, message_id, arena, &row) : -ENOMEM;

	if (!error) {
		words = outbox_words_new(row.number, row.text);
		error = words ? 0 : -ENOMEM;
	}
	arena_free(arena);
	if (!error)
		*words_out = words;
	return error;
}
