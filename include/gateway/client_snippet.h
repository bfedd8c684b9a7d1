/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client snippet: the lines to paste into the configuration of one MCP client (doc/stdio.md).
 */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"

#define CLIENT_SNIPPET_NAMES                                    \
	"claude-desktop, claude-code, cursor, vscode, codex,\n" \
	"                   antigravity or chatgpt"

extern const char *const client_snippet_names[]; /* ends with NULL */

/*
 * Appends that of one client, or all of them for NULL. `has_certificate` means that the client's
 * machine does not trust the URL's certificate by itself.
 */
void client_snippet_write(struct buffer *to, const char *client, const char *url,
			  const char *token, bool has_certificate);
