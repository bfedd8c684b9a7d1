/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Era: everything in which the families of MCP revisions differ, as one constant table
 * each.
 *
 * era_decide() decides the era of a message once. All later code calls through the table,
 * and no handler checks the revision. A new family is one more table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/json.h"
#include "base/observer.h"
#include "mcp/elicitation.h"
#include "mcp/request.h"
#include "mcp/resource.h"

struct elicitation_call_transport;

/*
 * Revision: the protocol revisions that are served, and in what they differ within their
 * family.
 */

struct revision {
	const char *name; /* "2025-11-25"; names compare as strings */
	bool resumes;	  /* the stream of a POST can be resumed, see mcp/session.h */
	enum form_style form;
};

/* Newest first; end with a NULL name. */
extern const struct revision revision_family_2025[];
extern const struct revision revision_family_2026[];

/* Returns the revision of this name, or NULL. */
const struct revision *revision_find(const struct revision *family, const char *name);

/* Writes an array of the names of a family, or of all families, newest first. */
void revision_write_names(const struct revision *family, struct json_writer *writer);
void revision_write_all_names(struct json_writer *writer);

struct era_method {
	const char *name;
	void (*run)(struct request *request);
	/* For 2026 only: */
	const char *name_parameter; /* that Mcp-Name repeats; NULL if there is none */
	const char *cache_scope;    /* "public", "private"; NULL to forbid caching */
	unsigned ttl_ms;
};

struct era {
	const struct era_method *methods; /* ends with a NULL name */
	bool leaving_cancels; /* a client that closes the connection cancels its request */
	bool has_extensions;  /* a request declares those of its client in _meta */
	bool errors_have_status; /* rpc_status(); else 200, as the HTTP request succeeded */
	/* Returns false if the request may not run and has been refused. If it is NULL, any
	 * request may run. */
	bool (*admit)(struct request *request);
	/* Writes the members that begin every result. It is NULL if there are none: clients of
	 * 2025 reject results with unknown members. */
	void (*open_result)(const struct request *request, struct json_writer *writer);
	const struct elicitation_call_transport *elicitation;
	/* Accepts a notification or a response. If it is NULL, all are ignored. */
	void (*receive)(struct request *message);
	enum rpc_code resource_not_found;
};

/* initialize; protocol revisions 2024-11-05 to 2025-11-25 */
extern const struct era era_2025;
/* _meta in every request; protocol revision 2026-07-28 */
extern const struct era era_2026;

enum era_session {
	ERA_SESSION_NONE, /* no Mcp-Session-Id */
	ERA_SESSION_LIVE,
	ERA_SESSION_DEAD, /* ended or unknown */
};

/* What the era of a message depends on. */
struct era_input {
	const struct rpc_message *message;
	const char *header; /* MCP-Protocol-Version, printable; NULL if absent */
	bool header_conflict;
	enum era_session session;
	const struct revision *session_revision; /* negotiated; of a live session */
};

/* `era` is NULL when the message is refused, with `error` and HTTP `status`. */
struct era_verdict {
	const struct era *era;
	const struct revision *revision;
	unsigned status;
	struct rpc_error error; /* its data belongs to the input */
};

struct era_verdict era_decide(const struct era_input *input);

/* For the answers to initialize and server/discover: see server_info.c. */

/* Writes key and {"name":...,"title":...,"version":...} */
void server_info_write_implementation(struct json_writer *writer, const char *key);
/* Writes "capabilities"; `extension` is one more name, or NULL. */
void server_info_write_capabilities(struct json_writer *writer, const char *extension,
				    bool has_events);
/* Writes "instructions", for the model of the client that asked */
void server_info_write_instructions(struct json_writer *writer,
				    const struct request *request);

/*
 * Resource methods: the MCP methods over the resource table.
 */

/* resources/list, resources/templates/list, resources/read, completion/complete */
void resource_methods_run_list(struct request *request);
void resource_methods_run_list_templates(struct request *request);
void resource_methods_run_read(struct request *request);
void resource_methods_run_complete(struct request *request);

/*
 * Finds params.uri and checks that the client may read it. Returns false if the request has been
 * answered.
 */
bool resource_methods_find(struct request *request, struct resource_call *call);

/*
 * Listen: subscriptions/listen, a request whose answer is a stream of changes.
 *
 * Source: MCP 2026-07-28, basic/patterns/subscriptions.
 */

enum { LISTEN_URIS_MAX = 64 }; /* per request; and as many tasks */

void listen_run(struct request *request);

/*
 * Event stream: events/stream, a request whose answer is a stream of events.
 */

enum {
	EVENT_STREAMS_MAX = 32,
	EVENT_STREAMS_PER_CLIENT = 8, /* without tokens only the other limit counts */
	EVENT_STREAM_HEARTBEAT_MS = 25 * 1000, /* at most 30 s */
};

struct event_stream;

LIST_HEAD(event_stream_list, event_stream);

/* All streams of an endpoint. They share two timers, which are off without streams. */
struct event_streams {
	struct event_stream_list list;
	unsigned count;
	struct observers *feed;	  /* see struct endpoint_options */
	struct observer observer; /* while there are streams */
	sd_event_source *heartbeat;
	sd_event_source *more; /* for streams that have not read all entries */
	uint64_t period_ms;    /* EVENT_STREAM_HEARTBEAT_MS; tests shorten it */
};

/*
 * `loop` and `feed` may be NULL: then there are no heartbeats, or no new entries. Returns 0 or
 * -errno.
 */
int event_streams_init(struct event_streams *streams, sd_event *loop,
		       struct observers *feed);
/* Ends the streams that this client, or (0) each, may no longer have. */
void event_streams_review(struct event_streams *streams, int64_t client_id);
void event_streams_deinit(struct event_streams *streams);
