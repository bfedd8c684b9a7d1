/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/pause_note.h"

const char *pause_note_reason(const struct services *services,
			      const struct message *message)
{
	bool waits = message->state == STATE_QUEUED || message->state == STATE_SCHEDULED;

	if (waits && policy_is_paused(services->policy))
		return failure_words(FAILURE_PAUSED)->code;
	return message->reason;
}
