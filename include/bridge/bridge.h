/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridge: MCP over standard input and output, for clients that start a program instead of using
 * HTTP.
 *
 * It passes each line to the gateway as one HTTP request, and each answer back as one line.  It
 * knows no tools and decides nothing: the gateway stays the only server.  It adds what HTTP needs
 * and stdio lacks, for both families of the protocol on one pipe:
 *
 *   2026-07-28   the version is in `_meta` of each line: headers from there; closing the request
 *                cancels it; lasting streams are opened again when the gateway restarts
 *   2025-11-25   and older: one session, its stream for what the gateway sends by itself, and a new
 *                session, with the same subscriptions, when the gateway has forgotten it
 *
 * What may have been sent is never sent again: the client gets an error that says that the outcome
 * is unknown.  Source: MCP 2026-07-28 and 2025-11-25, transports, stdio.
 */
#pragma once

#include <stdbool.h>

enum { BRIDGE_SENDERS_MAX = 4 }; /* each takes one of the client's streams */

struct bridge_options {
	const char *url; /* ends with /mcp */
	const char *
		socket_path; /* the gateway's control socket, used instead of TCP; or NULL */
	const char *token;   /* NULL if there is none */
	const char *ca_file; /* certificates to trust; NULL for the system's */
	/* A channel for Claude Code: from whom messages reach it. None: there is no channel. */
	const char *senders[BRIDGE_SENDERS_MAX];
	unsigned sender_count;
};

/*
 * Runs until the end of standard input, or SIGTERM, SIGINT or SIGHUP. Returns 0 or -errno if it
 * could not begin.
 */
int bridge_run(const struct bridge_options *options);

/*
 * Target: the URL and the token of a gateway, as their user gave them. Both return what is wrong
 * ("is too long"), or NULL.
 */

enum { BRIDGE_TARGET_URL_BYTES = 512, BRIDGE_TARGET_TOKEN_BYTES = 257 };

/* "http://host:9531" is enough. */
const char *bridge_target_read_url(const char *given, char url[BRIDGE_TARGET_URL_BYTES]);
/* Takes one line, with or without its end. */
const char *bridge_target_read_token(const char *given,
				     char token[BRIDGE_TARGET_TOKEN_BYTES]);
