/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client may see and do with its scopes, and who is notified when the owner
 * changes them.
 */
#include "unit_test.h"
#include "fake_exchange.h"

#include <stdio.h>

#include "mcp/resource.h"
#include "mcp/endpoint.h"
#include "base/observer.h"
#include "fake_persistence.h"
#include "mcp/request.h"

#define META                                                                     \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define LEGACY(method, params) \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
#define MODERN(method, params)                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method \
	"\",\"params\":{" params META "}}"
#define NEEDS(scope) "\"data\":{\"error\":\"insufficient_scope\",\"scope\":\"" scope "\"}"

static const struct schema_field nothing[] = { { 0 } };

static void run(struct tool_call *call)
{
	struct buffer structured = BUFFER_INIT;

	buffer_append_text(&structured, "{}");
	tool_call_succeed(call, "done", &structured, false);
}

static const struct tool read_tool = { .name = "read",
				       .title = "Read",
				       .description = "Reads.",
				       .input = nothing,
				       .output = nothing,
				       .scopes = CLIENT_READ,
				       .run = run };
static const struct tool send_tool = { .name = "send",
				       .title = "Send",
				       .description = "Sends.",
				       .input = nothing,
				       .output = nothing,
				       .scopes = CLIENT_SEND,
				       .run = run };
static const struct tool *const tools[] = { &read_tool, &send_tool, NULL };

static const char *spell(const struct resource_call *call)
{
	return strcmp(call->value, "none") == 0 ? NULL : call->value;
}

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	json_write_string(writer, "content");
	return 0;
}

static int complete(const struct resource_call *call,
		    struct resource_completion *completion)
{
	resource_add_completion(completion, call->value);
	return 0;
}

static const struct resource plain = { .uri = "x://plain",
				       .name = "plain",
				       .title = "Plain",
				       .description = "Plain.",
				       .scopes = CLIENT_READ,
				       .write = write_content };
static const struct resource item = { .uri = "x://item/",
				      .variable = "id",
				      .name = "item",
				      .title = "Item",
				      .description = "An item.",
				      .scopes = CLIENT_READ,
				      .spell = spell,
				      .write = write_content,
				      .complete = complete };
static const struct resource *const resources[] = { &plain, &item, NULL };

enum { ONE = 1, OTHER = 2, CLIENTS };

static struct client clients[CLIENTS]; /* by ID; ID 0: revoked */
static struct observers changes;
static struct endpoint *endpoint;

static struct persistence persistence;

static bool find_client(struct store *store, int64_t id, struct client *client_out)
{
	assert_ptr_equal(store, clients);
	if (!clients[id].id)
		return false;
	*client_out = clients[id];
	return true;
}

static int set_up(void **state)
{
	clients[ONE] = (struct client){ ONE, "one", CLIENT_READ | CLIENT_SEND };
	clients[OTHER] = (struct client){ OTHER, "other", CLIENT_READ | CLIENT_SEND };
	observers_init(&changes);
	persistence = fake_persistence;
	persistence.store = (struct store *)clients;
	persistence.find_client = find_client;
	endpoint = endpoint_new(&(struct endpoint_options){
		.tools = tools,
		.resources = resources,
		.changes = &changes,
		.persistence = &persistence,
	});
	return endpoint ? 0 : -1;
}

static int tear_down(void **state)
{
	endpoint_free(endpoint);
	observers_deinit(&changes);
	return 0;
}

static void open_as(struct exchange *exchange, int client, const char *body)
{
	exchange->client = clients[client];
	fake_exchange_send(endpoint, exchange, body);
}

/* Sends a request as client ONE with these scopes. Without `piece` it is allowed. */
static void expect(unsigned scopes, struct exchange exchange, const char *body,
		   const char *piece)
{
	clients[ONE].scopes = scopes;
	open_as(&exchange, ONE, body);
	assert_string_equal(exchange.challenge, "");
	assert_int_equal(exchange.status, 200);
	assert_has(exchange.body, piece ? piece : "\"result\"");
	if (!piece)
		assert_null(strstr(exchange.body, "insufficient_scope"));
	fake_exchange_close(endpoint, &exchange);
}

FIXTURE(set_up, tear_down)

/* A client that may not read cannot find out whether an item exists. */
TEST(test_resources_are_hidden_from_clients_that_may_not_read)
{
	static const char *const bodies[] = {
		LEGACY("resources/read", "\"uri\":\"x://plain\""),
		LEGACY("resources/read", "\"uri\":\"x://item/5\""),
		LEGACY("completion/complete",
		       "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x://item/{id}\"},"
		       "\"argument\":{\"name\":\"id\",\"value\":\"5\"}"),
	};
	const struct exchange plainly = { 0 };

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		expect(CLIENT_READ, plainly, bodies[i], NULL);
		expect(CLIENT_SEND, plainly, bodies[i], NEEDS("read"));
	}
	expect(CLIENT_SEND, plainly,
	       LEGACY("resources/read", "\"uri\":\"x://item/none\""), NEEDS("read"));
}

/* Streams */

#define TOOLS_CHANGED "notifications/tools/list_changed"
#define UPDATED	      "notifications/resources/updated"

static void listen_as(struct exchange *exchange, int client)
{
	*exchange =
		(struct exchange){ .headers = { { "MCP-Protocol-Version", "2026-07-28" },
						{ "Mcp-Method", "subscriptions/listen" },
						{ "Accept", "text/event-stream" } } };
	open_as(exchange, client,
		MODERN("subscriptions/listen",
		       "\"notifications\":{\"toolsListChanged\":true,"
		       "\"resourceSubscriptions\":[\"x://plain\"]},"));
	assert_int_equal(exchange->status, 200);
	assert_has(fake_events(exchange), "subscriptions/acknowledged");
}

static void get_as(struct exchange *exchange, int client, const char *session)
{
	*exchange = (struct exchange){ .method = "GET",
				       .headers = { { "Accept", "text/event-stream" },
						    { session ? "Mcp-Session-Id" : NULL,
						      session } } };
	open_as(exchange, client, NULL);
	assert_int_equal(exchange->status, 200);
	fake_events(exchange);
}

/* Begins a session that subscribes. */
static void begin_as(int client, char id[64])
{
	struct exchange hello = { 0 };
	struct exchange subscribe = { .headers = { { "Mcp-Session-Id", id } } };

	open_as(&hello, client,
		LEGACY("initialize", "\"protocolVersion\":\"2025-06-18\""));
	strcpy(id, hello.session_id);
	fake_exchange_close(endpoint, &hello);
	open_as(&subscribe, client,
		LEGACY("resources/subscribe", "\"uri\":\"x://plain\""));
	assert_int_equal(subscribe.status, 200);
	fake_exchange_close(endpoint, &subscribe);
}

static void change_plain(void)
{
	observers_notify(&changes, &(struct resource_change){ CHANGE_RESOURCE,
							      .subject = "x://plain" });
}

/* Changes the scopes of client ONE. */
static void change_one(unsigned scopes)
{
	clients[ONE].scopes = scopes;
	endpoint_review_client(endpoint, ONE);
}

/* Streams of every kind, for both clients. */
enum { KINDS = 3 };

struct streams_of_both {
	char session[CLIENTS][64];
	struct exchange exchanges[CLIENTS][KINDS];
};

static void open_streams(struct streams_of_both *open)
{
	for (int client = ONE; client < CLIENTS; client++) {
		begin_as(client, open->session[client]);
		listen_as(&open->exchanges[client][0], client);
		get_as(&open->exchanges[client][1], client, open->session[client]);
		get_as(&open->exchanges[client][2], client, NULL);
	}
}

static void close_streams(struct streams_of_both *open)
{
	for (int client = ONE; client < CLIENTS; client++) {
		for (int kind = 0; kind < KINDS; kind++)
			fake_exchange_close(endpoint, &open->exchanges[client][kind]);
	}
}

TEST(test_only_the_changed_client_is_notified)
{
	struct streams_of_both open = { 0 };

	open_streams(&open);
	change_one(CLIENT_READ);
	for (int kind = 0; kind < KINDS; kind++) {
		assert_has(fake_events(&open.exchanges[ONE][kind]), TOOLS_CHANGED);
		assert_string_equal(fake_events(&open.exchanges[OTHER][kind]), "");
	}
	change_one(CLIENT_READ | CLIENT_ADMIN | CLIENT_CODES); /* the same tools */
	endpoint_review_client(endpoint, ONE);
	endpoint_review_client(endpoint, OTHER);
	endpoint_review_client(endpoint, 0);
	for (int kind = 0; kind < KINDS; kind++) {
		assert_string_equal(fake_events(&open.exchanges[ONE][kind]), "");
		assert_string_equal(fake_events(&open.exchanges[OTHER][kind]), "");
		assert_false(stream_is_ended(open.exchanges[ONE][kind].stream));
	}
	close_streams(&open);
}

TEST(test_subscriptions_end_when_reading_is_forbidden)
{
	struct streams_of_both open = { 0 };

	open_streams(&open);
	change_plain();
	for (int kind = 0; kind < 2; kind++)
		assert_has(fake_events(&open.exchanges[ONE][kind]), UPDATED);
	change_one(CLIENT_SEND);
	for (int kind = 0; kind < KINDS; kind++) {
		fake_events(&open.exchanges[ONE][kind]);
		fake_events(&open.exchanges[OTHER][kind]);
	}
	change_plain();
	for (int kind = 0; kind < 2; kind++) {
		assert_string_equal(fake_events(&open.exchanges[ONE][kind]), "");
		assert_has(fake_events(&open.exchanges[OTHER][kind]), UPDATED);
	}
	close_streams(&open);
}

/* The change came while no stream was open; the scopes count when one opens. */
TEST(test_pending_updates_are_not_sent_without_the_scope)
{
	struct exchange stream;
	char session[64] = "";

	begin_as(ONE, session);
	change_plain();
	clients[ONE].scopes = CLIENT_SEND;
	get_as(&stream, ONE, session);
	assert_null(strstr(fake_events(&stream), UPDATED));
	change_plain();
	assert_string_equal(fake_events(&stream), "");
	fake_exchange_close(endpoint, &stream);
}

TEST(test_scopes_cover_what_is_needed)
{
	assert_true(request_scopes_cover(0, 0));
	assert_false(request_scopes_cover(0, CLIENT_READ));
	assert_false(request_scopes_cover(CLIENT_READ, CLIENT_READ | CLIENT_SEND));
	assert_true(request_scopes_cover(CLIENT_SCOPES_ALL, CLIENT_READ | CLIENT_SEND));
}
