/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request: one MCP request between its arrival and its answer.
 *
 * A method answers at once or later: request_open_result() .. request_close_result(), or
 * request_fail(), exactly once. One that answers later sets `waiting`, whose calls release
 * what it holds.
 */
#ifndef MCP_REQUEST_H
#define MCP_REQUEST_H

#include <sys/queue.h>

#include "base/json_writer.h"
#include "http/exchange.h"
#include "mcp/rpc.h"

struct endpoint;
struct era;
struct method;
struct reply;
struct request;
struct revision;
struct session;

/* After `abandoned` and `cancelled` no answer is possible any more. */
struct request_waiting {
	/* The client left, and what it asked for goes on. */
	void (*abandoned)(void *data);
	/* ... and wants it no more: undo what has not begun. NULL: as `abandoned`. */
	void (*cancelled)(void *data);
	void (*stopping)(void *data); /* answer now with what is known */
};

LIST_HEAD(request_list, request);

struct request {
	struct endpoint *endpoint;
	struct exchange *exchange; /* that brought it, alone or with others */
	struct arena *arena;	   /* lives as long as the request */
	const struct era *era;
	const struct revision *revision;
	const struct method *method; /* NULL: not known */
	struct rpc_message message;
	struct rpc_error error;		       /* of its params; code 0: none */
	const struct request_waiting *waiting; /* NULL: not waiting */
	void *waiting_data;
	const char *session_id;	  /* in which it came, alive then; NULL: none */
	bool is_forgotten;	  /* of the message only its id is left */
	bool cancellable;	  /* it is in the endpoint's list of those */
	LIST_ENTRY(request) link; /* ... there */
	struct buffer body;	  /* of the answer */
	struct json_writer *writer;
	/* Of the result: what it is, where the era tells; NULL: "complete". */
	const char *result_type;
	const struct json *subscription_id; /* of the result; NULL: none */
	int64_t progress;		    /* as last told */
	const char *challenge;		    /* WWW-Authenticate of a 403; NULL: none */
	/* Turns the answer into a stream, whose last event it then is. NULL: see
	 * request_tell(). */
	struct reply *(*replied)(void *data);
	/* Hears that `body` (which may have failed) is the answer, and its HTTP status.
	 * Without a byte in it the request gets none. */
	void (*answered)(void *data, struct request *request, unsigned status);
	void *answered_data;
};

/*
 * For methods. The writer stands inside the result object. NULL: no memory, the request has
 * failed.
 */
struct json_writer *request_open_result(struct request *request);
void request_close_result(struct request *request);
void request_fail(struct request *request, enum rpc_code code, const char *text);
void request_fail_with(struct request *request, const struct rpc_error *error);

/*
 * Tells something before the answer, on a stream that begins with it and ends with the
 * answer. The body is used up. False: the client takes no stream, or there is no room for
 * one, and the answer comes as it would without; or nobody reads it any more.
 */
bool request_tell(struct request *request, struct buffer *body);

/* The same stream, of revisions in which none is resumed. NULL: there is none. */
struct stream *request_stream(struct request *request);

/* Ends the connection while the request waits: the client is to come again for the rest.
 * False: it could not, and all is as it was. */
bool request_let_go(struct request *request);

/*
 * For a method that waits long: of its message nothing is needed any more but the id, and who
 * brought it may free the rest once the method has returned. False: it stays, for progress is to
 * be told of, or there is no memory.
 */
bool request_forget(struct request *request);

/* The session that it came in, if that is alive still; NULL: none. */
struct session *request_session(const struct request *request);

/* For eras: it is refused before any method saw it, with HTTP status 400. */
void request_refuse(struct request *request, const struct rpc_error *error);

/*
 * This client may not: HTTP status 403 with that challenge. In a batch it is told in the
 * answer alone.
 */
void request_forbid(struct request *request, const char *challenge,
		    const struct rpc_error *error);

/* For who brings it; its era is decided. */
void request_run(struct request *request);
void request_leave(struct request *request);  /* the client left; nothing when answered */
void request_cancel(struct request *request); /* it waits; it gets no answer */
void request_stop(struct request *request);   /* answers, if it waits */
void request_deinit(struct request *request);

#endif
