/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a feed that tests write: gaps and failures to read. */
#include "unit_test.h"
#include "fake_exchange.h"

#include <stdio.h>

#include "base/observer.h"
#include "fake_persistence.h"
#include "mcp/endpoint.h"
#include "mcp/event.h"

#define EVENTS(method, params)                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"" method                  \
	"\",\"params\":{" params                                                  \
	",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}}}"
#define HEADERS(method)                                   \
	{                                                 \
		{ "MCP-Protocol-Version", "2026-07-28" }, \
		{                                         \
			"Mcp-Method", method              \
		}                                         \
	}

static const struct schema_field nothing[] = { { 0 } };

static bool matches(struct event_query *query, const struct feed_entry *entry)
{
	return entry->state;
}

static void write_data(const struct event_query *query, const struct feed_entry *entry,
		       struct json_writer *writer)
{
	json_put_integer(writer, "subject", entry->subject_id);
}

static const struct event_type alert = {
	.name = "alert",
	.description = "Something is wrong.",
	.arguments = nothing,
	.payload = nothing,
	.scopes = CLIENT_READ,
	.feed = FEED_ALERT,
	.matches = matches,
	.write_data = write_data,
};
static const struct event_type *const types[] = { &alert, NULL };
static const struct tool *const tools[] = { NULL };
static const struct resource *const resources[] = { NULL };

enum { EPOCH = 7 };

static struct {
	int64_t first, head;
	int failure; /* of reading */
} feed;
static struct observers watch;
static struct endpoint *endpoint;
static struct persistence persistence;

static int read_feed(struct store *store, int64_t after_id, unsigned limit,
		     bool (*visit)(void *data, const struct feed_entry *entry),
		     void *data)
{
	struct feed_entry entry = { .type = FEED_ALERT,
				    .at_ms = 1700000000000,
				    .state = 1,
				    .phone_number = "",
				    .detail = "" };

	for (int64_t id = after_id + 1; id <= feed.head && limit-- && !feed.failure;
	     id++) {
		entry.id = entry.subject_id = id;
		if (!visit(data, &entry))
			break;
	}
	return feed.failure;
}

static int find_bounds(struct store *store, int64_t *first_out, int64_t *head_out)
{
	*first_out = feed.first;
	*head_out = feed.head;
	return 0;
}

static int find_epoch(struct store *store, int64_t *epoch_out)
{
	*epoch_out = EPOCH;
	return 0;
}

static int set_up(void **state)
{
	feed.first = 1;
	feed.head = 3;
	feed.failure = 0;
	observers_init(&watch);
	persistence = fake_persistence;
	persistence.read_feed = read_feed;
	persistence.find_feed_bounds = find_bounds;
	persistence.find_feed_epoch = find_epoch;
	endpoint = endpoint_new(&(struct endpoint_options){
		.tools = tools,
		.resources = resources,
		.events = types,
		.feed = &watch,
		.persistence = &persistence,
	});
	return endpoint ? 0 : -1;
}

static int tear_down(void **state)
{
	endpoint_free(endpoint);
	observers_deinit(&watch);
	return 0;
}

static void ask(struct exchange *exchange, const char *body)
{
	exchange->client = (struct client){ .scopes = CLIENT_READ };
	fake_exchange_send(endpoint, exchange, body);
}

static void new_entries(int64_t head)
{
	feed.head = head;
	observers_notify(&watch, &head);
}

FIXTURE(set_up, tear_down)

TEST(test_a_gap_is_announced_before_the_stream_goes_on)
{
	struct exchange stream = { .headers = HEADERS("events/stream") };
	const char *events;

	ask(&stream, EVENTS("events/stream", "\"name\":\"alert\",\"cursor\":\"7.2\""));
	events = fake_events(&stream);
	assert_has(events, "\"cursor\":\"7.2\",\"truncated\":false");
	assert_has(events, "\"eventId\":\"7.3\"");
	feed.first = 9;
	new_entries(9);
	events = fake_events(&stream);
	assert_has(events, "events/active");
	assert_has(events, "\"cursor\":\"7.8\",\"truncated\":true");
	assert_has(events, "\"eventId\":\"7.9\"");
	fake_exchange_close(endpoint, &stream);
}

TEST(test_a_failure_to_read_is_reported_and_the_stream_goes_on)
{
	struct exchange stream = { .headers = HEADERS("events/stream") };

	ask(&stream, EVENTS("events/stream", "\"name\":\"alert\",\"cursor\":\"7.3\""));
	fake_events(&stream);
	feed.failure = -5;
	new_entries(4);
	assert_has(fake_events(&stream), "notifications/events/error");
	feed.failure = 0;
	new_entries(5);
	assert_has(fake_events(&stream), "\"eventId\":\"7.4\"");
	fake_exchange_close(endpoint, &stream);
}

TEST(test_a_poll_that_cannot_read_fails_and_keeps_the_cursor)
{
	struct exchange poll = { .headers = HEADERS("events/poll") };

	feed.failure = -5;
	ask(&poll, EVENTS("events/poll", "\"name\":\"alert\",\"cursor\":\"7.1\""));
	assert_has(poll.body, "\"code\":-32603");
	fake_exchange_close(endpoint, &poll);
}
