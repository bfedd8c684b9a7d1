/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events/subscribe, events/unsubscribe: a client has events posted to its URL. What is stored and
 * delivered is the business of webhook/webhook.h, which knows entries of the feed only; here
 * are the words of the protocol, and how an entry becomes a body.
 *
 *   subscribe --checked, approved, verified--> {id, refreshBefore, cursor, truncated}
 *             \--------------------------------> Forbidden, CallbackEndpointError, ...
 *
 * The answer waits for the challenge of a new URL; a client that leaves meanwhile gives up.
 */
#include "mcp/event.h"

#include <string.h>

#include "base/clock.h"
#include "base/feed.h"

#define EVENT_SUBSCRIBE_ANONYMOUS                                              \
	"Webhooks are for paired clients. A gateway that was started with "    \
	"--open ignores tokens, so it knows no paired client: poll or stream " \
	"there instead."

enum { EVENT_SUBSCRIBE_ARENA_BYTES = 256 * 1024 };

/* ---- bodies */

/* One-time codes stay masked whatever the client's scopes are: the body leaves the phone. */
static enum webhook_verdict event_subscribe_write(
	void *data, const struct client *client, const char *event,
	const struct json *arguments, const struct feed_entry *entry, struct buffer *body,
	char message_id_out[WEBHOOK_MESSAGE_ID_BYTES])
{
	const struct event_subscribe_words *webhook = data;
	struct client masked = *client;
	struct event_query query = {
		.type = event_find(webhook->types, event, webhook->services),
		.arguments = arguments,
		.client = &masked,
		.services = webhook->services,
		.may_show_text = true, /* a subscription with the text was approved */
	};
	enum webhook_verdict verdict = WEBHOOK_DIFFERS;
	struct json_writer *writer;

	_Static_assert((int)EVENT_CURSOR_BYTES <= (int)WEBHOOK_MESSAGE_ID_BYTES,
		       "it fits");
	if (!query.type || !request_scopes_cover(client->scopes, CLIENT_EVENTS))
		return WEBHOOK_FORBIDDEN;
	masked.scopes &= ~(unsigned)CLIENT_CODES;
	query.arena = arena_new(EVENT_SUBSCRIBE_ARENA_BYTES);
	if (!query.arena) {
		body->failed = true; /* it is read again later */
		return WEBHOOK_DIFFERS;
	}
	switch (event_judge(&query, entry)) {
	case EVENT_MATCHES:
		writer = json_writer_new(body);
		if (writer)
			event_write(&query, entry, webhook->epoch, true, writer);
		json_writer_free(writer);
		/* receivers refuse a webhook-id that is not the event's ID */
		event_write_cursor(webhook->epoch, entry->id, message_id_out);
		verdict = WEBHOOK_PASSES;
		break;
	case EVENT_FORBIDDEN:
		verdict = WEBHOOK_FORBIDDEN;
		break;
	case EVENT_PASSED_OVER:
		break;
	}
	arena_free(query.arena);
	return verdict;
}

static bool event_subscribe_permits(void *data, const struct client *client,
				    const char *event)
{
	const struct event_subscribe_words *webhook = data;
	const struct event_type *type =
		event_find(webhook->types, event, webhook->services);

	return type && request_scopes_cover(client->scopes, CLIENT_EVENTS) &&
	       event_is_permitted(type, client, webhook->services);
}

/* {"type":...}; the caller adds members and closes. Returns NULL if memory runs out. */
static struct json_writer *event_subscribe_open_control(struct buffer *body,
							const char *type)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer)
		return NULL;
	json_open_object(writer);
	json_put_string(writer, "type", type);
	return writer;
}

static void event_subscribe_write_gap(void *data, int64_t entry_id, struct buffer *body)
{
	const struct event_subscribe_words *webhook = data;
	struct json_writer *writer = event_subscribe_open_control(body, "gap");
	char cursor[EVENT_CURSOR_BYTES];

	if (!writer)
		return;
	event_write_cursor(webhook->epoch, entry_id, cursor);
	json_put_string(writer, "cursor", cursor);
	json_close_object(writer);
	json_writer_free(writer);
}

static void event_subscribe_write_terminated(void *data, const char *reason,
					     struct buffer *body)
{
	struct json_writer *writer = event_subscribe_open_control(body, "terminated");

	if (!writer)
		return;
	json_key(writer, "error");
	event_write_error(writer,
			  &(struct event_failure){ EVENT_E_FORBIDDEN, "reason", reason });
	json_close_object(writer);
	json_writer_free(writer);
}

void event_subscribe_init_words(struct event_subscribe_words *webhook)
{
	webhook->source = (struct webhook_source){
		.write = event_subscribe_write,
		.permits = event_subscribe_permits,
		.write_gap = event_subscribe_write_gap,
		.write_terminated = event_subscribe_write_terminated,
		.data = webhook,
	};
}

/* ---- the answer */

struct event_subscribe_wait {
	struct request *request;
	struct webhook_subscribe_attempt *attempt;
};

static void event_subscribe_put_time(struct json_writer *writer, const char *key,
				     int64_t wall_ms)
{
	char text[CLOCK_TEXT_BYTES];

	json_key(writer, key);
	if (!wall_ms) {
		json_write_null(writer);
		return;
	}
	clock_format(wall_ms, text);
	json_write_string(writer, text);
}

static void event_subscribe_put_status(struct json_writer *writer,
				       const struct webhook_view *view)
{
	const struct store_webhook_row *row = view->row;

	json_open_object_at(writer, "deliveryStatus");
	json_put_boolean(writer, "active", true); /* a refresh lifts a suspension */
	event_subscribe_put_time(writer, "lastDeliveryAt", row->delivered_ms);
	json_key(writer, "lastError");
	if (*row->error)
		json_write_string(writer, row->error);
	else
		json_write_null(writer);
	event_subscribe_put_time(writer, "failedSince", row->failed_since_ms);
	json_put_boolean(writer, "throttled", view->is_throttled);
	if (view->is_throttled)
		json_put_integer(writer, "retryAfterMs", view->retry_ms);
	json_close_object(writer);
}

/* The epoch of the row: after a restore the delivery under way is still one of the epoch before. */
static void event_subscribe_succeed(struct request *request,
				    const struct webhook_answer *answer)
{
	const struct webhook_view *view = &answer->view;
	struct json_writer *writer = request_open_result(request);
	char cursor[EVENT_CURSOR_BYTES];

	if (!writer)
		return;
	event_write_cursor(view->row->epoch, view->watermark, cursor);
	json_put_string(writer, "id", view->row->name_id);
	event_subscribe_put_time(writer, "refreshBefore", view->row->expires_ms);
	json_put_string(writer, "cursor", cursor);
	json_put_boolean(writer, "truncated", answer->truncated);
	if (answer->is_refresh)
		event_subscribe_put_status(writer, view);
	request_close_result(request);
}

static void event_subscribe_forbid(struct request *request, const char *reason,
				   const char *detail)
{
	event_fail(request, &(struct event_failure){ EVENT_E_FORBIDDEN, "reason", reason,
						     .detail = detail });
}

static void event_subscribe_exhaust(struct request *request, const char *limit,
				    int64_t most)
{
	event_fail(request, &(struct event_failure){ EVENT_E_EXHAUSTED, "limit", limit,
						     "max", .maximum = most });
}

static void event_subscribe_explain_approval(struct request *request, const char *reason)
{
	if (strcmp(reason, "too_many_approvals") == 0)
		event_subscribe_exhaust(request, "approvals", STORE_WEBHOOK_ASKED_MAX);
	else if (strcmp(reason, "approval_rejected") == 0)
		event_subscribe_forbid(
			request, reason,
			"The owner does not want that. Ask them before you try again.");
	else
		event_subscribe_forbid(
			request, reason,
			"The owner must approve this receiver first, with: " PROGRAM_NAME
			" approvals. Then subscribe again.");
}

static void event_subscribe_answer(struct request *request,
				   const struct webhook_answer *answer)
{
	switch (answer->outcome) {
	case WEBHOOK_DONE:
		event_subscribe_succeed(request, answer);
		break;
	case WEBHOOK_BAD_URL:
		request_fail(request, RPC_INVALID_PARAMS,
			     arena_printf(request->arena, "params.delivery.url %s",
					  answer->text));
		break;
	case WEBHOOK_BAD_SECRET:
		request_fail(
			request, RPC_INVALID_PARAMS,
			"params.delivery.secret must be \"whsec_\" and base64 of 24 to 64 bytes");
		break;
	case WEBHOOK_ANONYMOUS:
		event_subscribe_forbid(request, "authentication_required",
				       EVENT_SUBSCRIBE_ANONYMOUS);
		break;
	case WEBHOOK_NOT_APPROVED:
		event_subscribe_explain_approval(request, answer->text);
		break;
	case WEBHOOK_TOO_MANY:
		event_subscribe_exhaust(request, answer->text, answer->most);
		break;
	case WEBHOOK_UNVERIFIED:
		event_fail(request, &(struct event_failure){ EVENT_E_CALLBACK, "reason",
							     answer->text });
		break;
	case WEBHOOK_CLOCK_WRONG:
		request_fail(request, RPC_INTERNAL_ERROR, answer->text);
		break;
	case WEBHOOK_PENDING:
	case WEBHOOK_UNKNOWN:
	case WEBHOOK_BROKEN:
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the subscription could not be stored: try again later");
		break;
	}
}

static void event_subscribe_on_done(void *data, const struct webhook_answer *answer)
{
	struct event_subscribe_wait *wait = data;
	struct request *request = wait->request;

	request->waiting = NULL;
	event_subscribe_answer(request, answer);
}

static void event_subscribe_on_abandoned(void *data)
{
	struct event_subscribe_wait *wait = data;

	webhook_subscribe_cancel(wait->attempt);
}

static void event_subscribe_on_stopping(void *data)
{
	struct event_subscribe_wait *wait = data;
	struct request *request = wait->request;

	webhook_subscribe_cancel(wait->attempt);
	request->waiting = NULL;
	request_fail(request, RPC_INTERNAL_ERROR,
		     "not run: the gateway is stopping; ask again when it is back");
}

static const struct request_waiting event_subscribe_waiting = {
	.abandoned = event_subscribe_on_abandoned,
	.stopping = event_subscribe_on_stopping,
};

/* ---- reading */

static const struct json event_subscribe_no_arguments = { .type = JSON_OBJECT };

/* Returns false if it has been answered. */
static bool event_subscribe_read_ttl(struct request *request, int64_t *ttl_ms_out)
{
	const struct json *ttl = json_member(request->message.params, "ttlMs");

	*ttl_ms_out = 0;
	if (!ttl || ttl->type == JSON_NULL)
		return true;
	if (!json_integer(ttl, ttl_ms_out) || *ttl_ms_out < 0) {
		request_fail(
			request, RPC_INVALID_PARAMS,
			"params.ttlMs must be a whole number of milliseconds, or null");
		return false;
	}
	if (*ttl_ms_out == 0)
		*ttl_ms_out = 1; /* raised to the least */
	return true;
}

/* Returns false if it has been answered. */
static bool event_subscribe_read_mode(struct request *request,
				      const struct json *delivery, bool is_needed)
{
	const struct json *mode = json_member(delivery, "mode");

	if (!delivery || delivery->type != JSON_OBJECT ||
	    (mode ? !json_string(mode) : is_needed)) {
		request_fail(
			request, RPC_INVALID_PARAMS,
			"params.delivery must be an object with mode, url and secret");
		return false;
	}
	if (!mode || strcmp(mode->text, "webhook") == 0)
		return true;
	event_fail(request,
		   &(struct event_failure){ EVENT_E_UNSUPPORTED, "feature",
					    "deliveryMode", "value", mode->text });
	return false;
}

static bool event_subscribe_read_order(struct request *request,
				       const struct event_query *query,
				       struct webhook_order *order)
{
	const struct json *delivery = json_member(request->message.params, "delivery");

	*order = (struct webhook_order){
		.client = exchange_client(request->exchange),
		.url = json_string(json_member(delivery, "url")),
		.secret = json_string(json_member(delivery, "secret")),
		.event = query->type->name,
		.arguments = query->arguments ? query->arguments
					      : &event_subscribe_no_arguments,
	};
	if (!event_subscribe_read_mode(request, delivery, true))
		return false;
	if (!order->url || !order->secret) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.delivery must have the strings url and secret");
		return false;
	}
	return event_subscribe_read_ttl(request, &order->ttl_ms);
}

/* Returns false if it has been answered. */
static bool event_subscribe_is_offered(struct request *request)
{
	const struct client *client = exchange_client(request->exchange);

	if (client->id <= 0) {
		event_subscribe_forbid(request, "authentication_required",
				       EVENT_SUBSCRIBE_ANONYMOUS);
		return false;
	}
	if (!request_scopes_cover(client->scopes, CLIENT_EVENTS)) {
		event_subscribe_forbid(
			request, "insufficient_scope",
			"This client may not have events posted. The owner "
			"decides, with: " PROGRAM_NAME " client set");
		return false;
	}
	if (request->context->webhooks)
		return true;
	event_fail(request,
		   &(struct event_failure){ EVENT_E_UNSUPPORTED, "feature",
					    "deliveryMode", "value", "webhook" });
	return false;
}

void event_subscribe_run(struct request *request)
{
	struct event_subscribe_wait *wait = arena_alloc(request->arena, sizeof(*wait));
	struct event_position position;
	struct webhook_answer answer;
	struct webhook_order order;
	struct event_query query;

	if (!wait) {
		request_fail_no_memory(request);
		return;
	}
	if (!event_subscribe_is_offered(request) || !event_read_query(request, &query) ||
	    !event_subscribe_read_order(request, &query, &order) ||
	    !event_read_position(request, query.type, &position))
		return;
	order.after = position.after_id;
	order.truncated = position.truncated;
	wait->request = request;
	webhook_subscribe(request->context->webhooks, &order, event_subscribe_on_done,
			  wait, &answer, &wait->attempt);
	if (answer.outcome != WEBHOOK_PENDING) {
		event_subscribe_answer(request, &answer);
		return;
	}
	request->waiting = &event_subscribe_waiting;
	request->waiting_data = wait;
}

void event_subscribe_run_end(struct request *request)
{
	const struct json *params = request->message.params;
	const struct json *delivery = json_member(params, "delivery");
	const struct json *arguments = json_member(params, "arguments");
	const struct webhook_order order = {
		.client = exchange_client(request->exchange),
		.url = json_string(json_member(delivery, "url")),
		.event = json_string(json_member(params, "name")),
		.arguments = arguments && arguments->type == JSON_OBJECT
				     ? arguments
				     : &event_subscribe_no_arguments,
	};
	enum webhook_outcome outcome;

	if (!event_subscribe_is_offered(request) ||
	    !event_subscribe_read_mode(request, delivery, false))
		return;
	if (!order.url || !order.event ||
	    (arguments && arguments->type != JSON_OBJECT &&
	     arguments->type != JSON_NULL)) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params must have a name, arguments (an object) and "
			     "delivery.url, as in events/subscribe");
		return;
	}
	outcome = webhook_subscribe_end(request->context->webhooks, &order);
	if (outcome == WEBHOOK_UNKNOWN)
		event_fail(request, &(struct event_failure){ EVENT_E_NOT_FOUND, "kind",
							     "subscription" });
	else if (outcome == WEBHOOK_BROKEN)
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the subscription could not be removed: try again later");
	else
		request_acknowledge(request);
}
