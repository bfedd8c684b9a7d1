/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stop confirmation: the owner's words to whoever said STOP, where the owner wants that.
 *
 * At most one from a STOP to the next START, whatever crashes in between: it is noted as
 * sent before it is. It goes out by the outbox like any message, by the SIM that the STOP
 * came to; never to a short code, a name or a blocked sender
 * (tests/integration/test_opt_out.py).
 */
#ifndef SMS_STOP_CONFIRMATION_H
#define SMS_STOP_CONFIRMATION_H

#include "sms/inbox.h"
#include "sms/outbox.h"

struct config;

struct stop_confirmation {
	const struct config *config; /* stop_confirmation, looked at each time */
	struct store *store;
	struct outbox *outbox;
	struct observer inbox;
};

/* The first three members are set before. */
void stop_confirmation_init(struct stop_confirmation *confirmation, struct inbox *inbox);
/* Fine when it was only zeroed. */
void stop_confirmation_deinit(struct stop_confirmation *confirmation);

#endif
