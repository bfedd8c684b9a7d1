/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Received codes: the one-time codes, and the links that carry one, of the messages of the last
 * day, and whether an outgoing text holds one of them, however it is written.
 *
 * They are what code_mask.h hides, kept in memory alone and read again from the store after
 * a start. An agent that was tricked into passing a code on can write it in words, backwards or
 * in base64; doc/security.md lists what is recognised, and
 * tests/unit/test_received_code.c measures it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "store/store.h"

enum { RECEIVED_CODE_HOURS = 24 };

extern const char received_code_reason[]; /* "contains_received_code" */

struct received_codes;

/*
 * The messages of the last day are read by the loop, a millisecond at a time. A text that is judged
 * before that is done has them all read first. Returns 0 or -errno.
 */
int received_codes_new(sd_event *loop, struct store *store,
		       struct received_codes **codes_out);
/* Have the messages of the last day been read? Then judging a text does not take long. */
bool received_codes_are_ready(const struct received_codes *codes);
/* Notified, without an event, when they are ready. */
struct observers *received_codes_observers(struct received_codes *codes);
void received_codes_free(struct received_codes *codes); /* NULL is fine */

struct received_code_question {
	const char *text;  /* valid UTF-8 */
	int64_t client_id; /* its messages of the last day may hold the rest of the code */
	int64_t message_id; /* of the text, if it has one: only earlier ones count */
};

/*
 * Does the text hold a received code? Returns true also if that cannot be found out, because there
 * is no memory or the store cannot be read.
 */
bool received_codes_are_in(struct received_codes *codes,
			   const struct received_code_question *question);
