/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resource: one row of the resource table, and the methods over that table.
 *
 * A row with a variable is a template: its URI goes on with the variable's value,
 * percent-encoded (RFC 6570, simple expansion), and ends with its tail. Contents are JSON,
 * but for a row with a document.
 */
#ifndef MCP_RESOURCE_H
#define MCP_RESOURCE_H

#include "mcp/request.h"

enum {
	RESOURCE_URI_MAX = 512,	    /* bytes */
	RESOURCE_COMPLETIONS = 100, /* values, as MCP has it */
};

/* outcomes */
enum {
	RESOURCE_E_NOT_FOUND = 1,
	RESOURCE_E_MALFORMED, /* no URI, or with a broken percent-encoding */
};

/* strings live in the arena */
struct resource_call {
	const struct resource *resource;
	const char *value;	     /* of its variable, decoded; NULL: it has none */
	const char *subject;	     /* see struct change */
	void *services;		     /* what endpoint_new() was given */
	const struct client *client; /* who asks; NULL: it is only looked for */
	struct arena *arena;
};

/* A text that is the same for everybody, and as long as the program runs. */
struct resource_document {
	const char *type; /* of MIME */
	const char *text;
	size_t length;
	/* The _meta of what is read; NULL: none. */
	void (*write_meta)(struct json_writer *writer);
};

struct completion {
	struct json_writer *writer;
	unsigned count; /* of values written */
	bool more;	/* than RESOURCE_COMPLETIONS */
};

struct resource {
	const char *uri;      /* "sms://inbox", "sms://message/" */
	const char *variable; /* "id"; NULL: none */
	const char *tail;     /* what stands behind that; NULL: nothing */
	const char *name;
	const char *title;
	const char *description;
	unsigned scopes; /* enum client_scope: all that a client needs for it */
	/* A variable's value as changes spell it; NULL: there is no such resource, or no
	 * memory. Only with a variable. */
	const char *(*spell)(const struct resource_call *call);
	/* NULL: `write` is asked. */
	struct resource_document (*document)(void);
	/* One JSON value. 0, or -errno or RESOURCE_E_NOT_FOUND with none or a whole one
	 * written. */
	int (*write)(const struct resource_call *call, struct json_writer *writer);
	/* Each value that begins with call->value. 0 or -errno. NULL: none is known. */
	int (*complete)(const struct resource_call *call, struct completion *completion);
};

/*
 * The row of a URI, ready to be read. `services` and `arena` are set before; 0 or
 * RESOURCE_E_*. `resources` ends with NULL.
 */
int resource_find(const struct resource *const *resources, const char *uri,
		  struct resource_call *call);

/*
 * What a client needs to know anything of this URI, or of this subject of changes; 0 when no
 * row can have it.
 */
unsigned resource_scopes(const struct resource *const *resources, const char *uri);

/* Of complete(): one value more; `value` is valid UTF-8. */
void completion_add(struct completion *completion, const char *value);

/* resources/list, resources/templates/list, resources/read, completion/complete */
void resource_run_list(struct request *request);
void resource_run_list_templates(struct request *request);
void resource_run_read(struct request *request);
void resource_run_complete(struct request *request);

/* params.uri found in the endpoint's table, and the client may read it; false: the request
 * has been answered. */
bool resource_of_request(struct request *request, struct resource_call *call);

#endif
