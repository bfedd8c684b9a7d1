/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The struct behind struct outbox, for the files that implement sms/outbox.h and
 * sms/outbox_approval.h. Each part belongs to one file; the others call its functions.
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_PRIVATE_H
#define SMS_OUTBOX_PRIVATE_H

#include "sms/outbox.h"
#include "sms/outbox_deadline.h"
#include "sms/outbox_message.h"
#include "sms/sim_queue.h"

struct outbox {
	const struct config *config;
	struct store *store;
	struct outbox_messages messages;   /* outbox_message.c */
	struct sim_queues queues;	   /* sim_queues.c */
	struct outbox_deadlines deadlines; /* outbox_deadline.c */
	TAILQ_HEAD(outbox_cancellation_list, outbox_cancellation)
	cancellations; /* outbox_cancel.c */
	/* outbox.c */
	sd_event_source
		*run_source; /* runs the outbox before the loop sleeps, if requested */
	sd_event_source *run_again; /* enabled while another run is due at once */
	struct observer ofono_observer;
	struct observer sims_observer;
	bool storage_is_short; /* already logged */
};

/* Converts a result of the store: 0, -errno, OUTBOX_E_STORAGE, or `otherwise`. */
static inline int outbox_result(int error, int otherwise)
{
	if (error == STORE_E_FULL)
		return OUTBOX_E_STORAGE;
	return error > 0 ? otherwise : error;
}

/* Asks oFono to cancel the messages for which that is due. */
void outbox_cancel_start_due(struct outbox *outbox);
void outbox_cancel_deinit(struct outbox *outbox); /* no callback is called any more */

#endif
