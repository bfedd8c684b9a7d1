/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spool: the folder that keeps a message from before ofonod acknowledges it to the network
 * until the gateway has stored it. Its folder ".outgoing" keeps what ofonod was given to send,
 * and what became of that. README.md describes the files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum {
	SPOOL_FILES_MAX = 4096,
	SPOOL_KIB_MAX = 32 * 1024,
};

struct history_spool_member {
	const char *name;
	const char *text; /* valid UTF-8 */
};

/* strings borrowed */
struct history_spool_record {
	bool is_outgoing;      /* it belongs into ".outgoing" */
	const char *suffix;    /* of its file: ".sms", ".out", ".end" */
	const char *time_name; /* the member that `at` becomes, in milliseconds */
	struct timespec at;
	const char *uuid; /* of the PDUs: a repeated message has the same */
	const struct history_spool_member *members;
	size_t count;
};

/* Chooses the folder and logs it. */
void history_spool_init(void);

/*
 * When it returns, the record is on disk as a file of its own. Otherwise the error is logged,
 * and only ofonod's signals report the message. Without a folder ".outgoing" nobody reads what
 * is sent, and nothing is written.
 */
void history_spool_put(const struct history_spool_record *record);
