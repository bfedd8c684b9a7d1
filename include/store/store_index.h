/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, work on the indexes of messages: in small steps, so that the gateway goes on meanwhile.
 * Part of the store of store/store.h, for sms/indexer.h.
 *
 * The messages that a store had before it had these indexes, or that were copied into a new
 * store, are added from the newest to the oldest. Until then listings read those messages one by
 * one and find the same (tests/unit/test_store_index.c). Each step is one lazy commit, and the
 * next one begins where it ended, also after a crash.
 *
 * The index of texts is merged afterwards. That removes pieces of texts that no message has
 * any more.
 */
#pragma once

#include <stdbool.h>

#include "store/store_message.h"

struct store;

/* Adds MESSAGE_HAS_CODE and MESSAGE_HAS_LINK for a text. */
typedef unsigned store_index_judge(const char *text);

/*
 * Call once at the start, before messages are listed by kind. `version` names the program: kinds
 * that another version found are found anew. Returns 0, STORE_E_FULL or -errno.
 */
int store_index_begin(struct store *store, const char *version);

/* The work of one pass. Begins as { .judge = ... }. */
struct store_index_pass {
	store_index_judge *judge;
	bool is_merging;
	bool done;
	int64_t added; /* messages, to the index of texts */
};

/* Returns 0, STORE_E_FULL or -errno. */
int store_index_step(struct store *store, struct store_index_pass *pass);
