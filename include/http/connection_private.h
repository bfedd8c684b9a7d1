/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connection, inside: its parts, for the files that together are the connection.
 *
 * Private to src/http/connection*.c.
 */
#ifndef HTTP_CONNECTION_PRIVATE_H
#define HTTP_CONNECTION_PRIVATE_H

#include "http/connection.h"
#include "http/exchange_carrier.h"
#include "http/response.h"
#include "http/share.h"

#define CONNECTION_NO_ROOM                                                              \
	"this gateway has as much at hand as its memory holds: try again in a moment, " \
	"or ask for less"

enum connection_state {
	CONNECTION_IDLE,      /* no request line yet */
	CONNECTION_LINE,      /* headers are coming in */
	CONNECTION_BODY,      /* the body is coming in */
	CONNECTION_WAITING,   /* the exchange answers later */
	CONNECTION_DELAYED,   /* the refusal of a wrong token goes out later */
	CONNECTION_ANSWERING, /* libmicrohttpd has the answer */
	CONNECTION_STREAMING, /* ... and asks for it piece by piece */
	CONNECTION_CLOSING,
};

struct connection {
	struct connections *connections;
	struct pump *pump;
	struct MHD_Connection *mhd;
	int fd;
	enum connection_state state;
	bool peer_gone;
	bool served;	     /* it counts among those that are */
	bool put_off;	     /* its request is whole and waits for its turn */
	bool proven;	     /* it has taken an answer whole */
	bool refused;	     /* there is no room for it: see admission.h */
	bool unread;	     /* refused while bytes of the body are on their way */
	bool watched;	     /* for the peer leaving */
	bool in_chunks;	     /* may the answer come, as HTTP/1.1 has it */
	struct share *share; /* of its address */
	struct deadline deadline;
	TAILQ_ENTRY(connection) link, later_link;
	/* of the present request */
	const char *line_end; /* of its URI, see header_lines.h */
	const char *header;   /* from the request line on, in libmicrohttpd's buffer */
	size_t header_length;
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

/* Shuts the socket down: libmicrohttpd finds out, and closes and frees. */
void connection_hang_up(struct connection *connection);

/* It lasts as long as the handler likes: it waits, or streams. */
bool connection_is_open_ended(const struct connection *connection);
/* The peer is gone: whoever would answer is told, and nothing goes out any more. */
void connection_abandon(struct connection *connection);

/* Suspends it until its exchange answers. */
enum MHD_Result connection_wait(struct connection *connection);

/* Requests that wait for their turn: connection_later.c */
bool connection_is_in_time(const struct connection *connection);
enum MHD_Result connection_put_off(struct connection *connection);
void connection_later_forget(struct connection *connection); /* once more is fine */

/* Until the next request, or for one that was read ahead of the peer's leaving. */
void connection_rest(struct connection *connection);
/* For the peer leaving. False: out of memory. */
bool connection_watch(struct connection *connection);
/* The peer left, half or whole. */
void connection_left(void *connection);
/* The peer left, and all that it sent was looked at: nothing can come of it any more. */
bool connection_is_lost(const struct connection *connection);

/* Answers */

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
/* Hands it over. Only where libmicrohttpd takes one: see connection.c. */
enum MHD_Result connection_send(struct connection *connection);
/* The same, but a refused token's answer waits first. */
enum MHD_Result connection_send_or_delay(struct connection *connection);
/* The wait is over. */
void connection_delay_end(struct connection *connection);
/* Makes it and hands it over, as soon as may be; names the Origin that may read it. */
void connection_answer(struct connection *connection, unsigned status,
		       struct response *response);

/* Streams */

/* Answers with a stream, which is freed with the request. NULL: too many, no memory. */
struct stream *connection_stream(struct connection *connection);
/* Resumes one that is asleep. */
void connection_awake(struct connection *connection);

#endif
