/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, messages: rows of both directions, and the life of outgoing ones. Part of the store
 * of store/store.h.
 *
 * A message, its history and its audit line change together or not at all
 * (tests/unit/test_store_damage.c, tests/unit/test_store_audit.c).
 */
#ifndef STORE_STORE_MESSAGE_H
#define STORE_STORE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "store/message_state.h"

struct store;

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
	MESSAGE_REPAIRED = 1 << 0,    /* upstream oFono's damage to emoji was undone */
	MESSAGE_UNREADABLE = 1 << 1,  /* empty, or oFono could not decode it */
	MESSAGE_IMMEDIATE = 1 << 2,   /* class 0: meant to be displayed and not stored */
	MESSAGE_CLOCK_WRONG = 1 << 3, /* our clock was before the build of this program */
	MESSAGE_ENDS_APPROVAL = 1 << 4, /* outgoing: see ends_approval below */
};

struct message {
	int64_t id; /* ascending, in both directions */
	enum message_direction direction;
	int64_t sim_id; /* 0: received for a card that was not known */
	int64_t client_id;
	const char *number; /* phone number of the other party */
	const char *text;
	unsigned segments; /* incoming: 0 */
	enum message_state state;
	const char *reason; /* of the state, "" none */
	const char *uuid; /* oFono's, "" before submission; incoming: the name of the last
			     * spool file that contained it, "" none */
	int64_t created_ms; /* wall clock; incoming: when oFono or the spool reported it */
	int64_t changed_ms; /* wall clock */
	/* outgoing only */
	const char *idempotency_key; /* "" none */
	int64_t send_at_ms;	     /* see struct store_message_draft */
	int64_t expires_at_ms;
	enum delivery
		delivery; /* as stored; store_message_delivery() computes the truth */
	/* outgoing only, as store_message_rebase_deadlines() left them */
	int64_t boot;		 /* clock_boot_number() of the next two; 0: not known */
	int64_t created_boot_ms; /* clock_boot_ms() when it was created */
	int64_t expires_boot_ms; /* 0: its validity has not begun, or it has none */
	int64_t seen_ms; /* wall clock: an earlier boot lasted at least until then */
	/* incoming only */
	const char *
		sent_time; /* the service centre's time stamp as oFono wrote it, "" none */
	unsigned flags;	   /* enum store_message_flag; outgoing ones, too */
	unsigned repeats;  /* how often the same message arrived again */
	int64_t read_ms;   /* wall clock; 0: unread */
};

/* strings borrowed, valid UTF-8 */
struct store_message_draft {
	int64_t sim_id;
	int64_t client_id;
	const char *number; /* phone number, as oFono receives it */
	const char *text;
	unsigned segments;
	enum message_state state;    /* 0: queued; or scheduled, waiting_approval */
	const char *idempotency_key; /* of this client, NULL none */
	int64_t send_at_ms;	     /* wall clock: not before; 0: at once */
	int64_t expires_at_ms; /* wall clock: not submitted after; 0: never expires */
	const char *reason;    /* of the state, NULL none */
	int64_t created_ms;    /* wall clock; 0: now */
	bool is_awaited;       /* the caller waits for the outcome, so the row is lazy */
	bool is_submitting;    /* it leaves at once: stored as queued, then submitting */
	bool ends_approval; /* expires_at_ms is the end of an approval, not of the validity */
};

/*
 * Stores a new message in its draft's state. Durable, unless draft->is_awaited. 0,
 * STORE_E_FULL, -EINVAL (this client has used the key already) or another -errno.
 */
int store_message_add(struct store *store, const struct store_message_draft *draft,
		      int64_t *message_id_out);

/* Strings live in `arena`. 0, STORE_E_NOT_FOUND, -errno. */
int store_message_get(struct store *store, int64_t message_id, struct arena *arena,
		      struct message *message_out);

/* The ID of the newest message, 0 before the first. 0 or -errno. */
int store_message_newest(struct store *store, int64_t *message_id_out);

/*
 * Every message whose state is not final, oldest first. `message` lives during the call,
 * which must not list or write. 0 or -errno.
 */
int store_message_list_unfinished(struct store *store,
				  void (*visit)(void *data,
						const struct message *message),
				  void *data);

/* one line of a message's history */
struct message_change {
	enum message_state state;
	const char *reason; /* "" none */
	int64_t at_ms;	    /* wall clock */
	const char *by;	    /* who decided, for the audit; NULL: nobody in particular */
	const char *note;   /* the owner's remark, NULL or "" none */
};

/* The history, oldest first; empty for an unknown ID or an incoming one. 0 or -errno. */
int store_message_changes(struct store *store, int64_t message_id,
			  void (*visit)(void *data, const struct message_change *change),
			  void *data);

enum { IDEMPOTENCY_KEY_MAX = 64 }; /* characters */
/* An idempotency key is kept at least this long after the message's last change. */
enum { STORE_KEY_DAYS = 30 };

/*
 * The message that this client's key stands for, while the key is kept. Strings live in
 * `arena`. 0, STORE_E_NOT_FOUND, -errno.
 */
int store_message_by_key(struct store *store, int64_t client_id, const char *key,
			 struct arena *arena, struct message *message_out);

/*
 * The first message of the same client, phone number (however it is spelt), text and send
 * time, created at most `window_ms` before now. Messages that failed, were cancelled or
 * expired do not count: a repeated request wants them tried again. 0, STORE_E_NOT_FOUND,
 * -errno.
 */
int store_message_find_same(struct store *store, const struct store_message_draft *draft,
			    int64_t window_ms, struct arena *arena,
			    struct message *message_out);

/* The latest message that oFono knows by this UUID. 0, STORE_E_NOT_FOUND, -errno. */
int store_message_by_uuid(struct store *store, const char *uuid, struct arena *arena,
			  struct message *message_out);

/* Until when a message may be submitted: as in struct message. */
struct store_message_deadline {
	int64_t expires_at_ms;
	int64_t expires_boot_ms;
	int64_t seen_ms;
	bool ends_approval;
};

/* A lazy change. 0, STORE_E_FULL, -errno. */
int store_message_set_deadline(struct store *store, int64_t message_id,
			       const struct store_message_deadline *deadline);

/*
 * Call once at the start, before messages are read. Deadlines of unfinished messages that an
 * earlier boot counted by its CLOCK_BOOTTIME become deadlines of this boot. Nobody knows how
 * long the machine was off. So at most the time that was left at the last moment the store
 * knows of is left now, and `seen` records that moment. The same happens within one boot
 * when the wall clock is behind that moment. 0, STORE_E_FULL, -errno.
 */
int store_message_rebase_deadlines(struct store *store);

struct store_message_transition {
	enum message_state to;
	const char *reason;	/* NULL: none */
	const char *uuid;	/* NULL: unchanged */
	enum delivery delivery; /* DELIVERY_NONE: unchanged */
	bool frees_key;		/* its idempotency key no longer stands for it */
	bool is_lazy;		/* a lazy change: see store/store.h */
	const char *by;		/* who decided, for the audit: "owner"; NULL: nobody */
	const char *note;	/* the owner's remark, NULL none */
	int64_t at_ms;		/* wall clock; 0: now */
	const struct store_message_deadline *deadline; /* NULL: unchanged */
};

/*
 * Changes the state of a message and adds the change to its history. 0, STORE_E_NOT_FOUND,
 * STORE_E_ILLEGAL, STORE_E_FULL, -errno.
 */
int store_message_change_state(struct store *store, int64_t message_id,
			       const struct store_message_transition *transition);

/*
 * Stores a delivery report that changes no state; DELIVERY_REFUSED also adds a line
 * ("not_delivered") to the history. 0, STORE_E_NOT_FOUND, STORE_E_FULL, -errno.
 */
int store_message_set_delivery(struct store *store, int64_t message_id,
			       enum delivery delivery);

/* "none", "awaited", "delivered", "refused", "unconfirmed" */
const char *store_message_delivery_name(enum delivery delivery);
/* The delivery of an outgoing message at this time of the wall clock. */
enum delivery store_message_delivery(const struct message *message, int64_t now_ms);

#endif
