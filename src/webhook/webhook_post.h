/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhook post: one signed POST to a receiver: a delivery, or a challenge.
 *
 * The signature and its timestamp are made anew for each attempt; the ID and the body stay.
 * At most WEBHOOK_ANSWER_MAX bytes of the answer are read. A redirect is not followed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "webhook/webhook_signature.h"

struct config;
struct http_client;
struct http_client_request;

enum { WEBHOOK_ANSWER_MAX = 4096, WEBHOOK_TIMEOUT_MS = 10 * 1000 };

struct webhook_post_result {
	unsigned status; /* 0 if no answer arrived */
	const char
		*error; /* "" for 2xx; else "connection_refused", "timeout", "tls_error",
			    * "http_4xx", "http_5xx" */
	const char *reason; /* the same in words, for the log */
	int64_t wait_ms;    /* that the receiver asks for; 0 for nothing */
	const struct buffer *answer;
};

/* Embedded in its owner; zeroed: idle. */
struct webhook_post {
	struct http_client_request *request; /* NULL while idle */
	const struct config *config;
	const char *url;
	unsigned status;
	int64_t wait_ms;
	struct buffer answer;
	void (*done)(void *data, const struct webhook_post_result *result);
	void *data;
};

/* Strings are borrowed until done() or webhook_post_cancel(). */
struct webhook_post_order {
	const char *url;
	const char *message_id;	     /* the header webhook-id */
	const char *subscription_id; /* the header X-MCP-Subscription-Id */
	const char *body;
	size_t length;
	struct webhook_secret secrets[2];
};

/* Returns 0 or -errno. done() runs once from the loop, and may start the next one. */
int webhook_post_start(struct webhook_post *post, struct http_client *http,
		       const struct config *config,
		       const struct webhook_post_order *order,
		       void (*done)(void *data, const struct webhook_post_result *result),
		       void *data);
void webhook_post_cancel(struct webhook_post *post); /* idle is fine */
