/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox message: one message under way, its state in memory and on disk, and who watches.
 *
 * Private to src/sms/outbox*.c. Number and text stay in the store until they are needed,
 * which may be at once.
 */
#ifndef SMS_OUTBOX_MESSAGE_H
#define SMS_OUTBOX_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/arena.h"
#include "base/observer.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "sms/outbox.h"
#include "sms/outbox_sync.h"
#include "sms/outbox_words.h"
#include "sms/tally.h"
#include "store/store_outgoing.h"

/* by all messages and lanes of one outbox */
struct outbox_shared {
	sd_event *loop;
	const struct config *config;
	struct store *store;
	struct sims *sims;
	struct outbox_timing timing;
	unsigned waiting;	/* messages that message_state_is_waiting() */
	unsigned approvals;	/* ... of these for the owner's yes */
	struct tally *tally;	/* NULL: nobody counts */
	bool storage_refuses;	/* logged once */
	bool paused;		/* nothing is handed over */
	bool turn_due;		/* every lane is to be moved on */
	sd_event_source *turn;	/* looks at that at the end of each turn of the loop */
	sd_event_source *again; /* deferred: enabled while one more turn is needed */
	struct outbox_sync sync;
	struct observers observers; /* of all messages */
	struct outbox_schedule *schedule;
};

struct outbox_message {
	struct outbox_shared *shared;
	int64_t id;
	int64_t sim_id;
	int64_t client_id;
	unsigned segments;
	enum message_state state;
	enum message_state saved; /* differs while the disk refuses `state`; see also
				     outbox_message_is_readied() */
	enum delivery delivery;
	enum delivery saved_delivery;
	const char *reason; /* static text, "" none */
	bool unwanted;	    /* to be cancelled; stays over held and handed, on disk too */
	bool recall_due;    /* ... and oFono, which told that it has it, can be asked */
	bool kept;	    /* outbox_keep() */
	/* sms/outbox_clock.h says how these move with the clock */
	int64_t created_ms;    /* as the clock would have said it then, lived since */
	int64_t noted_ms;      /* ... as it did say */
	int64_t send_at_ms;    /* 0: at once */
	int64_t expires_at_ms; /* 0: never */
	int64_t lived_ms;      /* its validity is lived until then; 0: it has not begun */
	int64_t seen_ms;       /* see struct message */
	bool yes_ends;	       /* likewise */
	char uuid[MESSAGE_UUID_BYTES];
	bool uuid_unsaved;	    /* the row has another one, or none */
	struct outbox_words *words; /* NULL: to be read when they are needed */
	struct observers observers;
	TAILQ_ENTRY(outbox_message) link;
};

TAILQ_HEAD(outbox_message_list, outbox_message);

/* What a row of the store says. NULL: no memory. */
struct outbox_message *outbox_message_new(struct outbox_shared *shared,
					  const struct message *row);
void outbox_message_free(struct outbox_message *message); /* observers are removed */

/*
 * Takes a queued message out for handing over: only after 0, and after store_sync(), may it
 * be put on the bus; its watchers have been told. Else the disk did not take it and nothing
 * has changed, or the row is gone and the message is unknown.
 */
int outbox_message_claim(struct outbox_message *message);

/*
 * Somebody decided about one that waits: after 0 no restart forgets that. Else as above.
 */
int outbox_message_decide(struct outbox_message *message,
			  const struct outgoing_move *move);

/*
 * Cancels one that waits in the gateway: after 0 no restart sends it. Else as above.
 */
int outbox_message_cancel(struct outbox_message *message);
/* The same, with a reason. */
int outbox_message_drop(struct outbox_message *message, const char *reason);
/* The same for one whose client has left: its idempotency key is free again, too. */
int outbox_message_withdraw(struct outbox_message *message);

/* Notes that a held one is to be cancelled: after 0 no restart forgets that. As above. */
int outbox_message_unwant(struct outbox_message *message);

/*
 * Something became true of it: in memory, on disk if that takes it, told to the watchers,
 * who are removed when nothing more can be told. Nothing happens when it is in this state
 * already.
 */
void outbox_message_become(struct outbox_message *message, enum message_state state,
			   const char *reason);

/* oFono has it under this UUID; `awaited`: a delivery report was asked for. */
void outbox_message_hand(struct outbox_message *message, const char *uuid, bool awaited);

/* Its State, by oFono; nothing when it is final already. */
void outbox_message_hear(struct outbox_message *message, enum message_state_word told);

/*
 * A delivery report of it. One that comes before oFono told that it was sent is kept until
 * then.
 */
void outbox_message_report(struct outbox_message *message, bool delivered);

/* Tries again what the disk refused; outbox_observers() hear when it took it. */
void outbox_message_save(struct outbox_message *message);

/* Queued, and its row says handing since it was accepted: nothing is to be written. */
bool outbox_message_is_readied(const struct outbox_message *message);
bool outbox_message_is_saved(const struct outbox_message *message);
/* Nothing more can be told of it: final, and no report is awaited. */
bool outbox_message_is_over(const struct outbox_message *message);
/* Final and on disk, and nobody waits for a report: nothing is left to do. */
bool outbox_message_is_done(const struct outbox_message *message);

enum { OUTBOX_ARENA_BYTES = 1024 * 1024 }; /* what one message may take */

/* Its row, in `arena` (NULL: no memory). 0, -errno or STORE_E_NOT_FOUND. */
int outbox_message_read(const struct outbox_message *message, struct arena *arena,
			struct message *row_out);

/*
 * The reason (a code of product errors) for a D-Bus error that refuses it; NULL: any. `modem`
 * NULL: it has gone meanwhile.
 */
const char *outbox_message_refusal(const struct outbox_message *message,
				   const struct modem *modem, const char *error);

/* Moves all lanes on at the end of this turn of the loop, or of the next one. */
void outbox_turn_later(struct outbox_shared *shared);

#endif
