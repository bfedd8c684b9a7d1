/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Approval notice: asks the owner by SMS about messages that wait for approval, where the
 * configuration wants it ([agent] approvals), and carries out the owner's answers.
 *
 *   gateway -> owner   Approval 4711: reply YES 4711 CODE or NO 4711 CODE. To +36301234567: ...
 *   owner -> gateway   YES 4711 482913
 *   gateway -> owner   Approved: 4711.
 *
 * Each revision of a message has a number of its own, which no agent sees, so an answer counts
 * only for what its question showed. The answer's code was judged in the commit that stored it
 * (store/store_command.h). Question, decision and reply are each on disk before the next step:
 * a crash repeats and forgets none (tests/integration/test_sms_approval.py).
 *
 * The gateway's texts go through the outbox like any other and count for the limits of the SIM.
 * The gateway never asks about them, and replies only to an answer with a right code, so no
 * loop can begin.
 */
#pragma once

#include "sms/inbox.h"
#include "sms/outbox.h"

struct config;

struct approval_notice {
	const struct config *config; /* read each time */
	struct store *store;
	struct outbox *outbox;
	struct observer inbox_observer;
	struct observer outbox_observer;
	sd_event_source *before_sleep;
	sd_event_source *timer; /* for what could not be done at once */
	int64_t wait_ms;	/* of the timer; 0 if off */
	bool due;
};

/* The first three members are set before. Returns 0 or -errno. */
int approval_notice_init(struct approval_notice *notices, sd_event *loop,
			 struct inbox *inbox);
/* Call when the configuration may have changed. */
void approval_notice_review(struct approval_notice *notices);
/* Zeroes are fine. */
void approval_notice_deinit(struct approval_notice *notices);
