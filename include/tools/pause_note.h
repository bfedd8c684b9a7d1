/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pause note: why a message waits while the owner has paused the gateway. Nothing is written
 * to disk for that: a pause is one switch, however many messages wait.
 */
#ifndef TOOLS_PAUSE_NOTE_H
#define TOOLS_PAUSE_NOTE_H

#include "tools/services.h"

/* The message's own reason, or "paused_by_owner" of one that the pause keeps. */
const char *pause_note_reason(const struct services *services,
			      const struct message *message);

#endif
