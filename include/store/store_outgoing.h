/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, outgoing: what keeps a message from being sent twice, and what is told of it
 * after it was sent. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_OUTGOING_H
#define STORE_STORE_OUTGOING_H

#include "store/store.h"

enum { IDEMPOTENCY_KEY_MAX = 64 }; /* characters */

/*
 * The message that this key of this client stands for, for as long as it is kept. Strings
 * live in `arena`. 0, STORE_E_NOT_FOUND, -errno.
 */
int store_outgoing_by_key(struct store *store, int64_t client_id, const char *key,
			  struct arena *arena, struct message *message_out);

/*
 * The first message of the same client, number (however it is spelt), text and time of sending,
 * made at most `window_ms` before now. Those that failed, were cancelled or expired do not
 * count: who asks again wants them tried again. 0, STORE_E_NOT_FOUND, -errno.
 */
int store_outgoing_same(struct store *store, const struct message_draft *draft,
			int64_t window_ms, struct arena *arena,
			struct message *message_out);

/* The latest that oFono knows under this UUID. 0, STORE_E_NOT_FOUND, -errno. */
int store_outgoing_by_uuid(struct store *store, const char *uuid, struct arena *arena,
			   struct message *message_out);

/*
 * Was a message ever exchanged with this number, however it is spelt at this SIM (0: not
 * known): one that came from it, or one that the network took? What retention removed is not
 * known any more. 0, STORE_E_NOT_FOUND, -errno.
 */
int store_outgoing_exchanged(struct store *store, int64_t sim_id, const char *number);

/* Until when a message may be handed over: as in struct message. */
struct outgoing_deadline {
	int64_t expires_at_ms;
	int64_t expires_boot_ms;
	int64_t seen_ms;
	bool yes_ends;
};

struct outgoing_move {
	enum message_state to;
	const char *reason;	/* NULL: none */
	const char *uuid;	/* NULL: leave */
	enum delivery delivery; /* DELIVERY_NONE: leave */
	bool frees_key;		/* its idempotency key stands for it no more */
	const char *by;		/* who decided so, for the audit: "owner"; NULL: nobody */
	const char *note;	/* the owner's words, NULL none */
	int64_t at_ms;		/* wall clock; 0: now */
	const struct outgoing_deadline *deadline; /* NULL: leave */
};

/* On disk when 0 returns, unless a transaction goes on; else as store_end(). */
int store_outgoing_set_deadline(struct store *store, int64_t message_id,
				const struct outgoing_deadline *deadline);

/*
 * Once at the start, before messages are read: those that are unfinished and were counted by
 * CLOCK_BOOTTIME of an earlier start of the machine are counted by that of this one. How long
 * the machine was off nobody knows, so what was left at the last moment that the store knows
 * of is the most that is left now, and that moment is noted in `seen`. So it is when the wall
 * clock is behind it, also within one start of the machine. 0 or as store_end().
 */
int store_deadlines_carry(struct store *store);

/* As store_message_move(), and what is known of the delivery. */
int store_outgoing_move(struct store *store, int64_t message_id,
			const struct outgoing_move *move);

/*
 * What a report says of a message that stays in its state; one that refuses becomes a line
 * of the history ("not_delivered"). 0, STORE_E_NOT_FOUND, STORE_E_FULL, -errno.
 */
int store_outgoing_report(struct store *store, int64_t message_id,
			  enum delivery delivery);

#endif
