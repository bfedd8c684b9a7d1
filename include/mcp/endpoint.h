/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endpoint: MCP's one URL, and what all requests to it have in common.
 */
#ifndef MCP_ENDPOINT_H
#define MCP_ENDPOINT_H

#include "base/observer.h"
#include "http/server.h"
#include "mcp/watcher.h"
#include "mcp/resource.h"
#include "mcp/session.h"
#include "mcp/task.h"
#include "mcp/tool.h"

struct endpoint;

/* what there is to serve; outlives the endpoint */
struct endpoint_offer {
	const struct tool *const *tools;	 /* ends with NULL */
	const struct resource *const *resources; /* likewise */
	const struct task_kind *const *tasks;	 /* likewise; NULL: nothing can be one */
	void *services;				 /* for all of them */
	struct observers *changes;		 /* of struct change; NULL: none ever */
	const struct session_shelf *shelf; /* for sessions; NULL: they end with it */
};

/* `offer` is borrowed for the call. NULL: no memory. */
struct endpoint *endpoint_new(const struct endpoint_offer *offer);
void endpoint_free(struct endpoint *endpoint); /* NULL is fine */

extern const struct exchange_handler endpoint_handler; /* its data is the endpoint */
/* A gate's refusal as a JSON-RPC error without an id. */
void endpoint_refusal(struct buffer *body, unsigned status, const char *text);

/* For methods */

/*
 * The session that the exchange names, see session_find(). NULL with *named_out: it is
 * dead, or named twice.
 */
struct session *endpoint_session(struct endpoint *endpoint, struct exchange *exchange,
				 bool *named_out);
struct sessions *endpoint_sessions(struct endpoint *endpoint);
struct watcher_list *endpoint_watchers(struct endpoint *endpoint);
struct observers *endpoint_changes(const struct endpoint *endpoint); /* may be NULL */
const struct tool *const *endpoint_tools(const struct endpoint *endpoint);
const struct resource *const *endpoint_resources(const struct endpoint *endpoint);
const struct task_kind *const *endpoint_tasks(const struct endpoint *endpoint);
void *endpoint_services(const struct endpoint *endpoint);
/* The tools/list array, written once. */
const struct buffer *endpoint_tool_list(const struct endpoint *endpoint);

#endif
