/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox, inside: its parts, for the files that together are the outbox.
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_PRIVATE_H
#define SMS_OUTBOX_PRIVATE_H

#include "sms/outbox.h"
#include "sms/outbox_lane.h"
#include "sms/outbox_schedule.h"

struct outbox {
	struct outbox_shared shared;
	struct outbox_lane_list lanes;
	struct outbox_schedule schedule;
	TAILQ_HEAD(outbox_recall_list, outbox_recall) recalls; /* under way */
	struct observer ofono_observer;
	struct observer sims_observer;
	bool storage_is_short; /* logged once */
};

/* The lane of a SIM, made when there is none. NULL: no memory. */
struct outbox_lane *outbox_lane(struct outbox *outbox, int64_t sim_id);

/* NULL: none in memory. `lane_out` may be NULL. */
struct outbox_message *outbox_find(const struct outbox *outbox, int64_t message_id,
				   struct outbox_lane **lane_out);
struct outbox_message *outbox_find_uuid(const struct outbox *outbox, const char *uuid);

/* Of what the store says: 0, -errno, OUTBOX_E_STORAGE, or `otherwise` for any other outcome. */
int outbox_outcome(int error, int otherwise);

/*
 * A row of the store that is not in memory, taken in for what may still be told of it. It
 * goes again with the turn in which nothing is left to do. NULL: no memory.
 */
struct outbox_message *outbox_adopt(struct outbox *outbox, const struct message *row);

/* From then on, until then, oFono's signals and the SIMs' changes are heard. */
void outbox_signals_begin(struct outbox *outbox, struct ofono *ofono);
void outbox_signals_end(struct outbox *outbox); /* also when it did not begin */

/* Asks oFono to cancel what is due. */
void outbox_recalls_start(struct outbox *outbox, struct outbox_lane *lane);
void outbox_recalls_free(struct outbox *outbox); /* nobody is told */

#endif
