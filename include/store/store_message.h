/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, messages: rows of both directions, and the life of outgoing ones. Part of the store
 * of store/store.h.
 *
 * A message, its history and its audit line change together or not at all
 * (tests/unit/test_store_damage.c, tests/unit/test_store_audit.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct store;
struct store_routed;

/*
 * Message state: the state machine of an outgoing message.
 *
 *   waiting_approval -> scheduled -> queued -> submitting -> submitted -> sent -> delivered
 *          |                |          |          |             |
 *          |                |          |          |             +-> failed | cancelled
 *          |                |          |          |             +-> held (oFono or the modem
 *          |                |          |          |                  disappeared with it)
 *          |                |          |          |                  -> submitted, ...
 *          |                |          |          |                  -> held (another reason)
 *          |                |          |          +-> queued (it never reached oFono)
 *          |                |          |          +-> failed (oFono refused it)
 *          +----------------+----------+-> cancelled | expired
 *   waiting_approval -> queued | failed (the owner approves or rejects it)
 *   submitting, held -> unknown  (the outcome is lost; it is never submitted again)
 *   held, unknown -> delivered (a delivery report proves it)
 *   any state that is not final -> unknown (the message store was restored from a backup or
 *                rescued after damage, so it may be older than what was done)
 *
 * Callers treat unknown as final, but late news corrects it: oFono may answer after we gave
 * up (unknown -> submitted, sent, failed, ...). A message that was submitted never returns
 * to queued, so nothing is submitted twice. The one exception: submitting -> queued, when
 * oFono certainly never accepted it. From submitting on, a step may be left out, because the
 * disk may refuse one state and accept the next.
 *
 * A report of failed delivery changes no state: the network did accept the message, so it
 * stays sent; enum delivery (store/store_message.h) holds the report.
 *
 * The table in message_state.c is the only definition; the store refuses an illegal change.
 */

/* stored as these numbers: only append */
enum message_state {
	STATE_QUEUED = 1,
	STATE_SUBMITTING, /* SendMessage is about to be, or was, written to the bus */
	STATE_SUBMITTED,  /* oFono has it under a UUID */
	STATE_HELD, /* oFono keeps it on disk while the modem, SIM or oFono is away */
	STATE_SENT, /* the network accepted every segment */
	STATE_FAILED,
	STATE_CANCELLED,
	STATE_UNKNOWN,
	STATE_RECEIVED,		/* the only state of an incoming message */
	STATE_SCHEDULED,	/* waits in the gateway for its time */
	STATE_WAITING_APPROVAL, /* waits in the gateway for the owner's approval */
	STATE_DELIVERED,	/* a delivery report confirms it */
	STATE_EXPIRED,		/* its validity ended before it was submitted */
	STATE_LAST = STATE_EXPIRED,
};

/*
 * The SQL condition for states that are not final; it agrees with message_state_is_final()
 * (tests/unit/test_store.c). A new state that is not final needs a migration that makes the
 * index message_unfinished anew.
 */
#define STATE_IS_UNFINISHED "(state < 5 OR state IN (10, 11))"

/* Returns the state that a row has; STATE_UNKNOWN, which is final, for a number that is none. */
enum message_state message_state_of(int64_t stored);
const char *message_state_name(enum message_state state); /* "queued" */
/*
 * Returns the state that people and agents are told: what waits on another phone for the approval of
 * its owner, with message_reason_phone_owner, is submitted here.
 */
enum message_state message_state_shown(enum message_state state, const char *reason);
extern const char message_reason_phone_owner[];
bool message_state_is_final(enum message_state state);
/* Returns whether it waits in the gateway and oFono never had it: it can be cancelled or expire. */
bool message_state_is_waiting(enum message_state state);
/* Returns false also for numbers that are not a state. */
bool message_state_may_become(enum message_state from, enum message_state to);

/*
 * Delivery: what is known of the delivery report of an outgoing message.
 *
 * oFono passes on one bit for each message, late or never. "Not delivered" leaves the message
 * sent, because the network accepted it. A missing report proves nothing: after the validity
 * of the network (24 h, oFono's fixed TP-VP) and one hour more, the delivery counts as
 * unconfirmed. That is computed when somebody asks and never stored; no timer waits for it.
 *
 * stored as these numbers: only append
 */
enum delivery {
	DELIVERY_NONE,	    /* no report was requested, or the message was never sent */
	DELIVERY_AWAITED,   /* a report was requested and has not arrived */
	DELIVERY_CONFIRMED, /* delivered */
	DELIVERY_REFUSED,   /* the network gave up, or the recipient's phone refused it */
	DELIVERY_UNCONFIRMED, /* no report arrived in time; never stored */
	DELIVERY_LAST = DELIVERY_UNCONFIRMED,
};

enum { DELIVERY_WAIT_MS = 25 * 60 * 60 * 1000 };

enum message_direction {
	MESSAGE_OUTGOING,
	MESSAGE_INCOMING
}; /* stored as these numbers */

/* Bits of message.flags; stored: only append. */
enum store_message_flag {
	MESSAGE_REPAIRED = 1 << 0,   /* upstream oFono's damage to emoji was undone */
	MESSAGE_UNREADABLE = 1 << 1, /* empty, or oFono could not decode it */
	/* of class 0, which is meant to be displayed and not stored */
	MESSAGE_IMMEDIATE = 1 << 2,
	MESSAGE_CLOCK_WRONG = 1 << 3, /* our clock was before the build of this program */
	MESSAGE_ENDS_APPROVAL = 1 << 4,	   /* outgoing: see ends_approval below */
	MESSAGE_ADDRESSES_AGENTS = 1 << 5, /* incoming: see text/agent_address.h */
	/* incoming; see store/store_command.h */
	MESSAGE_COMMAND = 1 << 6,	  /* for an agent */
	MESSAGE_ANSWER = 1 << 7,	  /* to a question for approval */
	MESSAGE_COMMAND_REFUSED = 1 << 8, /* either of them, but it does not count */
	MESSAGE_CODE_PROVED = 1 << 9,	  /* either of them, with a right code */
	MESSAGE_SPREAD = 1 << 10,	  /* outgoing: see is_spread below */
	/* incoming: see enum store_message_kind */
	MESSAGE_HAS_CODE = 1 << 11,
	MESSAGE_HAS_LINK = 1 << 12,
	MESSAGE_DOUBTFUL = 1 << 13, /* incoming: see sms/mended_text.h */
	MESSAGE_SERVICE = 1 << 14,  /* incoming: see text/service_text.h; never unread */
};

/* What an incoming message can be looked up by; stored: only append. */
enum store_message_kind {
	MESSAGE_KIND_ANY,
	MESSAGE_KIND_CODE, /* the text has a one-time code */
	MESSAGE_KIND_LINK,
	MESSAGE_KIND_COMMAND, /* MESSAGE_COMMAND */
};

struct message {
	int64_t id; /* ascending, in both directions */
	enum message_direction direction;
	int64_t sim_id; /* 0 if received for a card that was not known */
	int64_t client_id;
	const char *number; /* phone number of the other party */
	const char *text;
	unsigned segments; /* incoming: 0 */
	enum message_state state;
	const char *reason; /* of the state, "" if there is none */
	const char *
		uuid; /* oFono's, "" before submission; incoming: the name of the last spool
			     * file that contained it, "" if there is none */
	int64_t created_ms; /* wall clock; incoming: when oFono or the spool reported it */
	int64_t changed_ms; /* wall clock */
	/* outgoing only */
	const char *idempotency_key; /* "" if there is none */
	int64_t send_at_ms;	     /* see struct store_message_draft */
	int64_t expires_at_ms;
	int64_t valid_ms;  /* see struct store_message_draft */
	unsigned revision; /* how often it was edited (store/store_edit.h) */
	/* as stored; store_message_delivery() computes the truth */
	enum delivery delivery;
	/* outgoing only, as store_message_rebase_deadlines() left them */
	int64_t boot;		 /* clock_boot_number() of the next two; 0 if unknown */
	int64_t created_boot_ms; /* clock_boot_ms() when it was created */
	int64_t expires_boot_ms; /* 0 if its validity has not begun, or it has none */
	int64_t seen_ms; /* wall clock: an earlier boot lasted at least until then */
	/* incoming only */
	/* the service centre's time stamp as oFono wrote it, "" if there is none */
	const char *sent_time;
	unsigned flags;	  /* enum store_message_flag, also of outgoing messages */
	unsigned repeats; /* how often the same message arrived again */
	int64_t read_ms;  /* wall clock; 0 if unread */
};

/* strings borrowed, valid UTF-8 */
struct store_message_draft {
	int64_t sim_id;
	int64_t client_id;
	const char *number; /* phone number, as oFono receives it */
	const char *text;
	unsigned segments;
	enum message_state
		state; /* 0 if queued, scheduled, waiting_approval, or held with a UUID */
	const char *idempotency_key; /* of this client; NULL if there is none */
	int64_t send_at_ms;	     /* wall clock; not sent before; 0 for at once */
	/* wall clock; not submitted after; 0 if it never expires */
	int64_t expires_at_ms;
	int64_t valid_ms;   /* for so long after send_at, or from now; 0 for always */
	const char *reason; /* of the state; NULL if there is none */
	int64_t created_ms; /* wall clock; 0 for now */
	bool is_awaited;    /* the caller waits for the outcome, so the row is lazy */
	bool is_submitting; /* it leaves at once: stored as queued, then submitting */
	bool ends_approval; /* expires_at_ms is the end of an approval, not of the validity */
	bool is_spread; /* limits chose its time, and are asked again before it leaves */
	/* How a hub chose its SIM (store/store_attempt.h); NULL if a phone's gateway did. */
	const struct store_routed *routed;
	bool may_be_later; /* for store_message_find_same(): also with a later send_at */
	/* oFono has it already under this UUID; NULL if it does not yet */
	const char *uuid;
};

/*
 * Stores a new message in its draft's state. Durable, unless draft->is_awaited. Returns 0,
 * STORE_E_FULL, -EINVAL if this client has used the key already, or another -errno.
 */
int store_message_add(struct store *store, const struct store_message_draft *draft,
		      int64_t *message_id_out);

/* The same for several: all of them in one commit, or none. is_awaited is the first one's. */
int store_message_add_all(struct store *store, const struct store_message_draft *drafts,
			  size_t count, int64_t *message_ids_out);

/* Strings live in `arena`. Returns 0, STORE_E_NOT_FOUND or -errno. */
int store_message_get(struct store *store, int64_t message_id, struct arena *arena,
		      struct message *message_out);

/* Finds the ID of the newest message, 0 before the first. Returns 0 or -errno. */
int store_message_newest(struct store *store, int64_t *message_id_out);

/*
 * Lists every message whose state is not final, oldest first. `message` lives during the call,
 * which must not list or write. Returns 0 or -errno.
 */
int store_message_list_unfinished(struct store *store,
				  void (*visit)(void *data,
						const struct message *message),
				  void *data);

/* one line of a message's history */
struct message_change {
	enum message_state state;
	const char *reason; /* "" if there is none */
	int64_t at_ms;	    /* wall clock */
	/* who decided, for the audit; NULL for nobody in particular */
	const char *by;
	const char *note; /* the owner's remark, NULL or "" if there is none */
};

/*
 * Lists the history, oldest first; it is empty for an unknown ID or an incoming one. Returns 0 or
 * -errno.
 */
int store_message_changes(struct store *store, int64_t message_id,
			  void (*visit)(void *data, const struct message_change *change),
			  void *data);

enum { IDEMPOTENCY_KEY_MAX = 64 }; /* characters */
/* An idempotency key is kept at least this long after the message's last change. */
enum { STORE_KEY_DAYS = 30 };

/*
 * Finds the message that this client's key stands for, while the key is kept. Strings live in
 * `arena`. Returns 0, STORE_E_NOT_FOUND or -errno.
 */
int store_message_by_key(struct store *store, int64_t client_id, const char *key,
			 struct arena *arena, struct message *message_out);

/*
 * A message to one of several recipients has a key of its own: the caller's key, this byte,
 * and what distinguishes the recipient.
 */
#define STORE_MESSAGE_LIST_MARK "\x1f"

struct store_message_list_key {
	int64_t client_id;
	const char *key; /* the caller's */
	/* Messages whose key begins with this and that have this text are left out. */
	const char *prefix; /* NULL if there is none */
	const char *text;
};

/*
 * Finds the first message of a call to several recipients. Returns 0, STORE_E_NOT_FOUND or -errno.
 */
int store_message_by_list_key(struct store *store,
			      const struct store_message_list_key *list,
			      struct arena *arena, struct message *message_out);

/* The same for all of its messages, `count` at most on entry. */
int store_message_all_by_list_key(struct store *store,
				  const struct store_message_list_key *list,
				  struct arena *arena, struct message *messages_out,
				  size_t *count);

/*
 * The first message of the same client or another program of the phone (CLIENT_PHONE), and of the
 * same phone number (however it is spelt), text and send time, created at most `window_ms` before
 * now. Messages that failed, were cancelled or expired do not count: a repeated request wants them
 * tried again. Returns 0, STORE_E_NOT_FOUND or -errno.
 */
int store_message_find_same(struct store *store, const struct store_message_draft *draft,
			    int64_t window_ms, struct arena *arena,
			    struct message *message_out);

/* What another program, or a call whose answer is lost, gave oFono to send. */
struct store_message_lost {
	int64_t sim_id;
	const char *number;
	const char *text;
	int64_t at_ms; /* wall clock: when oFono accepted it */
};

/*
 * Finds the first of our messages that this may be: it was submitted, and no UUID is known. Strings
 * live in `arena`. Returns 0, STORE_E_NOT_FOUND or -errno.
 */
int store_message_find_lost(struct store *store, const struct store_message_lost *lost,
			    struct arena *arena, struct message *message_out);

/*
 * Finds the latest message that oFono knows by this UUID. Returns 0, STORE_E_NOT_FOUND or -errno.
 */
int store_message_by_uuid(struct store *store, const char *uuid, struct arena *arena,
			  struct message *message_out);

/* Until when a message may be submitted: as in struct message. */
struct store_message_deadline {
	int64_t expires_at_ms;
	int64_t expires_boot_ms;
	int64_t seen_ms;
	bool ends_approval;
};

/* Makes a lazy change. Returns 0, STORE_E_FULL or -errno. */
int store_message_set_deadline(struct store *store, int64_t message_id,
			       const struct store_message_deadline *deadline);

/*
 * Call once at the start, before messages are read. Deadlines of unfinished messages that an
 * earlier boot counted by its CLOCK_BOOTTIME become deadlines of this boot. Nobody knows how long
 * the machine was off. So at most the time that was left at the last moment the store knows of is
 * left now, and `seen` records that moment. The same happens within one boot when the wall clock is
 * behind that moment. Returns 0, STORE_E_FULL or -errno.
 */
int store_message_rebase_deadlines(struct store *store);

/* The time that deadlines count is stored ahead by this much at most. */
enum { STORE_LIVED_MS = 60 * 1000 };

/*
 * Stores that this boot lasted until that time of CLOCK_BOOTTIME, whatever the wall clock says:
 * after a loss of power no more is left of a deadline than then. It is on disk when this returns:
 * no second wake-up. Returns 0, STORE_E_FULL or -errno.
 */
int store_message_set_lived(struct store *store, int64_t until_boot_ms);
/* Returns the last stored by this program; 0 if there is none. */
int64_t store_message_lived_until(const struct store *store);

struct store_message_transition {
	enum message_state to;
	const char *reason;	/* NULL if there is none */
	const char *uuid;	/* NULL if unchanged */
	enum delivery delivery; /* DELIVERY_NONE if unchanged */
	bool frees_key;		/* its idempotency key no longer stands for it */
	bool is_lazy;		/* a lazy change: see store/store.h */
	const char *by;		/* who decided, for the audit: "owner"; NULL for nobody */
	const char *note;	/* the owner's remark; NULL if there is none */
	int64_t at_ms;		/* wall clock; 0 for now */
	const struct store_message_deadline *deadline; /* NULL if unchanged */
	/* its new time, by which it also counts for limits; 0 if unchanged */
	int64_t send_at_ms;
	/* It begins this attempt from this SIM (store/store_attempt.h); 0 if there is none. */
	unsigned attempt;
	int64_t attempt_sim_id;
	int64_t attempt_epoch;
};

/*
 * Changes the state of a message and adds the change to its history. Returns 0, STORE_E_NOT_FOUND,
 * STORE_E_ILLEGAL, STORE_E_FULL or -errno.
 */
int store_message_change_state(struct store *store, int64_t message_id,
			       const struct store_message_transition *transition);

/*
 * Stores a delivery report that changes no state; DELIVERY_REFUSED also adds a line
 * ("not_delivered") to the history. Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno.
 */
int store_message_set_delivery(struct store *store, int64_t message_id,
			       enum delivery delivery);

/* "none", "awaited", "delivered", "refused", "unconfirmed" */
const char *store_message_delivery_name(enum delivery delivery);
/* Returns the delivery of an outgoing message at this time of the wall clock. */
enum delivery store_message_delivery(const struct message *message, int64_t now_ms);
