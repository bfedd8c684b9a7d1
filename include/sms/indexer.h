/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indexer: works on the indexes of messages (store/store_index.h), after the start and then once
 * a day when something else has woken the loop. A store of an older version is complete some
 * seconds or minutes after the start, and messages come and go meanwhile
 * (tests/unit/test_store_index.c).
 */
#pragma once

#include <systemd/sd-event.h>

struct indexer;
struct store;

int indexer_new(sd_event *loop, struct store *store, struct indexer **indexer_out);
void indexer_free(struct indexer *indexer); /* NULL is fine */

/* Returns the flags of what a text has: MESSAGE_HAS_CODE, MESSAGE_HAS_LINK. */
unsigned indexer_judge(const char *text);
