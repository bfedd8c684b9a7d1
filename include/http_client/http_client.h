/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP client: requests to other servers, by libcurl on the event loop.
 *
 * libcurl is loaded when the first request starts: it would cost an idle gateway 0.7 MiB of its
 * own memory (doc/libraries.md).
 *
 * Every request has a connection of its own.  On a connection that was used before, libcurl sends
 * a request again if it got no answer, and a request here is never sent twice.  Redirects,
 * proxies, cookies and content codings are not followed, used or accepted.
 *
 * Callbacks run from the event loop, never inside one of these functions, and never after
 * http_client_cancel(); `done` runs exactly once.  They may start and cancel requests, but not
 * free the client (tests/unit/test_http_client.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

struct http_client;
struct http_client_request;

enum http_client_outcome {
	HTTP_CLIENT_ANSWERED, /* completely, with whatever status */
	HTTP_CLIENT_UNREACHABLE, /* no such host, no connection, no trust: nothing was sent */
	HTTP_CLIENT_ADDRESS_REFUSED, /* by allow_address(): nothing was sent */
	HTTP_CLIENT_TIMED_OUT,
	HTTP_CLIENT_TOO_LARGE, /* the answer is longer than answer_max */
	HTTP_CLIENT_BROKEN, /* it may have been sent, and the answer is missing or cut */
};

struct http_client_result {
	enum http_client_outcome outcome;
	bool may_be_sent;  /* false if certainly no byte of the request left */
	bool tls_failed;   /* no trust, or no common cipher */
	unsigned status;   /* 0 if none was received */
	const char *error; /* "" after an answer; else in words, for a log */
};

/* How a request is made and followed. All texts and the body are copied. */
struct http_client_order {
	const char *method;
	const char *url;	    /* http or https */
	const char *const *headers; /* "Name: value", ending with NULL; or NULL */
	const char *body;	    /* NULL if there is none */
	size_t body_length;
	const char *socket_path; /* a Unix socket to connect to instead; or NULL */
	const char *ca_file; /* certificates to trust instead of the system's; or NULL */
	unsigned
		/* with name resolution and TLS; 0 for libcurl's, 5 min */
		connect_timeout_ms;
	unsigned timeout_ms;	    /* for all of it; 0 if there is none */
	unsigned silence_timeout_s; /* without a byte of the answer; 0 if there is none */
	uint64_t answer_max;	    /* bytes of the body; 0 for any */
	/*
	 * May it connect to this address? Called for every address that is about to be tried, after
	 * its name was resolved. If it is NULL, it may connect to any. Not called for a Unix
	 * socket. This one runs inside libcurl and calls nothing of this header.
	 */
	bool (*allow_address)(void *data, const struct sockaddr *address);
	/* The head has arrived. May be NULL. */
	void (*head)(void *data, unsigned status);
	/* Receives a piece of the body; may be NULL. Returns false if no more is wanted, which
	 * ends the request as BROKEN. */
	bool (*piece)(void *data, const char *piece, size_t length);
	/* The request is over, and is freed when this returns. */
	void (*done)(void *data, const struct http_client_result *result);
	void *data;
};

/* Returns NULL if memory runs out. */
struct http_client *http_client_new(sd_event *loop);
/* Loads libcurl now, for a program that can do nothing without it. As http_client_start(). */
int http_client_load(struct http_client *client);
/* Cancels what is under way. NULL is fine. */
void http_client_free(struct http_client *client);

/*
 * Returns 0; -ELIBACC if libcurl cannot be loaded; -EINVAL for an order that it refuses; or
 * -ENOMEM.
 */
int http_client_start(struct http_client *client, const struct http_client_order *order,
		      struct http_client_request **request_out);

/* Closes the connection; no callback follows. */
void http_client_cancel(struct http_client_request *request);

/*
 * Returns a header of the answer, from `head` on; valid until the request ends; NULL if there is
 * none.
 */
const char *http_client_header(const struct http_client_request *request,
			       const char *name);

/* Stops reading the answer, so that its sender waits, or goes on. */
void http_client_pause(struct http_client_request *request, bool paused);
