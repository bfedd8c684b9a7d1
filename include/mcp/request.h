/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request: one MCP request from its arrival to its answer.
 *
 * A method answers exactly once, immediately or later: with request_open_result() and
 * request_close_result(), or with request_fail(). A method that answers later sets
 * `waiting`, whose callbacks release what it holds.
 *
 * Sources: MCP, basic/patterns/progress (2025: basic/utilities/progress); MCP 2026-07-28,
 * basic/authorization, "Runtime Insufficient Scope Errors"; RFC 6750.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/json.h"
#include "http/exchange.h"
#include "mcp/rpc.h"

struct elicitation_calls;
struct era;
struct era_method;
struct event_streams;
struct event_type;
struct observers;
struct persistence;
struct reply;
struct request;
struct resource;
struct revision;
struct services;
struct session;
struct sessions;
struct stream_client_list;
struct task_kind;
struct task_timers;
struct tool_set;
struct webhooks;

/*
 * Each holds a connection and memory. Without tokens all clients count as one, and only http
 * limits their connections.
 */
enum { REQUEST_WAITS_PER_CLIENT = 16 };

LIST_HEAD(request_list, request);
LIST_HEAD(request_wait_list, request);

/* What all requests to an endpoint share; the endpoint owns it. */
struct request_context {
	struct services *services; /* passed to tools, resources and tasks */
	struct tool_set *tools;	   /* offered now */
	const struct resource *const *resources; /* ends with NULL */
	/* likewise; NULL if no tool makes tasks */
	const struct task_kind *const *tasks;
	/* ends with NULL; NULL if there is none */
	const struct event_type *const *events;
	struct webhooks *webhooks; /* NULL if events are never posted */
	/* NULL to keep everything in memory only, without events */
	const struct persistence *persistence;
	/* of struct resource_change; NULL if there are never any */
	struct observers *changes;
	struct sessions *sessions;
	struct elicitation_calls *elicitations;
	struct stream_client_list *stream_clients;
	struct event_streams *event_streams;
	struct task_timers *task_timers;
	struct request_list *cancellable; /* waiting requests of sessions */
	struct request_wait_list *waits;  /* requests that clients let wait */
};

/* No answer is possible after `abandoned` and `cancelled`. */
struct request_waiting {
	/* The client left; what it asked for goes on. */
	void (*abandoned)(void *data);
	/* The client no longer wants the result: undo what has not begun. If it is NULL,
	 * `abandoned` is called. */
	void (*cancelled)(void *data);
	void (*stopping)(void *data); /* answer now with what is known */
};

struct request {
	const struct request_context *context;
	struct exchange *exchange; /* brought it */
	struct arena *arena;	   /* lives as long as the request */
	const struct era *era;
	const struct revision *revision;
	const struct era_method *method; /* NULL if the method is unknown */
	struct rpc_message message;
	/* in its params; its code is 0 if there is none */
	struct rpc_error error;
	const struct request_waiting *waiting; /* NULL if not waiting */
	void *waiting_data;
	const char *session_id;	  /* was alive on arrival; NULL without a session */
	bool is_forgotten;	  /* of the message only the ID is left */
	bool is_cancellable;	  /* it is in context->cancellable */
	LIST_ENTRY(request) link; /* in context->cancellable */
	bool is_long;		  /* it is in context->waits, until its answer */
	LIST_ENTRY(request) wait_link;
	struct buffer body; /* the answer */
	struct json_writer *writer;
	const char *result_type;	    /* NULL means "complete" */
	const struct json *subscription_id; /* for the result's _meta; may be NULL */
	int64_t progress;		    /* last value sent */
	struct reply *reply; /* the answer ends this stream; NULL for plain JSON */
	bool is_lost;	     /* the stream is gone: answer nothing */
};

/* Returns whether `scopes` include all that are needed. Bits of enum client_scope. */
static inline bool request_scopes_cover(unsigned scopes, unsigned needed)
{
	return (scopes & needed) == needed;
}

/*
 * Opens the result; the writer stands inside the object. Returns NULL if memory runs out, and the
 * request has failed.
 */
struct json_writer *request_open_result(struct request *request);
void request_close_result(struct request *request);
/* Answers with a result that has no members of its own. */
void request_acknowledge(struct request *request);
void request_fail(struct request *request, enum rpc_code code, const char *text);
void request_fail_no_memory(struct request *request);
void request_fail_with(struct request *request, const struct rpc_error *error);

/*
 * Says which scopes are missing, and how the owner grants them; `what` begins the sentence:
 * "send_sms", "This resource". Returns NULL if there is no memory.
 */
const char *request_scope_text(struct arena *arena, const struct client *client,
			       unsigned needed, const char *what);

/*
 * Checks that the client of this request has these scopes. If not, the request has been
 * answered with an error. Never with HTTP status 401 or 403: some clients would begin OAuth,
 * which cannot help, because the owner grants scopes on the phone.
 */
bool request_check_scopes(struct request *request, unsigned needed, const char *what);

/*
 * Sends a message before the answer, on a stream that ends with the answer. The body is used up.
 * Returns false if the client accepts no stream, there is no room for one, or nobody reads it any
 * more.
 */
bool request_send(struct request *request, struct buffer *body);

/* Returns whether the client of this request may let one more request wait. */
bool request_may_wait(const struct request *request);
/* Counts it as waiting, until its answer. Returns false if request_may_wait() says no. */
bool request_take_wait(struct request *request);

/* Returns whether the client gave a progressToken. */
bool request_wants_progress(const struct request *request);
/*
 * Sends notifications/progress, if the client gave a token and accepts a stream. Not
 * after the answer.
 */
void request_send_progress(struct request *request, const char *message);

/*
 * Turns the answer into a stream that ends with it. Returns NULL where request_send() returns
 * false.
 */
struct reply *request_reply(struct request *request);

/*
 * Returns the stream of request_send(), for revisions without resumable streams; NULL if there is
 * none.
 */
struct stream *request_stream(struct request *request);

/*
 * For a method that waits long: only the message's ID is still needed, and the message may be freed
 * once the method has returned. Returns false if the message stays, because progress is reported or
 * there is no memory.
 */
bool request_forget(struct request *request);

/* Refuses the request with an HTTP status of its own, such as 400 before a method runs. */
void request_refuse(struct request *request, unsigned status,
		    const struct rpc_error *error);

/*
 * For lists of one page, which never give a cursor. "" and null are none. Returns false if params
 * has one, and the request has been answered.
 */
bool request_has_no_cursor(struct request *request);

/*
 * For endpoint.c, after the era was decided. A request runs; while it waits it can be
 * cancelled. A notification or response is passed to the era.
 */
void request_dispatch(struct request *message);

void request_leave(struct request *request); /* client left; a resumable stream goes on */
void request_cancel(struct request *request); /* it waits; it gets no answer */
void request_stop(struct request *request);   /* answers if it waits */
void request_deinit(struct request *request);

/*
 * Room: keeps an answer that lists rows within ANSWER_OCTETS_MAX. Hosts cut longer
 * answers off or keep them from the model, and strangers write the texts.
 *
 *   request_room_open_row() -> the row is written -> request_room_close_row() -> kept
 *                                                        -> false: taken back; the next page
 *                                                           begins with it
 *
 * The first row is always kept, so that a walk through the pages gets on.
 */

enum {
	ANSWER_OCTETS_MAX = 60000,
	/* of it, for what is no row: the envelope, cursors, gaps */
	ANSWER_FRAME_OCTETS = 6000,
};

/* How often, and how, an answer has its JSON. */
enum request_room_form {
	ANSWER_PLAIN,  /* once: events/poll, list_changes */
	ANSWER_QUOTED, /* as the text of a resource */
	ANSWER_TWICE,  /* both: structuredContent and a text block */
};

struct request_room {
	struct json_writer *writer;
	enum request_room_form form;
	unsigned rows;
	size_t used;  /* octets that the answer has on the wire */
	size_t begin; /* what follows in the writer is not in `used` yet */
};

/* Returns the octets that this JSON has on the wire. */
size_t request_room_octets(enum request_room_form form, const char *json, size_t length);

/* The array of the rows is open. */
void request_room_open_row(struct request_room *room);
/*
 * `more` is the octets that this row adds behind the rows. Returns false if the row has been taken
 * back.
 */
bool request_room_close_row(struct request_room *room, size_t more);
