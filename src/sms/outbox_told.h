/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox, told: States of messages that have no name here yet, for one of them may be that of
 * the message whose SendMessage is not answered. ofonod answers first; who does not is not to
 * leave a message on its way for ever
 * (tests/unit/test_outbox_trouble.c::test_a_state_before_the_answer).
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_TOLD_H
#define SMS_OUTBOX_TOLD_H

#include "sms/outbox_message.h"

enum { OUTBOX_TOLD_MAX = 4 }; /* the newest: few send on the same modem at that moment */

struct outbox_told {
	struct {
		char uuid[MESSAGE_UUID_BYTES];
		enum message_state_word state;
	} states[OUTBOX_TOLD_MAX];
	unsigned count; /* of all that were told; 0: forgotten */
};

void outbox_told_keep(struct outbox_told *told, const struct ofono_event *event);
/* To the message that has its name now, in the order in which they came. */
void outbox_told_pass(const struct outbox_told *told, struct outbox_message *message);

#endif
