/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server card: what a client may read before it connects: who this is, where, and which
 * revisions are served. Nothing in it is secret, and nothing of it is of this phone.
 *
 * Source: SEP-2127, the schema v1 of its repository, experimental-ext-server-card.
 */
#ifndef MCP_SERVER_CARD_H
#define MCP_SERVER_CARD_H

#include "base/json_writer.h"

#define SERVER_CARD_TYPE "application/mcp-server-card+json"

/* The whole card; `url` is the endpoint's, NULL not known: then it names no remote. */
void server_card_write(struct json_writer *writer, const char *url);

#endif
