/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endpoint: MCP's one URL, and what all requests to it have in common.
 */
#ifndef MCP_ENDPOINT_H
#define MCP_ENDPOINT_H

#include "config/config.h"
#include "base/observer.h"
#include "http/server.h"
#include "mcp/asking.h"
#include "mcp/batch_turn.h"
#include "mcp/watcher.h"
#include "mcp/resource.h"
#include "mcp/session.h"
#include "mcp/task.h"
#include "mcp/task_alarm.h"
#include "mcp/tool.h"

struct endpoint;

/* what there is to serve; outlives the endpoint */
struct endpoint_offer {
	const struct tool *const *tools;	 /* ends with NULL */
	const struct config_list *hidden_tools;	 /* NULL: none; see mcp/tool_set.h */
	const struct resource *const *resources; /* likewise */
	const struct task_kind *const *tasks;	 /* likewise; NULL: nothing can be one */
	void *services;				 /* for all of them */
	struct observers *changes;		 /* of struct change; NULL: none ever */
	const struct session_shelf *shelf; /* for sessions; NULL: they end with it */
	struct asking asking;		   /* see asking_init() */
	/* What a client may do by now; false: it is none any more. NULL: that never changes. */
	bool (*find_client)(void *data, int64_t client_id, struct client *client_out);
	void *clients;
};

/* `offer` is borrowed for the call. NULL: no memory. */
struct endpoint *endpoint_new(const struct endpoint_offer *offer);
void endpoint_free(struct endpoint *endpoint); /* NULL is fine */

/*
 * Which tools are offered may be different now: when it is, all who want to know are told.
 * 0, or -ENOMEM with all as it was.
 */
int endpoint_review_tools(struct endpoint *endpoint);

/*
 * What this client may do is different now, or it was revoked: its streams hear at once what
 * that changes, and no others.
 */
void endpoint_review_client(struct endpoint *endpoint, int64_t client_id);
/*
 * Its streams that listen end, whole: what was told them goes out before. What it could still
 * be answered after its connection is lost is forgotten.
 */
void endpoint_end_streams(struct endpoint *endpoint, int64_t client_id);

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
/* The same for one that was named before. */
struct session *endpoint_find_session(struct endpoint *endpoint,
				      const struct client *client, const char *id);
struct sessions *endpoint_sessions(struct endpoint *endpoint);
struct asking *endpoint_asking(struct endpoint *endpoint);
struct request_list *endpoint_cancellable(struct endpoint *endpoint);
struct watcher_list *endpoint_watchers(struct endpoint *endpoint);
struct task_alarms *endpoint_task_alarms(struct endpoint *endpoint);
struct batch_turns *endpoint_batch_turns(struct endpoint *endpoint);
struct observers *endpoint_changes(const struct endpoint *endpoint); /* may be NULL */
/* Those that are offered now; ends with NULL. */
const struct tool *const *endpoint_tools(const struct endpoint *endpoint);
const struct resource *const *endpoint_resources(const struct endpoint *endpoint);
const struct task_kind *const *endpoint_tasks(const struct endpoint *endpoint);
void *endpoint_services(const struct endpoint *endpoint);
/* Their tools/list array for a client with these scopes. NULL: no memory. */
const struct buffer *endpoint_tool_list(struct endpoint *endpoint, unsigned scopes);

#endif
