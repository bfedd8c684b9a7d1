/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resource: one row of the resource table, and finding the row of a URI.
 *
 * A row with a variable is a template: its URI continues with the variable's value,
 * percent-encoded (RFC 6570, simple expansion), and ends with `tail`. Contents are JSON,
 * except for rows with a document.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/client.h"
#include "base/json.h"

struct services;

/*
 * Change: an event that clients may subscribe to. Its source keeps the observers and
 * passes them to endpoint_new(); streams observe.
 */

enum resource_change_type {
	CHANGE_RESOURCE,  /* resources/read gives something else for `subject` */
	CHANGE_TOOLS,	  /* the tool list changed */
	CHANGE_EVENTS,	  /* the list of event types changed */
	CHANGE_RECONNECT, /* end the client's streams, so that it reconnects */
};

struct resource_change {
	enum resource_change_type type;
	/* A URI whose variable is not percent-encoded, see resource_find(); else NULL. */
	const char *subject;
	/* The client it concerns; 0 for all. Always 0 with CHANGE_RESOURCE. */
	int64_t client_id;
};

/* Returns whether the change concerns this client. */
static inline bool resource_change_is_of(const struct resource_change *change,
					 int64_t client_id)
{
	return !change->client_id || change->client_id == client_id;
}

enum {
	RESOURCE_URI_MAX = 512,		/* bytes */
	RESOURCE_COMPLETIONS_MAX = 100, /* values, as MCP demands */
};

enum {
	RESOURCE_E_NOT_FOUND = 1,
	RESOURCE_E_MALFORMED, /* no URI, or a broken percent-encoding */
};

/* The strings live in the arena. */
struct resource_call {
	const struct resource *resource;
	/* of its variable, decoded; NULL if there is no variable */
	const char *value;
	const char *subject;	     /* see struct resource_change */
	struct services *services;   /* see struct endpoint_options */
	const struct client *client; /* who asks; NULL when only the row is looked up */
	struct arena *arena;
};

/* A text that is the same for all clients and lives as long as the program. */
struct resource_document {
	const char *type; /* MIME type */
	const char *text;
	size_t length;
	/* Writes _meta of the content; NULL if there is none. */
	void (*write_meta)(struct json_writer *writer);
};

struct resource_completion {
	struct json_writer *writer;
	unsigned count; /* of values written */
	bool more;	/* more than RESOURCE_COMPLETIONS_MAX match */
};

struct resource {
	const char *uri;      /* "sms://inbox", "sms://message/" */
	const char *variable; /* "id"; NULL if there is none */
	const char *tail;     /* follows the variable; NULL for nothing */
	const char *name;
	const char *title;
	const char *description;
	unsigned scopes; /* enum client_scope: all that a client needs */
	/* Returns the variable's value as changes spell it; NULL if there is no such resource,
	 * or memory runs out. Only for rows with a variable. */
	const char *(*spell)(const struct resource_call *call);
	/* If it is NULL, `write` is used. */
	struct resource_document (*document)(void);
	/* Writes one JSON value. Returns 0; or -errno or RESOURCE_E_NOT_FOUND, after writing
	 * nothing or a whole value. */
	int (*write)(const struct resource_call *call, struct json_writer *writer);
	/* Adds each value that begins with call->value. Returns 0 or -errno. If it is NULL,
	 * there is no completion. */
	int (*complete)(const struct resource_call *call,
			struct resource_completion *completion);
};

/*
 * Finds the row of a URI, ready to be read. `services` and `arena` are set before; 0 or
 * RESOURCE_E_*. `resources` ends with NULL.
 */
int resource_find(const struct resource *const *resources, const char *uri,
		  struct resource_call *call);

/*
 * Returns the scopes that a client needs for this URI or subject of changes; 0 if no row matches.
 */
unsigned resource_scopes(const struct resource *const *resources, const char *uri);

/* Returns whether a client with these scopes may read this URI or subject of changes. */
bool resource_is_readable(const struct resource *const *resources, const char *uri,
			  unsigned scopes);

/* For complete(): adds a value, which is valid UTF-8. */
void resource_add_completion(struct resource_completion *completion, const char *value);
