/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/page.h"

#include "tools/argument.h"
#include "tools/tool_failure.h"

enum { PAGE_LIMIT_DEFAULT = 20 };

bool page_begin(struct page *page, struct tool_call *call)
{
	*page = (struct page){
		.limit = (unsigned)argument_integer(call, "limit", PAGE_LIMIT_DEFAULT),
	};
	page->writer = json_writer_new(&page->structured);
	if (!page->writer) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return false;
	}
	page->view = view_of_call(call, page->writer);
	page->room = (struct answer_room){ .writer = page->writer, .form = ANSWER_TWICE };
	json_open_object(page->writer);
	view_put_notice(page->writer);
	return true;
}

void page_open_rows(struct page *page, const char *key)
{
	json_key(page->writer, key);
	json_open_array(page->writer);
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
	answer_room_open_row(&page->room);
	return true;
}

bool page_keeps_row(struct page *page)
{
	struct view_contacts *contacts = page->view.contacts;
	size_t octets = contacts ? contacts->octets - page->contacts_octets : 0;

	if (answer_room_close_row(&page->room, octets)) {
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
	json_close_object(page->writer);
	json_writer_free(page->writer);
	if (!error) {
		tool_call_succeed_with_json(call, &page->structured);
		return;
	}
	buffer_deinit(&page->structured);
	tool_failure_answer(call, FAILURE_INTERNAL,
			    "The stored messages could not be read.");
}

void page_drop(struct page *page)
{
	json_close_array(page->writer);
	json_close_object(page->writer);
	json_writer_free(page->writer);
	buffer_deinit(&page->structured);
}
