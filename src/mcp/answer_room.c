/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/answer_room.h"

size_t answer_room_octets(enum answer_room_form form, const char *json, size_t length)
{
	size_t quoted = length;

	if (form == ANSWER_PLAIN)
		return length;
	/* the writer leaves nothing else in JSON that a string has to escape */
	for (size_t i = 0; i < length; i++)
		quoted += json[i] == '"' || json[i] == '\\';
	return form == ANSWER_QUOTED ? quoted : length + quoted;
}

static void answer_room_count(struct answer_room *room)
{
	size_t length = json_writer_length(room->writer);

	room->used += answer_room_octets(room->form,
					 json_writer_data(room->writer) + room->begin,
					 length - room->begin);
	room->begin = length;
}

void answer_room_open_row(struct answer_room *room)
{
	answer_room_count(room);
}

bool answer_room_close_row(struct answer_room *room, size_t more)
{
	size_t begin = room->begin, used = room->used;

	answer_room_count(room);
	room->used += more;
	if (room->rows && room->used > ANSWER_OCTETS_MAX - ANSWER_FRAME_OCTETS) {
		json_writer_drop(room->writer, begin);
		room->begin = begin;
		room->used = used;
		return false;
	}
	room->rows++;
	return true;
}
