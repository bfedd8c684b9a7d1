/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State meaning: what a message's state and its reason mean, in words for a model. One
 * table for all tools.
 */
#ifndef TOOLS_STATE_MEANING_H
#define TOOLS_STATE_MEANING_H

#include "base/json.h"
#include "store/message_state.h"

enum { STATE_MEANING_BYTES = 512 };

/* A reason ("" none) that is not in the table adds nothing. */
void state_meaning_write(char text[STATE_MEANING_BYTES], enum message_state state,
			 const char *reason);
/* The same as "meaning". */
void state_meaning_put(struct json_writer *writer, enum message_state state,
		       const char *reason);

#endif
