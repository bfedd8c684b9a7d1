/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server info: what the server says about itself: name, capabilities, instructions, and
 * the server card, which a client may read before it connects. The card contains nothing
 * secret and nothing about this phone.
 *
 * Source of the card: SEP-2127, schema v1 of its repository, experimental-ext-server-
 * card.
 */
#pragma once

#include "base/json.h"

struct request;

#define SERVER_INFO_CARD_TYPE "application/mcp-server-card+json"

/*
 * Writes the whole card. `url` is the endpoint's; if it is NULL, it is unknown, and the card has no
 * remote.
 */
void server_info_write_card(struct json_writer *writer, const char *url);

/* Writes key and {"name":...,"title":...,"version":...} */
void server_info_write_implementation(struct json_writer *writer, const char *key);
/* Writes "capabilities"; `extension` is one more name, or NULL. */
void server_info_write_capabilities(struct json_writer *writer, const char *extension,
				    bool has_events);
/* Writes "instructions", for the model of the client that asked */
void server_info_write_instructions(struct json_writer *writer,
				    const struct request *request);
