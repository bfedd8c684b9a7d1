/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page: the answer of a tool that lists messages, a row at a time: {"notice", rows, "count",
 * "next_cursor" where there is more, what the tool adds}.
 *
 * It is full at the limit that the caller asked for, and when it is large: texts come from
 * strangers, and the phone's memory is small.
 */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include "base/buffer.h"
#include "base/json.h"
#include "mcp/tool.h"
#include "tools/cursor.h"
#include "tools/message_view.h"

enum {
	PAGE_LIMIT_MAX = 100,
	PAGE_LARGE_BYTES = 256 * 1024, /* no row begins behind that */
};

/* The argument that page_begin() reads. */
#define PAGE_LIMIT_FIELD                                                       \
	{ "limit", SCHEMA_INTEGER, false, "At most so many; 20 when left out", \
	  1,	   PAGE_LIMIT_MAX }

struct page {
	struct json_writer *writer; /* for the rows, and what is added behind them */
	struct message_view view;   /* of who asked, to the writer */
	unsigned limit;
	unsigned count; /* rows on it */
	bool more;	/* there is a row that is not on it */
	int64_t last_id;
	struct buffer structured;
};

/* False: the call is answered. */
bool page_begin(struct page *page, struct tool_call *call);
void page_open_rows(struct page *page, const char *key);
/* Before a row is written. False: it belongs to the next page. */
bool page_takes_row(struct page *page, int64_t id);
void page_close_rows(struct page *page, enum cursor_kind kind);
/* The rows end early: the next page begins behind `last_id`. Before page_close_rows(). */
void page_stop(struct page *page, int64_t last_id);
/* Nobody wants it any more; its rows are still open. */
void page_drop(struct page *page);
/* The end of the page, whatever came of it; `error`: the store's, 0 none. */
void page_answer(struct page *page, struct tool_call *call, int error);

#endif
