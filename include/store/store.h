/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store: everything that must survive, in one SQLite file. No SQL but in this folder.
 *
 * WAL with synchronous=FULL: what a function reports as done is on disk, unless the caller
 * said that it may come later (store/store_sync.h). The schema has a
 * version (PRAGMA user_version) and migrations in a table. A damaged or newer database is
 * an error in plain words, never written over; store_rescue.h moves a damaged one aside.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/elicitation_key.h"
#include "base/explanation.h"
#include "base/session_record.h"
#include "store/delivery.h"
#include "store/message_state.h"

/* outcomes */
enum {
	STORE_E_NOT_FOUND = 1,
	STORE_E_ILLEGAL, /* the state machine has no such way */
	STORE_E_EXISTS,	 /* a client of this name is there already */
	STORE_E_FULL,	 /* disk full or file system read-only: nothing was changed */
	STORE_E_MORE,	 /* well so far, and not at the end; see store_messages_look() */
};

struct store;

/*
 * Opens `folder`/gateway.db (folder made with mode 0700 when missing, its parents not;
 * file 0600). -EUCLEAN (damaged), -ENOTSUP (of a newer program), -EBUSY (locked by another
 * program), -ENOSPC (disk full or read-only) or another -errno, with the error's text.
 */
int store_open(const char *folder, struct store **store_out, struct explanation *error);
/* Rows that were written, by whatever, also what was rolled back; NULL: 0. */
uint64_t store_change_count(const struct store *store);
uint64_t store_commits(const struct store *store); /* so often it waited for the disk */
/* Gives back what it keeps to be quicker. */
void store_shrink(struct store *store);
void store_close(struct store *store); /* NULL is fine */

/* Damage was found while it was used: it can take nothing on any more. */
bool store_is_damaged(const struct store *store);
/*
 * Somebody removed or replaced the file, or its -wal, under us. Nothing is committed then
 * (STORE_E_FULL), for the next start would not find it. It is looked for at each commit, and
 * here once it was missed: when it is back all goes on. A -wal that was removed is made anew.
 */
bool store_is_gone(struct store *store);
/* Why it takes nothing on, as a sentence; NULL: of neither reason. */
const char *store_trouble(struct store *store);

/*
 * The durable number of a SIM card: the same for the same card for ever. Found by ICCID,
 * else by IMSI; made when new; what was missing is filled in if the disk takes it. A card
 * of the same IMSI and another ICCID is another card. "" = unknown, one is known. What came
 * in for an IMSI whose card was not known yet becomes the card's when that shows.
 * 0 or -errno or STORE_E_FULL.
 */
int store_sim_identify(struct store *store, const char *iccid, const char *imsi,
		       int64_t *sim_id_out);
/* Was this number ever given out? 0, STORE_E_NOT_FOUND, -errno. */
int store_sim_known(struct store *store, int64_t sim_id);

/* Every number that was given out, in order. 0 or -errno. */
int store_sims_list(struct store *store, void (*visit)(void *data, int64_t sim_id),
		    void *data);
enum { STORE_IMSI_BYTES = 24 };
/* The IMSI of a card, "" when it never showed one. 0, STORE_E_NOT_FOUND, -errno. */
int store_sim_imsi(struct store *store, int64_t sim_id, char imsi_out[STORE_IMSI_BYTES]);

/* strings borrowed, valid UTF-8 */
struct message_draft {
	int64_t sim_id;
	int64_t client_id;
	const char *number; /* as handed to oFono */
	const char *text;
	unsigned segments;
	enum message_state state;    /* 0: queued; or scheduled, waiting_approval */
	const char *idempotency_key; /* one of this client's, NULL none */
	int64_t send_at_ms;	     /* wall clock: not before; 0 at once */
	int64_t expires_at_ms;	     /* ... not handed over after; 0 never expires */
	const char *reason;	     /* of the state, NULL none */
	int64_t created_ms;	     /* wall clock; 0: now */
	bool is_awaited; /* of its submission nothing is told for now: see outbox_accept() */
	bool is_handing; /* queued, and about to be handed over with it: STATE_HANDING */
	bool yes_ends; /* expires_at_ms is the end of an approval, not of its validity */
};

enum message_direction {
	MESSAGE_OUTGOING,
	MESSAGE_INCOMING
}; /* stored as these numbers */

/* Bits of message.flags; stored: only append. */
enum message_flag {
	MESSAGE_REPAIRED = 1 << 0, /* upstream oFono's damage to emoji was undone */
	MESSAGE_UNREADABLE =
		1 << 1, /* empty, or oFono could not decode it: nobody knows */
	MESSAGE_IMMEDIATE = 1 << 2, /* class 0: was to be shown at once and not stored */
	MESSAGE_CLOCK_WRONG =
		1 << 3, /* our clock said a year before this program was built */
	MESSAGE_YES_ENDS = 1 << 4, /* outgoing: see struct message_draft */
};

struct message {
	int64_t id; /* grows with every message */
	enum message_direction direction;
	int64_t sim_id; /* 0: came in for a card that was not known */
	int64_t client_id;
	const char *number;
	const char *text;
	unsigned segments; /* incoming: 0 */
	enum message_state state;
	const char *reason; /* of the state, "" none */
	const char *uuid;   /* oFono's, "" before it took the message; incoming: the last
			     * file of the spool that told of it, "" none */
	int64_t created_ms; /* wall clock; incoming: when we were told of it */
	int64_t changed_ms;
	/* outgoing only */
	const char *idempotency_key; /* "" none */
	int64_t send_at_ms;	     /* see struct message_draft */
	int64_t expires_at_ms;
	enum delivery delivery; /* as stored: what is true, delivery_of() tells */
	/* ... as store_deadlines_carry() left them, for sms/outbox_deadline.h */
	int64_t boot;		 /* clock_boot_number() of the next two, 0 not known */
	int64_t created_boot_ms; /* clock_boot_ms() then */
	int64_t expires_boot_ms; /* ... 0: its validity has not begun, or it has none */
	int64_t seen_ms; /* wall clock: it lived through an earlier start until then */
	/* incoming only */
	const char *sent_time; /* the service centre's stamp as oFono wrote it, "" none */
	unsigned flags;	       /* enum message_flag; of outgoing ones, too */
	unsigned repeats;      /* how often the same message came again */
	int64_t read_ms;       /* 0: unread */
};

/*
 * A new message in its draft's state, on disk when 0 returns. Else -errno, STORE_E_FULL;
 * -EINVAL: this client has used the key already.
 */
int store_message_add(struct store *store, const struct message_draft *draft,
		      int64_t *message_id_out);

/*
 * One move of the state machine, with its reason (NULL: none) and oFono's UUID (NULL:
 * leave). Kept in the message's history. 0, STORE_E_NOT_FOUND, STORE_E_ILLEGAL,
 * STORE_E_FULL or -errno.
 */
int store_message_move(struct store *store, int64_t message_id, enum message_state to,
		       const char *reason, const char *uuid);

/* one line of a message's history */
struct message_change {
	enum message_state state;
	const char *reason; /* "" none */
	int64_t at_ms;	    /* wall clock */
	const char *by;	  /* who decided so, for the audit; NULL: nobody in particular */
	const char *note; /* what the owner said to it, NULL or "" nothing */
};

/* The history, oldest first; none for an unknown id or an incoming one. 0 or -errno. */
int store_message_changes(struct store *store, int64_t message_id,
			  void (*visit)(void *data, const struct message_change *change),
			  void *data);

/* Strings live in `arena`. 0, STORE_E_NOT_FOUND, -errno. */
int store_message_get(struct store *store, int64_t message_id, struct arena *arena,
		      struct message *message_out);

/*
 * Every message not in a final state, oldest first; `message` lives during the call, which
 * looks at no list and writes nothing. 0 or -errno.
 */
int store_messages_unfinished(struct store *store,
			      void (*visit)(void *data, const struct message *message),
			      void *data);

/* What the sender wants of later messages; see sms/opt_word.h. */
enum opt {
	OPT_NONE,
	OPT_OUT,
	OPT_IN,
};

struct incoming_draft {	    /* strings borrowed, valid UTF-8 */
	int64_t sim_id;	    /* 0: of a card that is not known */
	int64_t told_ms;    /* wall clock: when we were told of it */
	const char *number; /* sender as oFono wrote it, "" none */
	const char *text;
	const char *sent_time;
	unsigned flags;
	const char *spool_file; /* that tells of it; NULL: a signal of oFono does */
	enum opt opt;
	const char *opt_word; /* static; what it said in its words, NULL: OPT_NONE */
};

/* For so long after a message's last change its idempotency key is kept, at least. */
enum { STORE_KEY_DAYS = 30 };

/* How long the same message of the same sender and stamp counts as a repeat. */
enum { STORE_REPEAT_MS = 10 * 60 * 1000 };
/* Among so many of the newest its signal and its file find each other at any time. */
enum { STORE_HALVES_MAX = 256 };

/*
 * An incoming message, on disk when 0 returns. The same sender, SIM, stamp and text within
 * STORE_REPEAT_MS is the same message: its row is there, whose id is given, with
 * *known_out true. A repeat is counted in it; that both a signal and a file tell of it is
 * none, also when the clock was set between the two, nor is a file that is seen again.
 * Files are to be told in the order of their names.
 * What it says of later messages is on disk with it, for a new one alone.
 * STORE_E_FULL or -errno: it is not stored.
 */
int store_incoming_add(struct store *store, const struct incoming_draft *draft,
		       int64_t *message_id_out, bool *known_out);

struct incoming_entry {
	const struct incoming_draft *draft;
	int64_t message_id; /* given, as by store_incoming_add() */
	bool known;
};

/* All of them in this order, with one wait for the disk, or none: as above. */
int store_incoming_add_group(struct store *store, struct incoming_entry *entries,
			     size_t count);

struct message_filter { /* of both directions; what is 0, NULL or false filters nothing */
	bool outgoing_only;
	bool incoming_only;
	bool unread_only;
	const char *number; /* however it is spelt (store/store_party.h), or a name */
	const char *search; /* a part of the text, letters of ASCII without case */
	int64_t sim_id;
	int64_t since_ms;  /* created_ms >= */
	int64_t until_ms;  /* created_ms < */
	int64_t before_id; /* newest first: only older than this */
	int64_t after_id;  /* only newer than this; then the order is oldest first */
};

/*
 * A list of messages, newest first (see after_id), that is looked at in pieces: what
 * happens in between moves nothing, and what has gone by then is not shown.
 */
struct message_look {
	struct message_filter filter; /* its strings are borrowed until the end */
	/* False: that is enough. `message` lives during the call, which looks at no other
	 * list and writes nothing. */
	bool (*visit)(void *data, const struct message *message);
	void *data;
	/* 0 before the first piece; ids strictly between are still to be looked at */
	int64_t after_id;
	int64_t before_id;
};

/*
 * The next `rows` messages that may fit, of a number so many of each spelling. 0: that was
 * all, or enough; STORE_E_MORE: there may be more; -errno.
 */
int store_messages_look(struct store *store, struct message_look *look, unsigned rows);

/* The id of the newest message, 0 before the first. 0 or -errno. */
int store_message_newest(struct store *store, int64_t *message_id_out);

/* Incoming ones that were unread; the others are passed over. 0, STORE_E_FULL, -errno. */
int store_messages_mark_read(struct store *store, const int64_t *message_ids,
			     size_t count, unsigned *marked_out);

/* A time in which the gateway could not hear: it was down, or oFono was, or it slept. */
struct gap {
	int64_t from_ms;
	int64_t until_ms;   /* 0: it goes on */
	const char *reason; /* "gateway_down", "ofono_down", "suspended", or */
};

/* ... what was noted then may be gone from the ledger itself. */
#define STORE_GAP_RESTORED "restored"
#define STORE_GAP_DAMAGED  "ledger_damaged"

/* Gaps of one reason with less than this between them are one. */
enum { STORE_GAP_JOIN_MS = 5 * 1000 };

/* 0, STORE_E_FULL, -errno. One that goes on already is not added again. */
int store_gap_add(struct store *store, const struct gap *gap);
/* Those that end after `since_ms` or go on, oldest first, at most the last 100. */
int store_gaps_list(struct store *store, int64_t since_ms,
		    void (*visit)(void *data, const struct gap *gap), void *data);
/* Is there one of this reason that ended after that? 0, STORE_E_NOT_FOUND, -errno. */
int store_gap_known(struct store *store, const char *reason, int64_t since_ms);
/* Every gap of this reason that goes on ended then. */
int store_gap_end(struct store *store, const char *reason, int64_t until_ms);
/* Those that begin within [from_ms, until_ms) began, and ended, so much later. */
int store_gaps_shift(struct store *store, int64_t from_ms, int64_t until_ms,
		     int64_t later_ms);

/* After the first store_alive_set() other writes tell the time on, this often at most. */
enum { STORE_ALIVE_MS = 60 * 1000 };

/* The gateway was alive and heard at this time; the start of a gap after a crash. */
int store_alive_set(struct store *store, int64_t wall_ms);
int store_alive_get(struct store *store, int64_t *wall_ms_out); /* 0 in it: never */

/*
 * Sessions of MCP; fit struct persistence of mcp/persistence.h. Changes
 * are lazy (store/store_sync.h): a loss of power may take back the last ones, and then the
 * client begins again.
 */
int store_session_put(struct store *store, const struct session_record *record);
int store_session_remove(struct store *store, const char *id);
/* Used longest ago first; the record lives during the call of visit. */
int store_sessions_list(struct store *store,
			void (*visit)(void *visit_data,
				      const struct session_record *record),
			void *visit_data);

/* Questions to the user; fit struct persistence of mcp/persistence.h. */

enum { STORE_ASKINGS_CLOSED_MAX = 1000 };

/* `key` is the one to keep if there is none yet, and then the one that is kept. */
int store_asking_key(struct store *store, struct elicitation_key *key);
/* The person said no to what this order asks for; remembered until then. */
int store_asking_close(struct store *store, const char *order, int64_t until_ms);
/* Also true when it cannot be told. */
bool store_asking_is_closed(struct store *store, const char *order);

#endif
