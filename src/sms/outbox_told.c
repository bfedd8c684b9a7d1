/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outbox_told.h"

#include <stdio.h>
#include <string.h>

void outbox_told_keep(struct outbox_told *told, const struct ofono_event *event)
{
	unsigned place = told->count++ % OUTBOX_TOLD_MAX;

	snprintf(told->states[place].uuid, MESSAGE_UUID_BYTES, "%s", event->uuid);
	told->states[place].state = event->state;
}

void outbox_told_pass(const struct outbox_told *told, struct outbox_message *message)
{
	unsigned at = told->count > OUTBOX_TOLD_MAX ? told->count - OUTBOX_TOLD_MAX : 0;

	for (; at < told->count; at++) {
		unsigned place = at % OUTBOX_TOLD_MAX;

		if (strcmp(told->states[place].uuid, message->uuid) == 0)
			outbox_message_hear(message, told->states[place].state);
	}
}
