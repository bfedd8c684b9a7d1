/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opt-out: what follows when somebody texts STOP.
 *
 * Messages to that number that wait in the gateway are cancelled, with the reason
 * recipient_opted_out. This is repeated at each start, so a crash in between misses none
 * (tests/integration/test_opt_out.py). A message that was accepted later is the confirmation,
 * or was allowed by a START.
 *
 * Where the owner wants it, the number gets the configured confirmation: at most one between a
 * STOP and the next START, whatever crashes in between, because it is recorded as sent before
 * it is accepted. It goes out through the outbox like any message, from the SIM that got the
 * STOP; never to a short code, a name or a blocked sender.
 */
#pragma once

#include "sms/inbox.h"
#include "sms/outbox.h"

struct config;
struct opt_out {
	const struct config *config; /* stop_confirmation, read each time */
	struct store *store;
	struct outbox *outbox;
	struct observer inbox;
};

/* Cancels the waiting messages to whoever opted out after they were accepted. */
void opt_out_cancel_waiting(struct opt_out *opt_out);
/* The first three members are set before. In the same turn of the loop as outbox_new(). */
void opt_out_init(struct opt_out *opt_out, struct inbox *inbox);
/* Zeroes are fine. */
void opt_out_deinit(struct opt_out *opt_out);

/* Would a message that consists of this text opt its sender out, or in? `text` is valid UTF-8. */
bool opt_out_is_word(const char *text);
