/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gateway/web.h"

static const char web_page_style[] =
	":root{color-scheme:light dark}"
	"body{font:1.05rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;"
	"padding:0 1rem;color:#1b1f24;background:#fff}"
	"h1{font-size:1.5rem}h2{font-size:1.1rem;margin:1.5rem 0 .25rem}"
	".code{font:600 2.6rem/1.2 ui-monospace,monospace;letter-spacing:.08em}"
	"pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.75rem;margin:.5rem 0;"
	"border:1px solid #b5bcc4;border-radius:.5rem;background:#f4f6f8;color:#1b1f24}"
	"input,button{font:inherit;padding:.5rem .75rem;border:1px solid #6b7682;"
	"border-radius:.5rem;color:inherit;background:#fff}"
	"button{background:#0b57a4;border-color:#0b57a4;color:#fff;cursor:pointer}"
	"label{display:block;margin-bottom:.5rem}"
	":focus-visible{outline:3px solid #0b57a4;outline-offset:2px}"
	"a{color:#0b57a4}"
	"@media(prefers-color-scheme:dark){"
	"body,input{color:#e8ecf0;background:#14181c}"
	"pre{color:#e8ecf0;background:#1e242a;border-color:#46505a}"
	"a{color:#8cc2ff}:focus-visible{outline-color:#8cc2ff}}";

/* Shows the buttons, which are of no use without it. */
static const char web_page_script[] =
	"for(const button of document.querySelectorAll('button[hidden]')){"
	"button.hidden=false;"
	"button.onclick=async()=>{"
	"const text=button.previousElementSibling;"
	"try{await navigator.clipboard.writeText(text.textContent)}catch{"
	"getSelection().selectAllChildren(text);document.execCommand('copy')}"
	"button.textContent='Copied'}}";

/* ---- writing */

void web_page_append(struct web_page *page, const char *text)
{
	buffer_append_text(&page->body, text);
}

static void web_page_append_markup(struct web_page *page, const char *markup)
{
	if (page->is_html)
		web_page_append(page, markup);
}

/* Appends text of any origin, which never becomes markup. */
static void web_page_append_data(struct web_page *page, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	if (!page->is_html) {
		web_page_append(page, text);
		return;
	}
	while (*text) {
		size_t plain = strcspn(text, special);

		buffer_append(&page->body, text, plain);
		text += plain;
		if (*text)
			web_page_append(page, names[strchr(special, *text++) - special]);
	}
}

void web_page_say(struct web_page *page, const char *format, ...)
{
	char text[1024];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	web_page_append_markup(page, "<p>");
	web_page_append_data(page, text);
	web_page_append(page, page->is_html ? "</p>\n" : "\n");
}

void web_page_state(struct web_page *page, const char *state)
{
	if (page->is_html)
		return;
	web_page_append(page, "state: ");
	web_page_append(page, state);
	web_page_append(page, "\n");
}

void web_page_heading(struct web_page *page, const char *text)
{
	web_page_append(page, page->is_html ? "<h2>" : "\n");
	web_page_append_data(page, text);
	web_page_append(page, page->is_html ? "</h2>\n" : "\n");
}

void web_page_block(struct web_page *page, const char *text)
{
	web_page_append(page, page->is_html ? "<pre>" : "\n");
	web_page_append_data(page, text);
	web_page_append(page,
			page->is_html
				? "</pre>\n<button type=\"button\" hidden>Copy</button>\n"
				: "\n");
}

void web_page_open(struct web_page *page, struct exchange *exchange, const char *title,
		   bool reloads)
{
	*page = (struct web_page){
		.exchange = exchange,
		.is_html = exchange_header_has(exchange, "Accept", "text/html"),
		.reloads = reloads,
		.body = { .secret = true },
	};
	if (!page->is_html)
		return;
	web_page_append(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			      "<meta charset=\"utf-8\">\n"
			      "<meta name=\"viewport\" "
			      "content=\"width=device-width, initial-scale=1\">\n");
	web_page_append(page, "<title>");
	web_page_append_data(page, title);
	web_page_append(page, "</title>\n<style>");
	web_page_append(page, web_page_style);
	web_page_append(page, "</style>\n</head>\n<body>\n<main>\n<h1>");
	web_page_append_data(page, title);
	web_page_append(page, "</h1>\n");
}

static const char *web_page_policy(struct web_page *page, bool has_form)
{
	char script[ROUTE_HASH_BYTES], style[ROUTE_HASH_BYTES];

	if (!route_write_hash(web_page_script, sizeof(web_page_script) - 1, script) ||
	    !route_write_hash(web_page_style, sizeof(web_page_style) - 1, style))
		return NULL;
	return arena_printf(exchange_arena(page->exchange),
			    "default-src 'none'; script-src '%s'; style-src '%s'; "
			    "base-uri 'none'; form-action %s; frame-ancestors 'none'",
			    script, style, has_form ? "'self'" : "'none'");
}

void web_page_close(struct web_page *page, unsigned status, bool has_form)
{
	struct exchange *exchange = page->exchange;
	const char *policy = web_page_policy(page, has_form);

	if (page->is_html) {
		web_page_append(page, "</main>\n<script>");
		web_page_append(page, web_page_script);
		web_page_append(page, "</script>\n</body>\n</html>\n");
	}
	/* with no-referrer, browsers would send the form with the Origin "null" */
	route_protect_page(exchange, policy ? policy : "default-src 'none'",
			   "same-origin");
	if (page->is_html && page->reloads)
		exchange_add_fixed_header(exchange, "Refresh", "3");
	exchange_answer(exchange, status,
			page->is_html ? "text/html; charset=utf-8"
				      : "text/plain; charset=utf-8",
			&page->body);
}
