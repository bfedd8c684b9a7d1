/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "webhook/webhook_post.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/config.h"
#include "http_client/http_client.h"
#include "webhook/webhook_address.h"
#include "config/webhook_url.h"

enum {
	HEADER_BYTES = 192,
	WAIT_MAX_S = 3600,
	MS_PER_SECOND = 1000,
};

/* Called inside libcurl for each address that is about to be dialled. */
static bool webhook_post_allows(void *data, const struct sockaddr *address)
{
	const struct webhook_post *post = data;
	struct webhook_url url;

	if (!webhook_url_parse(post->url, &url) &&
	    webhook_url_is_listed(&url, &post->config->event_receivers))
		return webhook_address_is_host(address);
	return webhook_address_is_public(address);
}

static void webhook_post_on_head(void *data, unsigned status)
{
	struct webhook_post *post = data;
	const char *wait = http_client_header(post->request, "Retry-After");

	post->status = status;
	post->wait_ms = 0;
	if (wait && *wait >= '0' && *wait <= '9') {
		long seconds = strtol(wait, NULL, 10);

		post->wait_ms = (int64_t)(seconds < WAIT_MAX_S ? seconds : WAIT_MAX_S) *
				MS_PER_SECOND;
	}
}

static bool webhook_post_on_piece(void *data, const char *piece, size_t length)
{
	struct webhook_post *post = data;

	if (length > WEBHOOK_ANSWER_MAX - post->answer.length)
		return false;
	buffer_append(&post->answer, piece, length);
	return true;
}

static const char *webhook_post_error(const struct http_client_result *result)
{
	if (result->outcome == HTTP_CLIENT_TIMED_OUT)
		return "timeout";
	return result->tls_failed ? "tls_error" : "connection_refused";
}

/* With a status the receiver has decided, whatever became of the rest of its answer. */
static void webhook_post_on_done(void *data, const struct http_client_result *result)
{
	struct webhook_post *post = data;
	struct buffer answer = post->answer;
	char words[32];
	struct webhook_post_result outcome = {
		.status = post->status,
		.error = "",
		.reason = words,
		.wait_ms = post->wait_ms,
		.answer = &answer,
	};

	post->request = NULL;
	post->answer = (struct buffer)BUFFER_INIT;
	snprintf(words, sizeof(words), "HTTP status %u", post->status);
	if (!post->status) {
		outcome.error = webhook_post_error(result);
		outcome.reason = result->error;
	} else if (post->status / 100 != 2) {
		outcome.error = post->status >= 500 ? "http_5xx" : "http_4xx";
	}
	post->done(post->data, &outcome);
	buffer_deinit(&answer);
}

int webhook_post_start(struct webhook_post *post, struct http_client *http,
		       const struct config *config,
		       const struct webhook_post_order *order,
		       void (*done)(void *data, const struct webhook_post_result *result),
		       void *data)
{
	const struct webhook_signature_subject subject = {
		.message_id = order->message_id,
		.timestamp = clock_wall_ms() / MS_PER_SECOND,
		.body = order->body,
		.length = order->length,
	};
	char headers[4][HEADER_BYTES], signatures[WEBHOOK_SIGNATURES_BYTES];
	const char *const list[] = { "Content-Type: application/json",
				     "User-Agent: ofono-mcp",
				     headers[0],
				     headers[1],
				     headers[2],
				     headers[3],
				     NULL };
	const struct http_client_order request = {
		.method = "POST",
		.url = order->url,
		.headers = list,
		.body = order->body,
		.body_length = order->length,
		.connect_timeout_ms = WEBHOOK_TIMEOUT_MS,
		.timeout_ms = WEBHOOK_TIMEOUT_MS,
		.allow_address = webhook_post_allows,
		.head = webhook_post_on_head,
		.piece = webhook_post_on_piece,
		.done = webhook_post_on_done,
		.data = post,
	};

	if (!webhook_signature_write(&subject, order->secrets, 2, signatures))
		return -ENOMEM;
	snprintf(headers[0], HEADER_BYTES, "webhook-id: %s", order->message_id);
	snprintf(headers[1], HEADER_BYTES, "webhook-timestamp: %lld",
		 (long long)subject.timestamp);
	snprintf(headers[2], HEADER_BYTES, "webhook-signature: %s", signatures);
	snprintf(headers[3], HEADER_BYTES, "X-MCP-Subscription-Id: %s",
		 order->subscription_id);
	*post = (struct webhook_post){
		.config = config,
		.url = order->url,
		.done = done,
		.data = data,
	};
	return http_client_start(http, &request, &post->request);
}

void webhook_post_cancel(struct webhook_post *post)
{
	if (post->request)
		http_client_cancel(post->request);
	post->request = NULL;
	buffer_deinit(&post->answer);
}
