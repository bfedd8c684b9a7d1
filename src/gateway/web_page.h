/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Web page: a small page that is written once, for two readers: HTML for clients that accept it,
 * and plain text for programs. It needs no script; a script only shows buttons that copy.
 */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"
#include "http/exchange.h"

/* A page that is being written. */
struct web_page {
	struct exchange *exchange;
	bool is_html;
	bool reloads;
	struct buffer body;
};

/* With `reloads` a browser loads the page again every three seconds. */
void web_page_open(struct web_page *page, struct exchange *exchange, const char *title,
		   bool reloads);

/* A paragraph of text, of any origin. */
__attribute__((format(printf, 2, 3))) void web_page_say(struct web_page *page,
							const char *format, ...);
/* The line "state: ..." of a text page, for scripts; nothing in HTML. */
void web_page_state(struct web_page *page, const char *state);
void web_page_heading(struct web_page *page, const char *text);
/* Appends what is to be copied. */
void web_page_block(struct web_page *page, const char *text);

/* As it is: markup, or a part of a text page. */
void web_page_append(struct web_page *page, const char *text);

/*
 * Answers the exchange. `has_form` says that the page has a form, which may be sent to this server
 * only.
 */
void web_page_close(struct web_page *page, unsigned status, bool has_form);
