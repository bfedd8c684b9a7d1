/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox record: what ofonod was given to send by any program, and what became of it, as our
 * plugin in ofonod recorded it (plugin/README.md).
 *
 * A message that another program sent becomes a row of CLIENT_PHONE. One of ours, whose call was
 * lost in a crash, gets its UUID and its outcome (tests/integration/test_phone_messages.py).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct outbox;

enum outbox_record_type {
	OUTBOX_RECORD_ACCEPTED, /* by ofonod, which has not sent it yet */
	OUTBOX_RECORD_SENT,
	OUTBOX_RECORD_FAILED,
	OUTBOX_RECORD_CANCELLED,
	OUTBOX_RECORD_DELIVERED,
	OUTBOX_RECORD_NOT_DELIVERED,
};

/* strings borrowed, valid UTF-8 */
struct outbox_record {
	enum outbox_record_type type;
	const char *imsi;
	const char *uuid;
	const char *number; /* only of OUTBOX_RECORD_ACCEPTED, like `text` */
	const char *text;
	int64_t at_ms; /* wall clock */
};

/*
 * Takes all records that there are. Returns true if ofonod has accepted nothing else since
 * `since_boot_ms` (CLOCK_BOOTTIME).
 */
typedef bool (*outbox_record_reader)(void *data, int64_t since_boot_ms);

/* Sets a reader: a message whose call was lost in a crash waits for what it finds. */
void outbox_record_set_reader(struct outbox *outbox, outbox_record_reader read,
			      void *data);

/*
 * Takes the records of one message in their order, repeated or not. Returns 0 if it is in the
 * store, or says nothing new; -EAGAIN if a call under way has to be answered first; -EINVAL if it
 * can never be stored; OUTBOX_E_STORAGE or another -errno.
 */
int outbox_record_take(struct outbox *outbox, const struct outbox_record *record);
