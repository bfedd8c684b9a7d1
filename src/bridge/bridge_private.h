/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a bridge.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/json.h"
#include "bridge/bridge.h"
#include "http_client/http_client.h"

struct bridge;
struct bridge_call;

enum {
	BRIDGE_LINE_MAX = 64 * 1024, /* bytes; the gateway's limit for a request */
	BRIDGE_CALLS_MAX = 128,	     /* under way; more get an error */
	BRIDGE_NOTES_MAX = 32, /* beside them: what cancels one, or answers the gateway */
	BRIDGE_AWAY_MS = 5 * 1000, /* a gateway that is away may come back for so long */
	BRIDGE_REOPEN_MS = 60 * 1000,
	BRIDGE_RETRY_MS = 200,
	BRIDGE_ANSWER_MAX = 16 * 1024 * 1024,
};

/*
 * Message: what the bridge has to know of one line. In the arena of its call.
 */

enum bridge_message_kind {
	BRIDGE_REQUEST,
	BRIDGE_NOTIFICATION,
	BRIDGE_RESPONSE, /* of the client to a request of the gateway */
};

struct bridge_message {
	enum bridge_message_kind kind;
	const struct json *root;
	const struct json *id; /* of a request; else NULL */
	const struct json
		*cancelled;  /* the ID that notifications/cancelled names, or NULL */
	const char *method;  /* "" without one */
	const char *name;    /* for the header Mcp-Name; or NULL */
	const char *version; /* of `_meta`: it is modern; or NULL */
};

/*
 * Returns 0; JSON_E_* if it is no JSON; -EINVAL if it is no message, and then its ID is there if it
 * has one; or -ENOMEM.
 */
int bridge_message_read(struct arena *arena, const char *line, size_t length,
			struct bridge_message *message_out);
/* Parses JSON that the gateway sent. Returns NULL if it is none. */
const struct json *bridge_message_parse(struct arena *arena, const char *text,
					size_t length);
bool bridge_message_same_id(const struct json *one, const struct json *other);
/* Writes the member "id"; nothing for NULL. */
void bridge_message_put_id(struct json_writer *writer, const char *key,
			   const struct json *id);
/* Writes a value as it was read; the second one with its name. */
void bridge_message_write(struct json_writer *writer, const struct json *value);
void bridge_message_write_member(struct json_writer *writer, const struct json *member);
/* Its ID in `_meta` of notifications of subscriptions/listen and events/stream. */
#define BRIDGE_SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"
/*
 * Returns the value of Mcp-Name: wrapped in base64 where it is not plain; NULL if memory runs out.
 */
const char *bridge_message_header_value(struct arena *arena, const char *text);

/*
 * Input: lines of standard input. Of a line that is too long only its ID is kept.
 */

struct bridge_input {
	struct bridge *bridge;
	sd_event_source *source;
	int fd;
	struct buffer line;
	struct bridge_input_scan {
		unsigned depth;
		bool in_string, is_escaped, is_key, wants_value, has_id;
		struct buffer token; /* the string or number that is being read */
		struct buffer id;    /* as written */
	} scan;
	bool is_long;
	bool is_over; /* the client sends no more */
	bool is_file; /* always ready, and not for epoll */
};

int bridge_input_init(struct bridge_input *input, struct bridge *bridge, int fd);
void bridge_input_deinit(struct bridge_input *input);
/* Answers a line that is not JSON, by its ID where one can be found. */
void bridge_input_refuse(struct bridge *bridge, const char *line, size_t length,
			 const char *message);

/*
 * Output: lines for standard output, in whole lines and never blocking.
 *
 * While more than BRIDGE_OUTPUT_HIGH bytes wait for the client to read, neither the gateway's
 * answers nor the client's lines are read, so that it is they that wait.
 */

enum {
	BRIDGE_OUTPUT_HIGH = 1024 * 1024,
	BRIDGE_OUTPUT_LOW = 256 * 1024,
};

struct bridge_output {
	struct bridge *bridge;
	sd_event_source *source;
	int fd;
	bool is_file; /* always ready, and not for epoll */
	bool is_full;
	struct buffer queue;
	size_t sent;	     /* bytes of the queue */
	struct buffer draft; /* between bridge_output_open() and _close() */
};

int bridge_output_init(struct bridge_output *output, struct bridge *bridge, int fd);
void bridge_output_deinit(struct bridge_output *output);
/* The input is read unless the output is full; the end of a pipe or socket is always noticed. */
void bridge_output_pause_input(const struct bridge_output *output);
/* Line feeds within it become spaces. */
void bridge_output_line(struct bridge_output *output, const char *line, size_t length);
/*
 * Begins a JSON-RPC message of the bridge itself, of which "jsonrpc" is written, and ends it, which
 * prints it: one at a time. Returns NULL if memory runs out.
 */
struct json_writer *bridge_output_open(struct bridge_output *output);
void bridge_output_close(struct bridge_output *output, struct json_writer *writer);
/* Prints notifications/resources/updated; `id` is the subscription's, or NULL if there is none. */
void bridge_output_updated(struct bridge_output *output, const struct json *id,
			   const char *uri);
bool bridge_output_is_empty(const struct bridge_output *output);

/*
 * Event stream: server-sent events, from pieces. Source: WHATWG HTML, 9.2.
 */

struct bridge_event_stream {
	void (*event)(void *data, const char *text, size_t length);
	void *data;
	struct buffer line;
	struct buffer text; /* of the event */
	char last_id[128];  /* "" if there is none */
	bool after_return;  /* a line feed that follows belongs to it */
	bool is_over;	    /* its owner wants no more */
};

void bridge_event_stream_feed(struct bridge_event_stream *stream, const char *piece,
			      size_t length);
void bridge_event_stream_deinit(struct bridge_event_stream *stream);

/*
 * Call: one HTTP request, from a line of the client or of the bridge itself, and its answer.
 */

enum bridge_call_purpose {
	BRIDGE_CALL_LINE,	/* of the client */
	BRIDGE_CALL_LASTING,	/* subscriptions/listen and events/stream of the client */
	BRIDGE_CALL_INITIALIZE, /* of the client */
	BRIDGE_CALL_SESSION,	/* GET: what the gateway sends by itself */
	BRIDGE_CALL_REVIVAL,	/* a step of a new session; the client does not see it */
	BRIDGE_CALL_END,	/* DELETE of the session */
};

enum bridge_call_state {
	BRIDGE_CALL_HELD,    /* until there is a session */
	BRIDGE_CALL_OPEN,    /* in http_client */
	BRIDGE_CALL_RESTING, /* tried again later */
};

struct bridge_call {
	struct bridge *bridge;
	enum bridge_call_purpose purpose;
	enum bridge_call_state state;
	struct arena *arena;
	struct bridge_message message;
	const char *line; /* in the arena; NULL if there is no body */
	size_t length;
	struct http_client_request *request;
	sd_event_source *timer;
	int64_t until_ms; /* then it gives up; 0 if the gateway is not away */
	bool is_repeated; /* in a new session */
	bool is_answered; /* the client has its answer */
	unsigned status;
	bool is_stream;
	struct buffer body; /* of an answer that is no stream */
	struct bridge_event_stream events;
	/* of a lasting one: */
	bool was_open;	      /* its first event was passed on */
	bool is_reopened;     /* its next "acknowledged" or "active" is not news */
	struct buffer cursor; /* the last one seen, as JSON text */
	struct buffer ended;  /* the answer of a gateway that stopped */
	int64_t opened_ms;
	unsigned brief_ends;
	bool is_channel; /* of the bridge itself: its events become those of the channel */
	LIST_ENTRY(bridge_call) link;
};

/* What becomes of a call with one purpose. */
struct bridge_call_handler {
	/* The whole answer has come, or it failed. Returns true if the call is over. If it is
	 * NULL, the call is over. */
	bool (*finish)(struct bridge_call *call, const struct http_client_result *result);
	/* An event of its stream; NULL if it is added to the body. */
	void (*event)(struct bridge_call *call, const char *text, size_t length);
	/* Returns the line to open it with; NULL for that of the call. */
	const char *(*line)(const struct bridge_call *call, struct arena *arena,
			    size_t *length_out);
};

/* Returns NULL if memory runs out. `line` is copied; NULL if there is none. It is held. */
struct bridge_call *bridge_call_new(struct bridge *bridge,
				    enum bridge_call_purpose purpose, const char *line,
				    size_t length);
/* Sends it, now. */
void bridge_call_open(struct bridge_call *call);
/* Closes its request, and answers nothing. */
void bridge_call_free(struct bridge_call *call);
/* Tries it again in `after_ms`, at most until `patience_ms` after the first time: false. */
bool bridge_call_rest(struct bridge_call *call, unsigned after_ms, int64_t patience_ms);

/*
 * Answer: what the client gets for a call.
 */

/*
 * Answers with an error, once. `data_key` is "retryable" (which is set to true), "outcome" (to
 * "unknown"), or NULL.
 */
__attribute__((format(printf, 4, 5))) void bridge_answer_fail(struct bridge_call *call,
							      int code,
							      const char *data_key,
							      const char *format, ...);
/* The same for a line that did not become a call; `id` is JSON text; "" if there is none. */
void bridge_answer_refuse(struct bridge *bridge, int code, const char *id,
			  const char *message);
/* The whole answer has come, or the request failed. Returns true if the call is over. */
bool bridge_answer_finish(struct bridge_call *call,
			  const struct http_client_result *result);
/* Takes an event of any stream but a lasting one. */
void bridge_answer_take(struct bridge_call *call, const char *text, size_t length);

/* Line: takes a line of the client. */
void bridge_line_take(struct bridge *bridge, const char *line, size_t length);

/*
 * Lasting: streams of 2026-07-28 that outlive the gateway.
 */

/* Takes an event of its stream. */
void bridge_lasting_take(struct bridge_call *call, const char *text, size_t length);
/* The stream has ended. Returns true if the call is over. */
bool bridge_lasting_finish(struct bridge_call *call,
			   const struct http_client_result *result);
/* Returns the line to open it with: with the last cursor, where it has one. */
const char *bridge_lasting_line(const struct bridge_call *call, struct arena *arena,
				size_t *length_out);

/*
 * Channel: messages that reach a running session of Claude Code.
 */

/* Opens its streams, once. */
void bridge_channel_begin(struct bridge *bridge);
/* Prints the answer to initialize with what the channel adds. Returns false if there is none. */
bool bridge_channel_print_initialize(struct bridge_call *call, const struct json *root);
/* Takes a notification of one of its streams. */
void bridge_channel_take(struct bridge_call *call, const char *method,
			 const struct json *params);
/* One of its streams has ended. Returns true if the call is over. */
bool bridge_channel_finish(struct bridge_call *call,
			   const struct http_client_result *result);

/*
 * Session: of 2025-11-25 and older.
 */

enum {
	BRIDGE_SESSION_ID_BYTES = 512,
	BRIDGE_SESSION_SUBSCRIPTIONS_MAX = 64,
};

enum bridge_session_state {
	BRIDGE_SESSION_NONE,
	BRIDGE_SESSION_BEGINNING, /* the client's initialize is under way: the rest waits */
	BRIDGE_SESSION_READY,
	BRIDGE_SESSION_REVIVING, /* the gateway has forgotten it: the rest waits */
};

struct bridge_session {
	enum bridge_session_state state;
	char id[BRIDGE_SESSION_ID_BYTES]; /* "" if the gateway gave none */
	char version[32];
	struct buffer initialize, initialized; /* the client's lines */
	struct bridge_subscription {
		char *uri;
		struct buffer line;
	} subscriptions[BRIDGE_SESSION_SUBSCRIPTIONS_MAX];
	unsigned subscription_count;
	unsigned step;	   /* of a revival */
	bool has_listened; /* its GET was tried */
};

void bridge_session_deinit(struct bridge_session *session);
/* Notes what a new session would need. */
void bridge_session_note(struct bridge *bridge, const struct bridge_call *call);
/* The answer to the client's initialize, or to that of a revival. Returns false if it is none. */
bool bridge_session_begin(struct bridge *bridge, struct bridge_call *call);
/* The client's initialize is over, whatever came of it: what waited goes on. */
void bridge_session_settle(struct bridge *bridge);
/* The gateway does not know the session any more: begins a new one. */
void bridge_session_revive(struct bridge *bridge);
/* A step of the revival has ended. Returns true if the call is over. */
bool bridge_session_step(struct bridge_call *call,
			 const struct http_client_result *result);
/* Opens the GET, if that is due. */
void bridge_session_listen(struct bridge *bridge);
/* The GET has ended. Returns true if the call is over. */
bool bridge_session_finish(struct bridge_call *call,
			   const struct http_client_result *result);

/*
 * The bridge itself.
 */

LIST_HEAD(bridge_calls, bridge_call);

struct bridge {
	const struct bridge_options *options;
	sd_event *loop;
	struct http_client *client;
	struct bridge_input input;
	struct bridge_output output;
	const struct bridge_call_handler *handlers; /* by purpose */
	struct bridge_calls calls;
	unsigned call_count;
	struct bridge_session session;
	bool has_channel; /* its streams were opened */
	bool is_ending;	  /* the client sends no more */
	bool is_closing;  /* requests are closed */
	sd_event_source *end_timer;
	sd_event_source *review; /* before the loop sleeps */
};
