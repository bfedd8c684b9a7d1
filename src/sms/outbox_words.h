/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox words: what oFono is given of a message, while it is about to be.
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_WORDS_H
#define SMS_OUTBOX_WORDS_H

#include "store/store.h"

struct outbox_words {
	const char *number;
	const char *text;
};

/* One piece of memory, for free(); NULL: there is none. */
struct outbox_words *outbox_words_new(const char *number, const char *text);
/* Those of the row. 0, -errno, STORE_E_NOT_FOUND */
int outbox_words_read(struct store *store, int64_t message_id,
		      struct outbox_words **words_out);

#endif
