/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endpoint: the one URL of MCP. It owns the state that all requests share and routes the
 * HTTP methods: POST brings messages, GET opens a stream of changes, DELETE ends a
 * session.
 */
#pragma once

#include <systemd/sd-event.h>

#include "base/buffer.h"
#include "http/exchange.h"
#include "http/http_server.h"
#include "mcp/event.h"
#include "mcp/persistence.h"
#include "mcp/resource.h"
#include "mcp/task.h"
#include "mcp/tool.h"

struct config_list;
struct endpoint;
struct observers;
struct webhooks;

/* What is served. All pointers outlive the endpoint. */
struct endpoint_options {
	const struct tool *const *tools;	 /* ends with NULL */
	const struct config_list *hidden_tools;	 /* may be NULL; see mcp/tool_set.h */
	const struct resource *const *resources; /* ends with NULL */
	/* likewise; NULL if no tool makes tasks */
	const struct task_kind *const *tasks;
	struct webhooks *webhooks; /* NULL if events are never posted */
	/* likewise; NULL if there are no events */
	const struct event_type *const *events;
	struct services *services; /* passed to all of them */
	/* of struct resource_change; NULL if there are never any */
	struct observers *changes;
	/* of new entries of the feed; NULL if there are never any */
	struct observers *feed;
	/* NULL to keep everything in memory only */
	const struct persistence *persistence;
	/* If it is NULL, nothing can wait: there is no 2025 elicitation, resumable stream or
	 * task timer. */
	sd_event *loop;
	int64_t elicitation_timeout_seconds; /* 0 to never ask the user in 2025 */
};

/* `options` itself is copied. Returns NULL if memory runs out. */
struct endpoint *endpoint_new(const struct endpoint_options *options);
void endpoint_free(struct endpoint *endpoint); /* NULL is fine */

/*
 * Decides anew which tools are offered, and notifies clients of a change. Returns 0, or -ENOMEM if
 * nothing changed.
 */
int endpoint_review_tools(struct endpoint *endpoint);

/* Call it when the event types have changed that one client (or each, for 0) may see. */
void endpoint_report_events(struct endpoint *endpoint, int64_t client_id);

/*
 * The client's scopes changed, or it was revoked. Its streams, and no others, learn at
 * once what that changes.
 */
void endpoint_review_client(struct endpoint *endpoint, int64_t client_id);
/*
 * Ends the client's streams of changes after sending what is queued, and forgets answers
 * that could still be resumed.
 */
void endpoint_end_streams(struct endpoint *endpoint, int64_t client_id);
/* Ends all sessions of the client. */
void endpoint_end_sessions(struct endpoint *endpoint, int64_t client_id);
unsigned endpoint_session_count(const struct endpoint *endpoint);

extern const struct exchange_handler endpoint_handler; /* its data is the endpoint */
/* Writes a gate's refusal as a JSON-RPC error without an ID. */
void endpoint_write_refusal(struct buffer *body, unsigned status, const char *text);

/*
 * Server info: what the server says about itself: name, capabilities, instructions, and
 * the server card, which a client may read before it connects. The card contains nothing
 * secret and nothing about this phone.
 *
 * Source of the card: SEP-2127, schema v1 of its repository, experimental-ext-server-
 * card.
 */

#define SERVER_INFO_CARD_TYPE "application/mcp-server-card+json"

/*
 * Writes the whole card. `url` is the endpoint's; if it is NULL, it is unknown, and the card has no
 * remote.
 */
void server_info_write_card(struct json_writer *writer, const char *url);
