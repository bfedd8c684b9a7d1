/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The endpoint from body to answer: messages, eras, methods, tool calls. */
#include "unit_test.h"
#include "fake_exchange.h"

#include "base/json_reader.h"
#include "mcp/endpoint.h"

static struct tool_call *waiting_call; /* the latest call that waits */
static int abandoned_count, cancelled_count;

static const struct schema_field no_input[] = { { 0 } };
static const struct schema_field echo_input[] = {
	{ "word", SCHEMA_STRING, true, "A word", 1, 5 },
	{ "times", SCHEMA_INTEGER, false, "How often", 1, 9 },
	{ 0 },
};
static const struct schema_field echo_output[] = {
	{ "word", SCHEMA_STRING, true, "The word" },
	{ 0 },
};

static void finish(struct tool_call *call, const char *text)
{
	struct buffer structured = BUFFER_INIT;

	buffer_append_text(&structured, "{\"word\":\"done\"}");
	tool_call_succeed(call, text, &structured, true);
}

static void run_echo(struct tool_call *call)
{
	assert_string_equal((const char *)call->services, "services");
	finish(call, json_string(json_member(call->arguments, "word")));
}

static void run_fail(struct tool_call *call)
{
	tool_call_fail(call, &(struct tool_error){ .code = "sim_locked",
						   .message = "It is locked.",
						   .fix = "Unlock it.",
						   .retryable = true,
						   .retry_after_seconds = 7 });
}

static void on_wait_abandoned(void *data)
{
	abandoned_count++;
}

static void on_wait_cancelled(void *data)
{
	cancelled_count++;
}

static void on_wait_stopping(void *data)
{
	finish(data, "stopping");
}

static void run_wait(struct tool_call *call)
{
	static const struct request_waiting waiting = {
		.abandoned = on_wait_abandoned,
		.cancelled = on_wait_cancelled,
		.stopping = on_wait_stopping,
	};

	waiting_call = call;
	tool_call_wait(call, &waiting, call);
}

static const struct tool echo = { .name = "echo",
				  .title = "Echo",
				  .description = "Says it again.",
				  .input = echo_input,
				  .output = echo_output,
				  .flags = TOOL_READ_ONLY,
				  .run = run_echo };
static const struct tool fail_tool = { .name = "fail",
				       .title = "Fail",
				       .description = "Fails.",
				       .input = no_input,
				       .output = echo_output,
				       .run = run_fail };
static const struct tool wait_tool = { .name = "wait",
				       .title = "Wait",
				       .description = "Waits.",
				       .input = no_input,
				       .output = echo_output,
				       .run = run_wait };
static const struct tool *const tools[] = { &echo, &fail_tool, &wait_tool, NULL };

static const struct resource *const resources[] = { NULL };

static sd_event *loop;

static int set_up(void **state)
{
	assert_true(sd_event_default(&loop) >= 0);
	*state = endpoint_new(&(struct endpoint_options){
		.tools = tools,
		.resources = resources,
		.services = (void *)"services",
		.loop = loop,
	});
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	endpoint_free(*state);
	loop = sd_event_unref(loop);
	return 0;
}

static void open_exchange(struct exchange *exchange, void *endpoint, const char *body)
{
	exchange->arena = arena_new(EXCHANGE_ARENA_MAX);
	endpoint_handler.begin(endpoint, exchange);
	endpoint_handler.body(endpoint, exchange, body, strlen(body));
	endpoint_handler.complete(endpoint, exchange);
}

static void close_exchange(struct exchange *exchange, void *endpoint)
{
	endpoint_handler.ended(endpoint, exchange);
	arena_free(exchange->arena);
	free(exchange->body);
}

/* Sends one body; checks the status and that the answer contains `text`. */
static void expect(void *endpoint, const char *body, unsigned status, const char *piece)
{
	struct exchange exchange = { 0 };

	open_exchange(&exchange, endpoint, body);
	assert_int_equal(exchange.status, status);
	if (!piece)
		assert_null(exchange.body);
	else if (!exchange.body || !strstr(exchange.body, piece))
		fail_msg("%s\n  gave %s\n  without %s", body,
			 exchange.body ? exchange.body : "nothing", piece);
	close_exchange(&exchange, endpoint);
}

static const struct {
	const char *body;
	unsigned status;
	const char *piece;
} cases[] = {
	/* not a valid message */
	{ "", 400, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700" },
	{ "{", 400, "-32700" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\udc00\"}", 400, "-32700" },
	{ "1", 400, "-32600" },
	{ "null", 400, "-32600" },
	{ "{}", 400, "-32600" },
	{ "{\"id\":1,\"method\":\"ping\"}", 400, "\"id\":1,\"error\"" },
	{ "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", 400, "-32600" },
	{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", 400, "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", 400, "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", 400, "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", 400, "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"ping\"}", 400, "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", 400, "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}", 400,
	  "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"x\"}", 400,
	  "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}", 200,
	  "-32602" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\"x\"}", 400,
	  "-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":5}", 400,
	  "\"id\":1,\"error\":{\"code\":-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":5}", 400,
	  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600" },
	/* valid JSON, but an ID, method or name cannot contain a NUL */
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"ping\"}", 400,
	  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\\u0000\"}", 400,
	  "\"id\":\"a\",\"error\":{\"code\":-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
	  "\"echo\\u0000\",\"arguments\":{\"word\":\"hello\"}}}",
	  400, "\"id\":1,\"error\":{\"code\":-32600" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"\\u0000\":1}", 400,
	  "\"id\":1,\"error\":{\"code\":-32600" },
	{ "[{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"ping\"}]", 400,
	  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600" },
	{ "\"\\u0000\"", 400, "-32600" },
	/* white space in C, but not in JSON */
	{ "{\v\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", 400, "-32700" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\f", 400, "-32700" },
	/* IDs return exactly as written */
	{ "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}", 200,
	  "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":-12345678901234567890123,\"method\":\"ping\"}",
	  200, "\"id\":-12345678901234567890123," },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}", 200, "\"id\":\"\"," },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"method\":\"ping\"}", 200,
	  "\"id\":\"a\\\"b\"," },
	/* messages without an answer */
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", 202, NULL },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":[]}", 202, NULL },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 202, NULL },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", 202, NULL },
	{ "{\"jsonrpc\":\"2.0\",\"result\":{}}", 400, "-32600" },
	/* methods */
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", 200, "-32601" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", 200, "-32602" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
	  "{\"protocolVersion\":\"2025-06-18\"}}",
	  200, "\"protocolVersion\":\"2025-06-18\"" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
	  "{\"protocolVersion\":\"2026-07-28\"}}",
	  200, "\"protocolVersion\":\"2025-11-25\"" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", 200,
	  "{\"tools\":[{\"name\":\"echo\",\"title\":\"Echo\"" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
	  200, "-32602" },
	/* calls */
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", 200, "-32602" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"nope\"}}",
	  200, "Unknown tool: nope" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
	  "\"echo\",\"arguments\":[]}}",
	  200, "-32602" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}",
	  200, "echo: word is missing." },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
	  "\"echo\",\"arguments\":{\"word\":\"hello\"}}}",
	  200,
	  "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\"},{\"type\":\"text\",\"text\":\"{\\\"word\\\":\\\"done\\\"}\"}],\"structuredContent\":{\"word\":\"done\"}}" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
	  "\"fail\",\"arguments\":{}}}",
	  200, "\"isError\":true" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"fail\"}}",
	  200, "\\\"retry_after_seconds\\\":7" },
};

FIXTURE(set_up, tear_down)

TEST(test_2025_bodies_get_their_answers)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(*state, cases[i].body, cases[i].status, cases[i].piece);
}

static void expect_version(void *endpoint, const char *version, bool conflict,
			   const char *body, unsigned status)
{
	struct exchange exchange = { 0 };

	if (version)
		exchange.headers[0] =
			(struct fake_header){ "MCP-Protocol-Version", version, conflict };
	open_exchange(&exchange, endpoint, body);
	assert_int_equal(exchange.status, status);
	close_exchange(&exchange, endpoint);
}

TEST(test_version_header_decides_the_era)
{
	static const char *const ping =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
	static const char *const initialize =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
		"\"protocolVersion\":\"2025-11-25\"}}";
	static const char *const served[] = { NULL, "2025-11-25", "2025-06-18",
					      "2025-03-26", "2024-11-05" };
	static const char *const refused[] = { "", "2026-07-28", "2025-11-26", "latest" };

	for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++)
		expect_version(*state, served[i], false, ping, 200);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		expect_version(*state, refused[i], false, ping, 400);
		expect_version(*state, refused[i], false, initialize, 200);
	}
	expect_version(*state, "2025-11-25", true, ping, 400);
}

static const char wait_body[] = "{\"jsonrpc\":\"2.0\",\"id\":\"w\",\"method\":"
				"\"tools/call\",\"params\":{\"name\":\"wait\"}}";

TEST(test_a_call_can_finish_later)
{
	struct exchange exchange = { 0 };

	open_exchange(&exchange, *state, wait_body);
	assert_int_equal(exchange.status, 0);
	finish(waiting_call, "later");
	assert_int_equal(exchange.status, 200);
	assert_non_null(strstr(exchange.body, "\"later\""));
	close_exchange(&exchange, *state);
}

TEST(test_a_waiting_call_is_abandoned_when_its_client_leaves)
{
	struct exchange exchange = { 0 };

	abandoned_count = cancelled_count = 0;
	open_exchange(&exchange, *state, wait_body);
	endpoint_handler.abandoned(*state, &exchange);
	assert_int_equal(abandoned_count, 1);
	assert_int_equal(cancelled_count, 0);
	close_exchange(&exchange, *state);
}

TEST(test_a_waiting_call_answers_when_the_gateway_stops)
{
	struct exchange exchange = { 0 };

	open_exchange(&exchange, *state, wait_body);
	endpoint_handler.stopping(*state, &exchange);
	assert_int_equal(exchange.status, 200);
	assert_non_null(strstr(exchange.body, "\"stopping\""));
	close_exchange(&exchange, *state);
}

TEST(test_a_body_may_arrive_in_pieces)
{
	static const char body[] = "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}";
	struct exchange exchange = { .arena = arena_new(EXCHANGE_ARENA_MAX) };

	endpoint_handler.begin(*state, &exchange);
	for (size_t i = 0; i < sizeof(body) - 1; i++)
		endpoint_handler.body(*state, &exchange, body + i, 1);
	endpoint_handler.complete(*state, &exchange);
	assert_int_equal(exchange.status, 200);
	close_exchange(&exchange, *state);
}

/* 2026-07-28 */

#define META                                                                     \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN(method, params)                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method \
	"\",\"params\":{" params META "}}"
#define MODERN_HEADERS(method, name)                                                \
	{                                                                           \
		{ "MCP-Protocol-Version", "2026-07-28" }, { "Mcp-Method", method }, \
		{                                                                   \
			name ? "Mcp-Name" : NULL, name                              \
		}                                                                   \
	}

static const struct {
	const char *body;
	struct fake_header headers[FAKE_HEADERS_MAX];
	unsigned status;
	const char *piece;
} modern_cases[] = {
	{ MODERN("server/discover", ""), MODERN_HEADERS("server/discover", NULL), 200,
	  "\"result\":{\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/"
	  "serverInfo\":{\"name\":\"ofono-mcp\"" },
	{ MODERN("server/discover", ""), MODERN_HEADERS("server/discover", NULL), 200,
	  "\"ttlMs\":3600000,\"cacheScope\":\"private\",\"supportedVersions\":[\"2026-07-28\"]" },
	{ MODERN("tools/list", ""), MODERN_HEADERS("tools/list", NULL), 200,
	  "\"ttlMs\":300000,\"cacheScope\":\"private\",\"tools\":[{\"name\":\"echo\"" },
	{ MODERN("tools/call", "\"name\":\"fail\","),
	  MODERN_HEADERS("tools/call", "fail"), 200, "\"isError\":true" },
	{ MODERN("tools/call", "\"name\":\"fail\","),
	  MODERN_HEADERS("tools/call", "=?base64?ZmFpbA==?="), 200, "\"isError\":true" },
	{ MODERN("tools/call", "\"name\":\"nope\","),
	  MODERN_HEADERS("tools/call", "nope"), 200, "-32602" },
	{ MODERN("tools/call", ""), MODERN_HEADERS("tools/call", NULL), 200, "-32602" },
	{ MODERN("tools/call", "\"name\":\"fail\","), MODERN_HEADERS("tools/call", NULL),
	  400, "-32020" },
	{ MODERN("tools/call", "\"name\":\"fail\","),
	  MODERN_HEADERS("tools/call", "echo"), 400, "-32020" },
	{ MODERN("tools/list", ""), MODERN_HEADERS("tools/List", NULL), 400, "-32020" },
	{ MODERN("ping", ""), MODERN_HEADERS("ping", NULL), 404, "-32601" },
	{ MODERN("ping", ""), MODERN_HEADERS("pong", NULL), 400, "-32020" },
	{ MODERN("initialize", ""), MODERN_HEADERS("initialize", NULL), 404, "-32601" },
	{ MODERN("tools/list", ""),
	  { { "MCP-Protocol-Version", "2026-07-28" } },
	  400,
	  "the header Mcp-Method is missing" },
	{ MODERN("tools/list", ""),
	  { { "Mcp-Method", "tools/list" } },
	  400,
	  "the header MCP-Protocol-Version is missing" },
	{ MODERN("tools/list", ""),
	  { { "MCP-Protocol-Version", "2026-07-28" },
	    { "Mcp-Method", "tools/list", .conflict = true } },
	  400,
	  "given twice" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}",
	  MODERN_HEADERS("server/discover", NULL), 400,
	  "params._meta lacks \\\"io.modelcontextprotocol/protocolVersion\\\" "
	  "\\\"io.modelcontextprotocol/clientCapabilities\\\"" },
};

TEST(test_2026_bodies_get_their_answers)
{
	for (size_t i = 0; i < sizeof(modern_cases) / sizeof(modern_cases[0]); i++) {
		struct exchange exchange = { 0 };

		memcpy(exchange.headers, modern_cases[i].headers,
		       sizeof(exchange.headers));
		open_exchange(&exchange, *state, modern_cases[i].body);
		if (exchange.status != modern_cases[i].status ||
		    !strstr(exchange.body, modern_cases[i].piece))
			fail_msg("%s\n  gave %u %s", modern_cases[i].body,
				 exchange.status, exchange.body);
		close_exchange(&exchange, *state);
	}
}

TEST(test_leaving_cancels_a_2026_call)
{
	struct exchange exchange = { .headers = MODERN_HEADERS("tools/call", "wait") };

	abandoned_count = cancelled_count = 0;
	open_exchange(&exchange, *state, MODERN("tools/call", "\"name\":\"wait\","));
	endpoint_handler.abandoned(*state, &exchange);
	assert_int_equal(abandoned_count, 0);
	assert_int_equal(cancelled_count, 1);
	close_exchange(&exchange, *state);
}

/* Batches */

#define PING "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}"

/* Of every revision, whatever is in it. */
TEST(test_an_array_is_refused)
{
	static const char *const arrays[] = { "[]", "[" PING "]", " \t\r\n[" PING "]",
					      "[[" PING "]]", "[" };
	static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18",
						"2025-11-25", "2026-07-28", "1.0" };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		expect(*state, arrays[i], 400,
		       "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		expect_version(*state, versions[i], false, "[" PING "]", 400);
}

/* More values than a body may have, in several pieces. */
TEST(test_the_rest_of_an_array_is_dropped)
{
	struct exchange exchange = { .arena = arena_new(EXCHANGE_ARENA_MAX) };

	endpoint_handler.begin(*state, &exchange);
	endpoint_handler.body(*state, &exchange, " ", 1);
	endpoint_handler.body(*state, &exchange, "[1", 2);
	for (int i = 0; i < JSON_VALUES_MAX; i++)
		endpoint_handler.body(*state, &exchange, ",1", 2);
	endpoint_handler.complete(*state, &exchange);
	assert_int_equal(exchange.status, 400);
	assert_non_null(strstr(exchange.body, "batches are not supported"));
	close_exchange(&exchange, *state);
}

TEST_WITH(test_a_refusal_is_an_error_without_id, NULL, NULL)
{
	struct buffer body = BUFFER_INIT;

	endpoint_write_refusal(&body, 403, "not you");
	buffer_append(&body, "", 1);
	assert_string_equal(body.data, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
				       "\"message\":\"not you\"}}");
	buffer_deinit(&body);
}
