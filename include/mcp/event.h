/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event: MCP Events (SEP-3415, io.modelcontextprotocol/events): a client hears of what happened
 * by events/poll, events/stream or a webhook.
 *
 * All three read the feed (base/feed.h), which is on disk, and show a client the same
 * bytes of the same entry: event_judge() decides whether it may see the entry and wants to,
 * event_write() writes it. A cursor is "<epoch>.<ID of the last entry that was looked at>", an
 * event ID "<epoch>.<ID of the entry>".
 *
 * Source: modelcontextprotocol/ext-events, seps/0000-events-extension.md (draft).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/client.h"
#include "base/feed.h"
#include "base/json.h"
#include "mcp/request.h"
#include "mcp/schema.h"
#include "webhook/webhook.h"

#define EVENT_EXTENSION RPC_META_PREFIX "events"

enum {
	EVENT_CURSOR_BYTES = 48,    /* also of an event ID */
	EVENT_ARGUMENTS_MAX = 1024, /* bytes, as canonical JSON */
};

struct event_query;

/* A row of the event table. */
struct event_type {
	const char *name; /* "sms.received" */
	const char *description;
	const struct schema_field *arguments;
	const struct schema_field *payload; /* of an occurrence's `data` */
	/* Returns what else is wrong with the arguments, which fit the schema; NULL if nothing
	 * is. May be NULL: then there is no such check. */
	const char *(*find_problem)(const struct event_query *query);
	unsigned scopes;     /* enum client_scope: all that a client needs */
	enum feed_type feed; /* only entries of this type are asked about */
	/* Returns whether it is of use now. Code that changes this calls
	 * endpoint_report_events(). If it is NULL, the type is always of use. */
	bool (*usable)(const struct services *services);
	/*
	 * Does the client want this entry, and may it see it? May keep in query->found what
	 * write_data() needs. False also for an entry whose row was deleted.
	 */
	bool (*matches)(struct event_query *query, const struct feed_entry *entry);
	/* Writes the members of `data` of an entry that matches. */
	void (*write_data)(const struct event_query *query,
			   const struct feed_entry *entry, struct json_writer *writer);
};

/* Who wants which events. */
struct event_query {
	const struct event_type *type;
	const struct json *arguments; /* fit type->arguments; NULL if there is none */
	const struct client *client;  /* as it is now; NULL if revoked */
	struct services *services;    /* see struct endpoint_options */
	/* include_text counts: by webhook only if the owner consented to that. */
	bool may_show_text;
	struct arena *arena; /* for one entry: of matches() and write_data() */
	void *found;	     /* of matches() */
};

enum event_verdict {
	EVENT_PASSED_OVER, /* not wanted */
	EVENT_MATCHES,
	EVENT_FORBIDDEN, /* the client may no longer see events of this type */
};

/* `query->arena` is set; the caller frees it after event_write(). */
enum event_verdict event_judge(struct event_query *query, const struct feed_entry *entry);

/* May the client see events of this type? */
bool event_is_permitted(const struct event_type *type, const struct client *client,
			const struct services *services);

/*
 * Writes the occurrence of an entry that matches, as one object. `with_cursor` is set for push and
 * webhook, where the cursor is that of this entry.
 */
void event_write(const struct event_query *query, const struct feed_entry *entry,
		 int64_t epoch, bool with_cursor, struct json_writer *writer);

/* Writes the same without the braces. */
void event_write_members(const struct event_query *query, const struct feed_entry *entry,
			 int64_t epoch, bool with_cursor, struct json_writer *writer);

void event_write_cursor(int64_t epoch, int64_t entry_id, char text[EVENT_CURSOR_BYTES]);
/* Returns false if `text` is not as event_write_cursor() writes it. */
bool event_read_cursor(const char *text, int64_t *epoch_out, int64_t *id_out);

/* Returns the type of this name that is usable; NULL if there is none. `types` end with NULL. */
const struct event_type *event_find(const struct event_type *const *types,
				    const char *name, const struct services *services);

/* Returns the types that the client may see, as bits by the order of the table. */
uint64_t event_permitted_types(const struct event_type *const *types,
			       const struct client *client,
			       const struct services *services);

/* Where a reader begins. */
struct event_position {
	int64_t epoch;
	int64_t after_id;
	bool truncated; /* entries in between were skipped, or nobody knows */
};

/*
 * Reads `cursor` and `maxAgeMs` of params. Any string is a cursor: an unknown one begins at the
 * oldest entry. Returns false if the request has been answered.
 */
bool event_read_position(struct request *request, const struct event_type *type,
			 struct event_position *position_out);

/*
 * Reads `name` and `arguments` of params into *query_out, checked. The arguments live in the arena
 * of the request. Returns false if the request has been answered.
 */
bool event_read_query(struct request *request, struct event_query *query_out);

/*
 * Writes the client as the store knows it now. Returns false if it was revoked. In open mode
 * `client_out` is open.
 */
bool event_find_client(const struct request *request, struct client *client_out);

enum event_error {
	EVENT_E_NOT_FOUND,   /* kind */
	EVENT_E_FORBIDDEN,   /* reason */
	EVENT_E_EXHAUSTED,   /* limit, max */
	EVENT_E_UNSUPPORTED, /* feature, value */
	EVENT_E_CALLBACK,    /* reason */
};

struct event_failure {
	enum event_error error;
	/* error.data: up to two members; a NULL key ends them. */
	const char *key, *word;
	const char *second_key, *second_word; /* second_word is NULL for `maximum` */
	int64_t maximum;
	const char *detail; /* a sentence; NULL if there is none */
};

/* Writes {"code":...,"message":...,"data":{...}}, for notifications and webhooks. */
void event_write_error(struct json_writer *writer, const struct event_failure *failure);
void event_fail(struct request *request, const struct event_failure *failure);

/* The methods */
void event_methods_run_list(struct request *request);
void event_methods_run_poll(struct request *request);
void event_stream_run(struct request *request);
void event_subscribe_run(struct request *request);
void event_subscribe_run_end(struct request *request);

/* How events are written for webhooks (webhook/webhook.h). */
struct event_subscribe_words {
	const struct event_type *const *types; /* ends with NULL */
	struct services *services;
	int64_t epoch; /* of the feed */
	/* filled by event_subscribe_init_words(): */
	struct webhook_source source;
};

/* The other members are set before. It must not move afterwards. */
void event_subscribe_init_words(struct event_subscribe_words *webhook);
