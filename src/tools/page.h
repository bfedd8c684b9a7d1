/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page: the answer of a tool that lists rows, written a row at a time:
 * {"notice", rows, "count", "next_cursor" if there are more, members that the tool adds}.
 *
 * A page is full at the caller's limit, or when the next row would make the answer too long
 * (mcp/answer_room.h).
 */
#pragma once

#include "base/buffer.h"
#include "base/json.h"
#include "mcp/answer_room.h"
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
	struct answer_room room; /* counts the rows of this page */
	struct buffer structured;
};

/* Returns false if memory runs out, and the call has been finished. */
bool page_begin(struct page *page, struct tool_call *call);
void page_open_rows(struct page *page, const char *key);
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
