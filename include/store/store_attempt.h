/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, attempts: how a hub's message was routed, and from which SIMs it was to be sent. Part
 * of the store of store/store.h; a phone's gateway writes none.
 *
 * An attempt begins in the commit that makes the message submitting and ends in the commit that
 * takes the message back from its SIM. The last one of a message has no outcome of its own: the
 * message's state says it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct store;

enum { ATTEMPT_POOL_ANY = -1 }; /* a pool_id that means all SIMs */

/* How a message was routed. */
struct store_routed {
	/* may be removed since; ATTEMPT_POOL_ANY; 0 if the client named the SIM */
	int64_t pool_id;
	bool resends; /* the client wants it sent again when its outcome stays in doubt */
};

/* Call it inside the transaction that adds the message. */
int store_attempt_set_routed(struct store *store, int64_t message_id,
			     const struct store_routed *routed);
/* Returns 0; STORE_E_NOT_FOUND if it was not routed; or -errno. */
int store_attempt_get_routed(struct store *store, int64_t message_id,
			     struct store_routed *routed_out);

struct store_attempt {
	unsigned number; /* from 1 */
	int64_t sim_id;
	int64_t at_ms;	  /* wall clock: when it was submitted last */
	int64_t ended_ms; /* 0 if it has not ended yet */
	const char
		/* "" if there is none yet; an error code, or why the SIM never sends it */
		*outcome;
	int64_t epoch; /* of the radio's memory, see struct modem; 0 if not known */
};

/* Call it inside a transaction. */
int store_attempt_begin(struct store *store, int64_t message_id, unsigned number,
			int64_t sim_id, int64_t epoch);
/* `attempt` lives during the visit, in their order. Returns 0 or -errno. */
int store_attempt_list(struct store *store, int64_t message_id,
		       void (*visit)(void *data, const struct store_attempt *attempt),
		       void *data);

/* A message that a SIM certainly never sends is queued again, on the same or another SIM. */
struct store_attempt_move {
	/* of the attempt that ends; 0 if none began, or it goes on */
	unsigned number;
	const char *outcome; /* of that attempt */
	int64_t sim_id;	     /* where the message goes */
	const char *reason;  /* of its state */
	bool is_decided; /* the owner or the client accepts that it may be sent twice */
};

/*
 * In one lazy commit: the attempt ends, message and usage move, and the message is queued without a
 * UUID. Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno; STORE_E_ILLEGAL if it is final, or
 * unknown without being decided.
 */
int store_attempt_move(struct store *store, int64_t message_id,
		       const struct store_attempt_move *move);
