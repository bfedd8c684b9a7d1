/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page: the answer of a tool, or a resource, that lists rows, written a row at a time:
 * {"notice", rows, "count", "next_cursor" if there are more, members that the tool adds}.
 *
 * A page is full at the caller's limit, or when the next row would make the answer too long
 * (mcp/request_room.h).
 */
#pragma once

#include "base/buffer.h"
#include "base/json.h"
#include "mcp/request.h"
#include "mcp/resource.h"
#include "mcp/tool.h"
#include "tools/cursor.h"
#include "tools/view.h"

/* The argument that page_begin() reads. */
#define PAGE_LIMIT_FIELD                                                  \
	{ "limit", SCHEMA_INTEGER, false, "Maximum results (default 20)", \
	  1,	   PAGE_LIMIT_MAX }

struct page {
	struct json_writer *writer; /* for the rows and the tool's own members */
	struct view view;	    /* the caller's, with this writer */
	unsigned limit;
	bool more; /* another row did not fit */
	int64_t last_id,
		row_id;	   /* of the last row that was kept; of the one being written */
	unsigned contacts; /* before the row that is being written */
	size_t contacts_octets;
	struct request_room room; /* counts the rows of this page */
	struct buffer structured;
};

/*
 * Begins an answer that has no rows: opens its object. Returns NULL if memory runs out, and the
 * call has been finished.
 */
struct json_writer *page_open(struct tool_call *call, struct buffer *structured);
/* Closes it and finishes the call with it, or with this failure if there is one. */
void page_close(struct tool_call *call, struct json_writer *writer,
		struct buffer *structured, const char *failure);

/* Returns false if memory runs out, and the call has been finished. */
bool page_begin(struct page *page, struct tool_call *call);
/* The same for a resource, which has no further pages and closes the object itself. */
void page_begin_resource(struct page *page, const struct resource_call *call,
			 struct json_writer *writer, unsigned limit);
/* Call it before writing a row. Returns false if the row belongs on the next page. */
bool page_takes_row(struct page *page, int64_t id);
/* Call after writing it. Returns false if it was taken back and belongs on the next page. */
bool page_keeps_row(struct page *page);
/* Ends the rows early: the next page continues after `last_id`. Then page_close_rows(). */
void page_stop(struct page *page, int64_t last_id);
void page_close_rows(struct page *page, enum cursor_kind kind);
/* Finishes the call with the page or, if `error` is not 0, with a failure. */
void page_answer(struct page *page, struct tool_call *call, int error);
/* Frees a page whose rows are still open and that nobody wants any more. */
void page_drop(struct page *page);
