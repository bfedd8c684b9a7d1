/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Era: everything in which families of MCP revisions differ, as one constant table each.
 *
 * The era of a message is decided once, in era_decide(); afterwards all code calls through
 * the table, and no handler knows the revision. Adding a family is one more table.
 */
#ifndef MCP_ERA_H
#define MCP_ERA_H

#include "mcp/ask_form.h"
#include "mcp/request.h"

struct ask_front;

struct revision {
	const char *name; /* "2025-11-25": they compare as strings */
	bool batches;	  /* one POST may carry an array of messages */
	bool resumes;	  /* the stream of a POST can be read on, see mcp/reply.h */
	enum ask_form form;
};

struct method {
	const char *name;
	void (*run)(struct request *request);
	/* The era of 2026 */
	const char *name_parameter; /* what Mcp-Name repeats; NULL: nothing */
	const char *cache_scope;    /* "public", "private"; NULL: not to be cached */
	unsigned ttl_ms;
};

struct era {
	const char *name;
	const struct revision *revisions; /* newest first, ends with a NULL name */
	const struct method *methods;	  /* ends with a NULL name */
	bool leaving_cancels;		  /* a client that leaves wants it no more */
	/* False: the request may not run, and has been refused. NULL: any may. */
	bool (*admit)(struct request *request);
	/* Does the client of this request say that it knows an extension? NULL: none can. */
	bool (*declares)(const struct request *request, const char *extension);
	/* Members that every result of this era begins with. */
	void (*open_result)(const struct request *request, struct json_writer *writer);
	const struct ask_front *asking; /* how a person is asked */
	/* A notification or a response of the client. NULL: none means anything. */
	void (*hear)(struct request *message);
	enum rpc_code resource_not_found;
	enum rpc_code missing_capability;
	/* HTTP status under which a method's error with this code travels. */
	unsigned (*error_status)(enum rpc_code code);
};

/* initialize, protocol revisions 2025-11-25 back to 2024-11-05 */
extern const struct era era_2025;
/* an envelope in every request, protocol revision 2026-07-28 */
extern const struct era era_2026;

enum era_session {
	ERA_SESSION_NONE, /* no Mcp-Session-Id */
	ERA_SESSION_LIVE,
	ERA_SESSION_DEAD, /* ended, or never ours */
};

/* what the era of a message depends on */
struct era_question {
	const struct rpc_message *message;
	const char *header; /* MCP-Protocol-Version, plain and collapsed; NULL: absent */
	bool header_conflict;
	enum era_session session;
	const struct revision *session_revision; /* of a live one: what it negotiated */
};

/* `era` is NULL when the message is refused: with `error` under `status`. */
struct era_verdict {
	const struct era *era;
	const struct revision *revision;
	unsigned status;
	struct rpc_error error; /* its data is of the question's message or header */
};

struct era_verdict era_decide(const struct era_question *question);

/* The revision of this name, or NULL. */
const struct revision *era_find_revision(const struct era *era, const char *name);

/* An array of the names of its revisions, or of those of all eras, newest first. */
void era_write_revisions(const struct era *era, struct json_writer *writer);
void era_write_all_revisions(struct json_writer *writer);

#endif
