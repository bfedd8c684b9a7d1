/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connection: one TCP connection and the request on it.
 *
 * Three files work on the struct. connection.c owns its life: state, deadline, closing.
 * connection_io.c owns the bytes: reads requests from the peer and writes answers to it.
 * connection_request.c owns the current request: gates, exchange, answer, stream.
 *
 * A closed connection is freed in connections.c only, after all callbacks have returned. So every
 * function here may close the connection, and its callers may still read its state.
 */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "base/address.h"
#include "http/admission.h"
#include "http/body_framing.h"
#include "http/connections.h"
#include "http/exchange_carrier.h"
#include "http/request_head.h"

#define CONNECTION_NO_MEMORY                                                           \
	"the gateway's memory for requests is used up: try again in a moment, or ask " \
	"for less"

enum connection_state {
	CONNECTION_HANDSHAKE, /* of TLS */
	CONNECTION_IDLE,      /* no byte of a request has arrived */
	CONNECTION_HEAD,      /* the head is arriving */
	CONNECTION_BODY,      /* the body is arriving and passed to libmicrohttpd */
	CONNECTION_WAITING,   /* the exchange will answer later; suspended */
	CONNECTION_DELAYED,   /* a refusal is held back; suspended */
	CONNECTION_ANSWERING, /* libmicrohttpd has the answer */
	CONNECTION_STREAMING, /* libmicrohttpd reads the answer piece by piece */
	CONNECTION_LINGERING, /* everything is written; further input is discarded */
	CONNECTION_CLOSED, /* the socket is closed; libmicrohttpd may not know it yet */
};

struct connection {
	struct connections *connections;
	const struct listener *listener;
	struct address peer;
	struct transport transport;
	struct socket_poll_end network;
	struct engine_link link;
	enum connection_state state;
	bool served;		       /* counted as served: not lingering, not closed */
	bool refused;		       /* there was no room for it, see admission.h */
	bool settles;		       /* is in the list `settle` */
	bool input_ended;	       /* the peer sends nothing more */
	bool trusted;		       /* it sent a right token, of `client_id` */
	int64_t client_id;	       /* 0 in open mode */
	struct admission_usage *usage; /* of the peer's address */
	struct deadline deadline;
	TAILQ_ENTRY(connection) list_link, postponed_link, settle_link;

	/* input: the head of the current request and the bytes that arrived with it */
	char *input;
	size_t input_size, input_length;
	size_t input_used;	      /* bytes of the current request */
	size_t input_scanned;	      /* bytes searched for the end of the head */
	struct transport_bytes ahead; /* bytes of the next request, read with this body */
	size_t discarded_bytes;	      /* while lingering */
	struct body_framing framing;
	struct transport_bytes unsent; /* for the peer */

	/* current request */
	struct request_head *head;  /* NULL: there is no request */
	bool gated;		    /* it went through the gates */
	bool postponed;		    /* it is complete and waits for its turn */
	bool completed;		    /* libmicrohttpd is done with it */
	const char *allowed_origin; /* for the CORS headers of the answer; NULL: none */
	const struct http_route *route;
	struct exchange *exchange;
	struct MHD_Response *response; /* ready, not yet queued */
	unsigned status;
	unsigned delay_ms;	/* hold the response back for so long */
	sd_event_source *delay; /* only in CONNECTION_DELAYED */
	size_t charged_bytes;	/* taken from the memory budget for the answer */
	struct stream *stream;	/* the answer; NULL: no stream */
	struct MHD_Response *stream_response; /* until its headers have gone out */
	struct {
		const char *name, *value;
	} headers[EXCHANGE_HEADERS_MAX]; /* of the answer, from the handler */
};

/* connection.c */

/*
 * Takes ownership of `fd`; `usage` stays the caller's. The connection may be closed already when
 * this returns. NULL: no memory.
 */
struct connection *connection_new(struct connections *all, int fd,
				  const struct address *peer,
				  const struct listener *listener,
				  struct admission_usage *usage);
void connection_free(struct connection *connection);
/* Continues as far as its sockets allow. */
void connection_progress(struct connection *connection);
/* For socket_poll_init(): an event on one of its sockets. */
void connection_on_ready(void *data);
/* Closes the socket at once and drops what is under way; may be called again. */
void connection_close(struct connection *connection);
/* Answers nothing more, but lets the peer read what was written. */
void connection_finish(struct connection *connection);
/* Writes a refusal without libmicrohttpd, then finishes. */
void connection_refuse(struct connection *connection, unsigned status, const char *text);
/* The peer is gone: closes and tells the handler. */
void connection_abandon(struct connection *connection);
/* The answer takes as long as the handler likes: it waits, or streams. */
bool connection_is_open_ended(const struct connection *connection);
/* Calls connection_progress(), or frees a closed connection, after the current callback. */
void connection_settle_later(struct connection *connection);
/* A right token came; the next function: that token is no longer valid. */
void connection_trust(struct connection *connection, int64_t client_id);
void connection_distrust(struct connection *connection);
/* An answer with this status goes out. */
void connection_count_answer(struct connection *connection, unsigned status);

/* connection_io.c */

/* Reads the head of the next request and passes it on. */
void connection_io_read_head(struct connection *connection);
/* Reads the body and passes it on. */
void connection_io_read_body(struct connection *connection);
/* The request is over: bytes read behind it belong to the next one. */
void connection_io_next_request(struct connection *connection);
/* Overwrites and frees all input. */
void connection_io_clear_input(struct connection *connection);
/* Passes on what libmicrohttpd wrote. True: all of it went out. */
bool connection_io_relay(struct connection *connection);
/* Writes to the peer and keeps what it does not take. False: the connection was closed. */
bool connection_io_write(struct connection *connection, const char *data, size_t length);

/* connection_request.c */

/* For struct engine_callbacks. `all` is struct connections, *request the connection. */
enum MHD_Result connection_request_handle(void *all, struct MHD_Connection *mhd,
					  const char *path, const char *method,
					  const char *version, const char *data,
					  size_t *length, void **request);
void connection_request_completed(void *all, struct MHD_Connection *mhd, void **request,
				  enum MHD_RequestTerminationCode code);
/* Arms the timer after which connections.c runs the postponed requests. */
void connection_request_schedule_postponed(struct connections *all);
void connection_request_run_postponed(struct connection *connection);
/* Queues the response that is held back, now. */
void connection_request_end_delay(struct connection *connection);
/* Drops the response that is held back, when the connection closes. */
void connection_request_cancel_delay(struct connection *connection);
/* After writing to the peer: adjusts the deadline of a stream. `moved`: it took bytes. */
void connection_request_on_stream_written(struct connection *connection, bool moved);
/* Frees everything of the current request. */
void connection_request_end(struct connection *connection);

#endif
