/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Console: the page that is the MCP App of the tools and the owner's page in a browser. It is one
 * HTML document that loads nothing else (doc/console.md).
 *
 * make composes it from the files in src/console, and console_document.S embeds it.
 */
#pragma once

#include <stddef.h>

#define CONSOLE_URI  "ui://ofono-mcp/console"
#define CONSOLE_TYPE "text/html;profile=mcp-app"

struct console_part {
	const char *text; /* UTF-8 */
	size_t length;
};

/* Returns the whole document; not NUL-terminated. */
struct console_part console_document(void);

/* Returns the contents of its one <style> and its one <script>, for a policy with their hashes. */
struct console_part console_style(void);
struct console_part console_script(void);
