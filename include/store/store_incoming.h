/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, incoming messages. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_INCOMING_H
#define STORE_STORE_INCOMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/* Whether the sender opts out of later messages, or in again; see sms/opt_word.h. */
enum opt {
	OPT_NONE,
	OPT_OUT,
	OPT_IN,
};

struct store_incoming_draft { /* strings borrowed, valid UTF-8 */
	int64_t sim_id;	      /* 0: the card is not known */
	int64_t reported_ms;  /* wall clock: when oFono or the spool reported it */
	const char *number;   /* sender as oFono wrote it, "" none */
	const char *text;
	const char *sent_time;
	unsigned flags;		/* enum store_message_flag */
	const char *spool_file; /* the file that contains it; NULL: an oFono signal did */
	enum opt opt;
	const char *opt_word; /* static; the word that opts out or in, NULL: OPT_NONE */
};

/* The same text of the same sender and time stamp counts as a repeat for this long. */
enum { STORE_REPEAT_MS = 10 * 60 * 1000 };
/* A signal and a spool file of one message match at any time among this many newest. */
enum { STORE_HALVES_MAX = 256 };

struct store_incoming_entry {
	const struct store_incoming_draft *draft;
	int64_t message_id; /* output */
	bool known;	    /* output: a repeat of a message that is stored already */
};

/*
 * Stores all entries in this order in one durable commit, or none.
 *
 * The same sender, SIM, time stamp and text within STORE_REPEAT_MS is the same message: the
 * entry gets the ID of its row, and the repeat is counted there. A signal and a spool file
 * of the same message are no repeat, even when the clock was set in between, nor is a
 * file that is read again. Files must be added in the order of their names. An opt-out or
 * opt-in is stored with a new message only. 0, STORE_E_FULL, -errno.
 */
int store_incoming_add_group(struct store *store, struct store_incoming_entry *entries,
			     size_t count);

/*
 * Marks unread incoming messages as read and ignores the others. 0, STORE_E_FULL, -errno.
 */
int store_incoming_mark_read(struct store *store, const int64_t *message_ids,
			     size_t count, unsigned *marked_out);

#endif
