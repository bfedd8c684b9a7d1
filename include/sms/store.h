/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store: everything that must survive, in one SQLite file. The only file with SQL.
 *
 * WAL with synchronous=FULL: what a function reports as done is on disk. The schema has a
 * version (PRAGMA user_version) and migrations in a table. A damaged or newer database is
 * an error in plain words; it is never recreated over.
 */
#ifndef SMS_STORE_H
#define SMS_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/client.h"
#include "base/config.h"
#include "sms/message_state.h"

/* outcomes */
enum {
	STORE_E_NOT_FOUND = 1,
	STORE_E_ILLEGAL, /* the state machine has no such way */
	STORE_E_EXISTS,	 /* a client of this name is there already */
	STORE_E_FULL,	 /* disk full or file system read-only: nothing was changed */
};

struct store;

/*
 * Opens `folder`/gateway.db (folder made with mode 0700 when missing, its parents not;
 * file 0600). -EUCLEAN (damaged, or of a newer program), -EBUSY (locked by another
 * program), -ENOSPC (disk full or read-only) or another -errno, with the error's text.
 */
int store_open(const char *folder, struct store **store_out, struct config_error *error);
void store_close(struct store *store); /* NULL is fine */

/*
 * The durable number of a SIM card: the same for the same card for ever. Found by ICCID,
 * else by IMSI; made when new; what was missing is filled in if the disk takes it. A card
 * of the same IMSI and another ICCID is another card. "" = unknown, one is known.
 * 0 or -errno or STORE_E_FULL.
 */
int store_sim_identify(struct store *store, const char *iccid, const char *imsi,
		       int64_t *sim_id_out);
/* Was this number ever given out? 0, STORE_E_NOT_FOUND, -errno. */
int store_sim_known(struct store *store, int64_t sim_id);

/* strings borrowed, valid UTF-8 */
struct message_draft {
	int64_t sim_id;
	int64_t client_id;
	const char *number; /* as handed to oFono */
	const char *text;
	unsigned segments;
};

struct message {
	int64_t id; /* grows with every message */
	int64_t sim_id;
	int64_t client_id;
	const char *number;
	const char *text;
	unsigned segments;
	enum message_state state;
	const char *reason; /* of the state, "" none */
	const char *uuid;   /* oFono's, "" before it took the message */
	int64_t created_ms; /* wall clock */
	int64_t changed_ms;
};

/* A new message in state queued, on disk when 0 returns. Else -errno, STORE_E_FULL. */
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
};

/* The history, oldest first; none for an unknown id. 0 or -errno. */
int store_message_changes(struct store *store, int64_t message_id,
			  void (*visit)(void *data, const struct message_change *change),
			  void *data);

/* Strings live in `arena`. 0, STORE_E_NOT_FOUND, -errno. */
int store_message_get(struct store *store, int64_t message_id, struct arena *arena,
		      struct message *message_out);

/*
 * Every message not in a final state, oldest first; `message` lives during the call, which
 * does not use the store. 0 or -errno.
 */
int store_messages_unfinished(struct store *store,
			      void (*visit)(void *data, const struct message *message),
			      void *data);

/* A client and the hash of its token. 0, STORE_E_EXISTS, STORE_E_FULL, -errno. */
int store_client_add(struct store *store, const char *name,
		     const uint8_t hash[CLIENT_HASH_BYTES], int64_t *client_id_out);
/* Fits struct auth of http/auth.h: `data` is the store. */
bool store_client_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		       struct client *client_out);
int store_client_count(struct store *store, int64_t *count_out);

#endif
