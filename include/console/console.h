/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Console: the page that is the MCP App of the tools and the owner's page in a browser, one
 * HTML document that asks for nothing else (doc/console.md).
 *
 * make puts it together from the files beside console_document.S, which embeds it.
 */
#ifndef CONSOLE_CONSOLE_H
#define CONSOLE_CONSOLE_H

#include <stddef.h>

#define CONSOLE_URI  "ui://ofono-mcp/console"
#define CONSOLE_TYPE "text/html;profile=mcp-app"

struct console_part {
	const char *text; /* UTF-8 */
	size_t length;
};

/* All of it; not ended by a NUL. */
struct console_part console_document(void);

/* What stands in its one <style> and its one <script>, for a policy that names their
 * hashes. */
struct console_part console_style(void);
struct console_part console_script(void);

#endif
