/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/page.h"

#include "tools/argument.h"
#include "tools/tool_failure.h"

enum { PAGE_LIMIT_DEFAULT = 20 };

struct json_writer *page_open(struct tool_call *call, struct buffer *structured)
{
	struct json_writer *writer = json_writer_new(structured);

	/* A refusal would say that nothing was done, but a call may have been placed. */
	if (writer)
		json_open_object(writer);
	else
		tool_call_succeed_with_json(call, structured); /* says: out of memory */
	return writer;
}

void page_close(struct tool_call *call, struct json_writer *writer,
		struct buffer *structured, const char *failure)
{
	json_close_object(writer);
	json_writer_free(writer);
	if (!failure) {
		tool_call_succeed_with_json(call, structured);
		return;
	}
	buffer_deinit(structured);
	tool_failure_answer(call, FAILURE_INTERNAL, failure);
}

bool page_begin(struct page *page, struct tool_call *call)
{
	*page = (struct page){
		.limit = (unsigned)argument_integer(call, "limit", PAGE_LIMIT_DEFAULT),
	};
	page->writer = page_open(call, &page->structured);
	if (!page->writer)
		return false;
	page->view = view_of_call(call, page->writer);
	page->room =
		(struct request_room){ .writer = page->writer, .form = ANSWER_TWICE };
	view_put_notice(page->writer);
	return true;
}

void page_begin_resource(struct page *page, const struct resource_call *call,
			 struct json_writer *writer, unsigned limit)
{
	*page = (struct page){
		.writer = writer,
		.view = view_of_resource(call, writer),
		.limit = limit,
		.room = { .writer = writer, .form = ANSWER_QUOTED },
	};
	json_open_object(writer);
	view_put_notice(writer);
}

bool page_takes_row(struct page *page, int64_t id)
{
	const struct view_contacts *contacts = page->view.contacts;

	page->more |= page->room.rows == page->limit;
	if (page->more)
		return false;
	page->row_id = id;
	page->contacts = contacts ? contacts->count : 0;
	page->contacts_octets = contacts ? contacts->octets : 0;
	request_room_open_row(&page->room);
	return true;
}

bool page_keeps_row(struct page *page)
{
	struct view_contacts *contacts = page->view.contacts;
	size_t octets = contacts ? contacts->octets - page->contacts_octets : 0;

	if (request_room_close_row(&page->room, octets)) {
		page->last_id = page->row_id;
		return true;
	}
	page->more = true;
	if (contacts) {
		contacts->count = page->contacts;
		contacts->octets = page->contacts_octets;
	}
	return false;
}

void page_stop(struct page *page, int64_t last_id)
{
	page->more = true;
	page->last_id = last_id;
}

void page_close_rows(struct page *page, enum cursor_kind kind)
{
	json_close_array(page->writer);
	json_put_integer(page->writer, "count", page->room.rows);
	if (page->more)
		cursor_put(page->writer, "next_cursor", kind, page->last_id);
}

void page_answer(struct page *page, struct tool_call *call, int error)
{
	page_close(call, page->writer, &page->structured,
		   error ? "The stored messages could not be read." : NULL);
}

void page_drop(struct page *page)
{
	json_close_array(page->writer);
	json_close_object(page->writer);
	json_writer_free(page->writer);
	buffer_deinit(&page->structured);
}
