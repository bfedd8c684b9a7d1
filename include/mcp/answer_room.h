/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answer room: keeps an answer that lists rows within ANSWER_OCTETS_MAX. Hosts cut longer
 * answers off or keep them from the model, and strangers write the texts.
 *
 *   answer_room_open_row() -> the row is written -> answer_room_close_row() -> kept
 *                                                        -> false: taken back; the next page
 *                                                           begins with it
 *
 * The first row is always kept, so that a walk through the pages gets on.
 */
#pragma once

#include "base/json.h"

enum {
	ANSWER_OCTETS_MAX = 60000,
	/* of it, for what is no row: the envelope, cursors, gaps */
	ANSWER_FRAME_OCTETS = 6000,
};

/* How often, and how, an answer has its JSON. */
enum answer_room_form {
	ANSWER_PLAIN,  /* once: events/poll, list_changes */
	ANSWER_QUOTED, /* as the text of a resource */
	ANSWER_TWICE,  /* both: structuredContent and a text block */
};

struct answer_room {
	struct json_writer *writer;
	enum answer_room_form form;
	unsigned rows;
	size_t used;  /* octets that the answer has on the wire */
	size_t begin; /* what follows in the writer is not in `used` yet */
};

/* Returns the octets that this JSON has on the wire. */
size_t answer_room_octets(enum answer_room_form form, const char *json, size_t length);

/* The array of the rows is open. */
void answer_room_open_row(struct answer_room *room);
/*
 * `more` is the octets that this row adds behind the rows. Returns false if the row has been taken
 * back.
 */
bool answer_room_close_row(struct answer_room *room, size_t more);
