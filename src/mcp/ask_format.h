/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask format: what the text in a field of a form has to be. All that MCP knows; each is
 * checked, for a client may leave that to us.
 *
 * Source: MCP 2025-11-25, schema, StringSchema; JSON Schema 2020-12, "Defined Formats".
 */
#ifndef MCP_ASK_FORMAT_H
#define MCP_ASK_FORMAT_H

#include <stdbool.h>

enum ask_format {
	ASK_FORMAT_ANY,
	ASK_FORMAT_EMAIL,     /* one address, without a name */
	ASK_FORMAT_URI,	      /* absolute */
	ASK_FORMAT_DATE,      /* "2026-11-21" */
	ASK_FORMAT_DATE_TIME, /* RFC 3339 */
};

/* Its word; NULL for any. */
const char *ask_format_name(enum ask_format format);

/* Valid UTF-8 goes in. */
bool ask_format_fits(enum ask_format format, const char *text);

#endif
