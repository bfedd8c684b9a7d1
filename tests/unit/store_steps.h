/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps of tests on an open store, in the short form that most tests need. */
#pragma once

#include "store/store.h"

static inline int step_move_message(struct store *to_store, int64_t message_id,
				    enum message_state to, const char *reason,
				    const char *uuid)
{
	return store_message_change_state(to_store, message_id,
					  &(struct store_message_transition){
						  .to = to,
						  .reason = reason,
						  .uuid = uuid,
					  });
}

/* *known_out: the message was stored before. */
static inline int step_add_incoming(struct store *to_store,
				    const struct store_incoming_draft *draft,
				    int64_t *message_id_out, bool *known_out)
{
	struct store_incoming_draft copy = *draft;
	struct store_incoming_entry entry = { .draft = &copy };
	int error = store_incoming_add_group(to_store, &entry, 1);

	if (error)
		return error;
	*message_id_out = entry.message_id;
	*known_out = entry.known;
	return 0;
}
