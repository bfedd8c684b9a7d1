/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connection, inside: its parts, for the files that together are the connection.
 *
 * Private to src/http/connection*.c and admission.c.
 */
#ifndef HTTP_CONNECTION_PRIVATE_H
#define HTTP_CONNECTION_PRIVATE_H

#include "http/body_framing.h"
#include "http/connection.h"
#include "http/exchange_carrier.h"
#include "http/request_head.h"
#include "http/response.h"
#include "http/share.h"
#include "http/transport.h"

#define CONNECTION_NO_ROOM                                                              \
	"this gateway has as much at hand as its memory holds: try again in a moment, " \
	"or ask for less"

enum connection_state {
	CONNECTION_HANDSHAKE, /* of TLS */
	CONNECTION_IDLE,      /* nothing of a request has come */
	CONNECTION_HEAD,      /* its head is coming in */
	CONNECTION_BODY,      /* its body is coming in, and goes on to libmicrohttpd */
	CONNECTION_WAITING,   /* the exchange answers later */
	CONNECTION_DELAYED,   /* the refusal of a wrong token goes out later */
	CONNECTION_ANSWERING, /* libmicrohttpd has the answer */
	CONNECTION_STREAMING, /* ... and asks for it piece by piece */
	CONNECTION_LINGERING, /* all was said; what the peer still sends is dropped */
	CONNECTION_CLOSED, /* the socket is closed; libmicrohttpd may not know it yet */
};

/* What libmicrohttpd knows of it. */
enum connection_engine {
	CONNECTION_UNKNOWN, /* nothing: there was no request yet */
	CONNECTION_JOINING, /* told, and looks at it in its next run */
	CONNECTION_JOINED,
	CONNECTION_PARTED, /* it has closed its end */
};

/* Bytes that wait for a socket to take them. */
struct held_bytes {
	char *data; /* NULL: none */
	size_t at, length;
};

struct connection {
	struct connections *connections;
	const struct listener *listener;
	struct address peer;
	struct transport transport;
	struct socket_end network;
	enum connection_state state;
	bool served;	   /* it counts among those that are */
	bool put_off;	   /* its request is whole and waits for its turn */
	bool refused;	   /* there is no room for it: see admission.h */
	bool marked;	   /* in the list of those to settle */
	bool ended;	   /* the peer sends nothing more */
	int64_t client_id; /* of the last right token, 0 with auth->open; see `proven` */
	bool proven;	   /* a right token came */
	struct share *share; /* of its address */
	struct deadline deadline;
	TAILQ_ENTRY(connection) link, joining_link, later_link, settle_link;
	/* what came in: the head of the present request and what follows it */
	char *input;
	size_t input_size, input_length;
	size_t input_used;	   /* of it, by the present request */
	size_t input_scanned;	   /* for the end of the head */
	struct held_bytes ahead;   /* what followed the present request later */
	size_t dropped;		   /* while lingering */
	struct request_head *head; /* NULL: there is no request */
	struct body_framing framing;
	/* libmicrohttpd's side */
	enum connection_engine engine;
	struct MHD_Connection *mhd; /* while CONNECTION_JOINED */
	struct socket_end pair;	    /* our end */
	int engine_fd;		    /* the other end, while CONNECTION_JOINING */
	struct held_bytes to_engine, to_peer;
	bool judged;	/* the gates have looked at the present request */
	bool completed; /* libmicrohttpd is done with it */
	bool unread;	/* it was answered before its body had arrived */
	/* of the present request */
	const char *origin; /* to be named in the answer, or NULL */
	const struct http_route *route;
	struct exchange *exchange;
	struct MHD_Response *response; /* made, not handed over yet */
	unsigned status;
	unsigned delay_ms;	     /* before it is handed over */
	sd_event_source *delay;	     /* runs while CONNECTION_DELAYED */
	size_t charged;		     /* to the budget, for the answer */
	struct stream *stream;	     /* the answer is this; NULL: it is none */
	struct MHD_Response *unsent; /* of it, whose headers have not gone out yet */
	bool asleep;		     /* suspended until the stream is filled */
	struct {
		const char *name, *value;
	} headers[EXCHANGE_HEADERS_MAX]; /* of the answer, from the handler */
};

/* Life: connection.c */

/* Closes the socket at once; what was under way is abandoned. Once more is fine. */
void connection_close(struct connection *connection);
/* Nothing more is answered; what was written goes out, and the peer may read it to its end. */
void connection_finish(struct connection *connection);
/* Writes a refusal past libmicrohttpd, and finishes. */
void connection_refuse_now(struct connection *connection, unsigned status,
			   const char *text);
/* The peer is gone: whoever would answer is told, and nothing goes out any more. */
void connection_abandon(struct connection *connection);
/* It lasts as long as the handler likes: it waits, or streams. */
bool connection_is_open_ended(const struct connection *connection);
/* It is looked at again after this turn of libmicrohttpd or of the sockets. */
void connection_mark(struct connection *connection);
/* libmicrohttpd has nothing to do with it any more. */
void connection_part(struct connection *connection);
/* Our end of the pair; once more is fine. */
void connection_close_pair(struct connection *connection);
/* Goes on as far as its sockets allow. */
void connection_progress(struct connection *connection);

/* Input: connection_input.c */

/* Reads the head of the next request, and hands it over. */
void connection_read_head(struct connection *connection);
/* Passes on the body. */
void connection_read_body(struct connection *connection);
/* The request is over: what came behind it is the next one's. */
void connection_next_input(struct connection *connection);
/* Overwrites and frees all that came in. */
void connection_forget_input(struct connection *connection);

/* Output: connection_output.c */

/* Passes on what libmicrohttpd wrote. True: all of it went out. */
bool connection_relay(struct connection *connection);
/* Writes to the peer; what it does not take now is held. False: the connection is broken. */
bool connection_write(struct connection *connection, const char *data, size_t length);
/* Of bytes that were held. False: no memory. */
bool held_bytes_keep(struct held_bytes *held, const char *data, size_t length);
void held_bytes_clear(struct held_bytes *held);

/* Requests: connection_request.c */

/* Suspends it until its exchange answers. */
enum MHD_Result connection_wait(struct connection *connection);
/* Frees what belongs to the present request. */
void connection_end_request(struct connection *connection);

/* Requests that wait for their turn: connection_later.c */
bool connection_is_in_time(const struct connection *connection);
enum MHD_Result connection_put_off(struct connection *connection);
void connection_later_forget(struct connection *connection); /* once more is fine */

/* Answers: connection_answer.c */

/* Of the answer that is to come; `value` lives until it is made. */
void connection_add_header(struct connection *connection, const char *name,
			   const char *value);
/* Makes the answer: connection->response, or NULL without memory. */
void connection_respond(struct connection *connection, unsigned status,
			struct response *response);
/* Takes what an answer of this length needs of the budget, until the request is over. */
bool connection_charge(struct connection *connection, const struct buffer *body);
/* The answer is that there is no room for it; `body`, NULL: none, is freed. */
void connection_answer_no_room(struct connection *connection, struct buffer *body);
/* Says so while the request is coming in, and ends it. */
enum MHD_Result connection_no_room(struct connection *connection);
/* Hands it over. Only where libmicrohttpd takes one: see connection_request.c. */
enum MHD_Result connection_send(struct connection *connection);
/* The same, but a refused token's answer waits first. */
enum MHD_Result connection_send_or_delay(struct connection *connection);
/* The wait is over. */
void connection_delay_end(struct connection *connection);
/* Forgets the delay of one that is closed. */
void connection_delay_forget(struct connection *connection);
/* Makes it and hands it over, as soon as may be; names the Origin that may read it. */
void connection_answer(struct connection *connection, unsigned status,
		       struct response *response);

/* Streams: connection_stream.c */

/* Answers with a stream, which is freed with the request. NULL: too many, no memory. */
struct stream *connection_stream(struct connection *connection);
/* Resumes one that is asleep. */
void connection_awake(struct connection *connection);
/* What went out to the peer, or did not, moves its deadline. */
void connection_stream_moved(struct connection *connection, bool moved);

#endif
