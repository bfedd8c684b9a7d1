/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store: the message store, one SQLite file with everything that must survive a restart.
 * Only this folder contains SQL.
 *
 * The database uses WAL with synchronous=FULL: when a function reports success, its change is
 * on disk. The exceptions are lazy changes, which a function or parameter names as such. A
 * lazy change is complete, visible at once, and survives the end of this process. It
 * survives a loss of power from the next store_sync() or the next durable change on, and
 * never without the lazy changes before it.
 *
 * The schema has a version (PRAGMA user_version) and a table of migrations. A damaged or newer
 * database is reported as an error and never overwritten; store_open_or_rescue() moves a
 * damaged one aside.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/crypto.h"
#include "base/explanation.h"
#include "base/session_record.h"
#include "config/balance_pattern.h"
#include "config/ussd_code.h"
#include "store/store_listing.h"
#include "store/store_message.h"

/* outcomes */
enum {
	STORE_E_NOT_FOUND = 1,
	STORE_E_ILLEGAL, /* the state machine does not allow this change */
	STORE_E_EXISTS,	 /* a client of this name exists already */
	STORE_E_FULL,	 /* disk full or file system read-only: nothing was changed */
	STORE_E_MORE, /* success so far, with more rows left: store_listing_messages() */
};

struct store;

/*
 * Opens `folder`/gateway.db. Makes the folder (mode 0700, not its parents) and the file (0600)
 * when they are missing. On error fills `error` and returns -EUCLEAN (damaged), -ENOTSUP
 * (written by a newer program), -EBUSY (locked by another program), -ENOSPC (disk full or
 * read-only) or another -errno.
 */
int store_open(const char *folder, struct store **store_out, struct explanation *error);

/*
 * Like store_open(), for the gateway, which holds the lock of the folder. A damaged database
 * is no error: it is moved aside unchanged, and a new one begins with every row that can be
 * read. SIM IDs, client tokens and idempotency keys stay, no number is given out twice, and
 * nothing that may have been sent is sent again (tests/unit/test_store_rescue.c).
 */
int store_open_or_rescue(const char *folder, struct store **store_out,
			 struct explanation *error);
/*
 * Returns what store_open_or_rescue() had to do, for the owner; NULL for nothing. Lives with the
 * store.
 */
const char *store_rescue_notice(const struct store *store);

void store_close(struct store *store);	/* NULL is fine */
void store_shrink(struct store *store); /* frees SQLite's page cache */

/* Counts rows written since the store was opened, rolled back or not. Returns 0 for NULL. */
uint64_t store_change_count(const struct store *store);
/* Counts commits and syncs that waited for the disk. */
uint64_t store_commits(const struct store *store);

/* Was damage found while the store was in use? Then it accepts no more changes. */
bool store_is_damaged(const struct store *store);
/*
 * Returns whether the file or its -wal was removed or replaced while the store was open. Nothing is
 * committed (STORE_E_FULL), because the next start would not find it. Every commit checks this;
 * this function checks again after a loss. When the files are back, the store works again. A
 * removed -wal is made anew.
 */
bool store_is_gone(struct store *store);
/* Returns why the store accepts no changes, as a sentence; NULL if it does accept them. */
const char *store_trouble(struct store *store);

/*
 * A snapshot lets several reads see the same moment and locks the SQLite file once. A change
 * inside a snapshot ends it. End it before the event loop runs again: an open snapshot
 * prevents SQLite from emptying the -wal.
 */
void store_snapshot_begin(struct store *store);
void store_snapshot_end(struct store *store); /* fine when it has ended */

/* Returns false if there are lazy changes that the disk has not confirmed. */
bool store_is_synced(const struct store *store);
/* Waits for the disk if there are lazy changes. Returns 0 or -errno. */
int store_sync(struct store *store);
/*
 * Waits for the disk like store_sync(), and makes every earlier copy of the store recognisable as
 * one. To be called before what the lazy changes allow leaves the gateway: after a copy is put back
 * it must not leave again (tests/integration/test_copies.py). Returns 0, or -errno: then it must
 * stay.
 */
int store_identity_advance(struct store *store);
/*
 * Runs `work`, whose changes are all lazy, then waits for the disk once. Not inside a
 * transaction. Returns what `work` returned; *synced_out: the result of store_sync().
 */
int store_sync_once(struct store *store, int (*work)(void *data), void *data,
		    int *synced_out);

/* ---- SIM cards: their IDs and their balances (store_sim.c) */

/*
 * Finds or makes the SIM ID of a card; the same card keeps its ID for ever. It is found by ICCID,
 * else by IMSI. "" means unknown; one of the two is known. A missing identity is filled in when the
 * disk allows. A card of the same IMSI and another ICCID is another card. Messages that arrived for
 * an IMSI whose ICCID was unknown move to the card once both are seen together. Returns 0, -errno
 * or STORE_E_FULL.
 */
int store_sim_identify(struct store *store, const char *iccid, const char *imsi,
		       int64_t *sim_id_out);
/* Does no row have this card? One of the two is known. Returns false also if the store fails. */
bool store_sim_is_new(struct store *store, const char *iccid, const char *imsi);
/* Was this SIM ID ever given out? 0, STORE_E_NOT_FOUND, -errno. */
int store_sim_known(struct store *store, int64_t sim_id);
/* Lists every SIM ID, in ascending order. Returns 0 or -errno. */
int store_sim_list(struct store *store, void (*visit)(void *data, int64_t sim_id),
		   void *data);

enum { STORE_IMSI_BYTES = 24 };
/*
 * Reads the IMSI of a card; "" when the card never showed one. Returns 0, STORE_E_NOT_FOUND or
 * -errno.
 */
int store_sim_imsi(struct store *store, int64_t sim_id, char imsi_out[STORE_IMSI_BYTES]);

/*
 * The balance that the network reported last. Its age is kept in usage time
 * (store/store_usage.h), so setting the clock makes no balance older or younger
 * (tests/unit/test_store_sim.c).
 */
struct store_sim_balance {
	struct balance balance;
	char code[USSD_CODE_BYTES]; /* the USSD code that was dialled for it */
	int64_t read_ms;	    /* wall clock, as the clock is set now */
	int64_t age_ms;
};

/* Stores a balance read just now, with its audit line. Returns 0, STORE_E_FULL or -errno. */
int store_sim_balance_put(struct store *store, int64_t sim_id, const char *code,
			  const struct balance *balance);
/* Returns 0, STORE_E_NOT_FOUND or -errno. */
int store_sim_balance_get(struct store *store, int64_t sim_id,
			  struct store_sim_balance *balance_out);
/* Discards the balance for the owner. Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int store_sim_balance_forget(struct store *store, int64_t sim_id);

/* ---- incoming messages (store_incoming.c) */

/* Whether the sender opts out of later messages, or in again; see sms/opt_word.h. */
enum opt {
	OPT_NONE,
	OPT_OUT,
	OPT_IN,
	OPT_ASKS, /* opts out from a number of the owner, who decides */
};

struct store_incoming_draft { /* strings borrowed, valid UTF-8 */
	int64_t sim_id;	      /* 0 if the card is not known */
	int64_t reported_ms;  /* wall clock: when oFono or the spool reported it */
	const char *number;   /* sender as oFono wrote it, "" if there is none */
	const char *text;
	const char *sent_time;
	unsigned flags; /* enum store_message_flag */
	/* the file that contains it; NULL if an oFono signal did */
	const char *spool_file;
	enum opt opt;
	/* static; the word that opts out or in; NULL with OPT_NONE */
	const char *opt_word;
};

/* The same text of the same sender and time stamp counts as a repeat for this long. */
enum { STORE_REPEAT_MS = 10 * 60 * 1000 };
/* A signal and a spool file of one message match at any time among this many newest. */
enum { STORE_HALVES_MAX = 256 };

struct store_command_claim;

struct store_incoming_entry {
	struct store_incoming_draft *draft;
	int64_t message_id; /* output */
	bool known;	    /* output: a repeat of a message that is stored already */
	/* what it claims to be (store/store_command.h); NULL means an ordinary message */
	const struct store_command_claim *claim;
	unsigned flags;	     /* output: as stored; 0 for a repeat */
	const char *refusal; /* output: why the claim does not count; NULL if it does */
};

/*
 * Stores all entries in this order in one durable commit, or none.
 *
 * The same sender, SIM, time stamp and text within STORE_REPEAT_MS is the same message: the entry
 * gets the ID of its row, and the repeat is counted there. A signal and a spool file of the same
 * message are no repeat, even when the clock was set in between, nor is a file that is read again.
 * Files must be added in the order of their names. An opt-out or opt-in is stored with a new
 * message only. Returns 0, STORE_E_FULL or -errno.
 */
int store_incoming_add_group(struct store *store, struct store_incoming_entry *entries,
			     size_t count);

/*
 * Marks unread incoming messages as read and ignores the others. Returns 0, STORE_E_FULL or -errno.
 */
int store_incoming_mark_read(struct store *store, const int64_t *message_ids,
			     size_t count, unsigned *marked_out);

/* ---- MCP sessions and elicitations (store_session.c); fits struct persistence of mcp */

/*
 * Changes of sessions are lazy: after a loss of power the latest may be missing, and the
 * client begins a new session.
 */
int store_session_put(struct store *store, const struct session_record *record);
int store_session_remove(struct store *store, const char *id);
/* Lists the least recently used first; `record` lives during the call. Returns 0 or -errno. */
int store_session_list(struct store *store,
		       void (*visit)(void *visit_data,
				     const struct session_record *record),
		       void *visit_data);

enum { STORE_DECLINED_MAX = 1000 }; /* declined requests that are remembered */

/*
 * Reads the secret with which mcp recognises its own elicitations: `key` is stored if there is none
 * yet, then filled with the stored one. Returns 0, STORE_E_FULL or -errno.
 */
int store_session_elicitation_key(struct store *store, struct crypto_key *key);
/* Remembers until then that the user declined this request. Returns 0, STORE_E_FULL or -errno. */
int store_session_decline_elicitation(struct store *store, const char *request,
				      int64_t until_ms);
/* Returns true also when the store cannot be read. */
bool store_session_is_declined(struct store *store, const char *request);

/* ---- receive gaps (store_receive_gaps.c) */

/*
 * A time in which the gateway could not receive messages, because it was down, oFono was down,
 * or the phone was suspended.
 */
struct gap {
	int64_t from_ms;    /* wall clock */
	int64_t until_ms;   /* 0 if it is still open */
	const char *reason; /* "gateway_down", "ofono_down", "suspended", or one below */
};

/* Reasons of gaps whose messages may be missing from the message store itself. */
#define STORE_GAP_RESTORED "restored"
#define STORE_GAP_DAMAGED  "store_damaged"

/* Gaps of one reason with less than this between them are joined. */
enum { STORE_GAP_JOIN_MS = 5 * 1000 };

/* Does nothing when a gap of this reason is open. Returns 0, STORE_E_FULL or -errno. */
int store_receive_gaps_add(struct store *store, const struct gap *gap);
/*
 * Lists the gaps that end after `since_ms` or are open, and begin before `until_ms`: the last 20,
 * oldest first. Returns 0 or -errno.
 */
int store_receive_gaps_list(struct store *store, int64_t since_ms, int64_t until_ms,
			    void (*visit)(void *data, const struct gap *gap), void *data);
/*
 * Did a gap of this reason end after that? Returns 0 if one did, STORE_E_NOT_FOUND if not, or
 * -errno.
 */
int store_receive_gaps_has(struct store *store, const char *reason, int64_t since_ms);
/* Ends every open gap of this reason. Returns 0, STORE_E_FULL or -errno. */
int store_receive_gaps_end(struct store *store, const char *reason, int64_t until_ms);
/* Moves gaps that begin within [from_ms, until_ms). Returns 0, STORE_E_FULL or -errno. */
int store_receive_gaps_shift(struct store *store, int64_t from_ms, int64_t until_ms,
			     int64_t later_ms);

/* After the first store_receive_gaps_set_alive(), other commits update the time this often. */
enum { STORE_ALIVE_MS = 60 * 1000 };

/* Records that the gateway was alive at this time: a gap after a crash begins there. */
int store_receive_gaps_set_alive(struct store *store, int64_t wall_ms);
/* *wall_ms_out is 0 for never. Returns 0 or -errno. */
int store_receive_gaps_get_alive(struct store *store, int64_t *wall_ms_out);
