/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stop recall: what waits in the gateway for a number when STOP comes from there is taken
 * back, with the reason recipient_opted_out. Looked at again at the start, so a crash in
 * between lets nothing slip (tests/integration/test_opt_out.py). What was accepted later is
 * the stop confirmation, or was allowed.
 */
#ifndef SMS_STOP_RECALL_H
#define SMS_STOP_RECALL_H

#include "sms/inbox.h"
#include "sms/outbox.h"

struct stop_recall {
	struct store *store;
	struct outbox *outbox;
	struct observer inbox;
};

/* The first two members are set before, in the turn of the loop that made the outbox. */
void stop_recall_init(struct stop_recall *recall, struct inbox *inbox);
/* Fine when it was only zeroed. */
void stop_recall_deinit(struct stop_recall *recall);

#endif
