/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resources: URIs, and the methods over a table in both eras. */
#include "unit_test.h"
#include <stdio.h>

#include "fake_exchange.h"

#include "base/json_reader.h"
#include "mcp/endpoint.h"

static const char *spell(const struct resource_call *call)
{
	return strcmp(call->value, "none") == 0 ? NULL : call->value;
}

static int write_plain(const struct resource_call *call, struct json_writer *writer)
{
	assert_string_equal((const char *)call->services, "services");
	assert_null(call->value);
	json_write_string(writer, "plain \"text\"");
	return 0;
}

static int write_item(const struct resource_call *call, struct json_writer *writer)
{
	if (strcmp(call->value, "gone") == 0)
		return RESOURCE_E_NOT_FOUND;
	if (strcmp(call->value, "broken") == 0)
		return -5;
	json_write_string(writer, call->value);
	return 0;
}

static int complete_item(const struct resource_call *call,
			 struct resource_completion *completion)
{
	int at;

	resource_add_completion(completion, call->value);
	for (at = 0; strcmp(call->value, "many") == 0 && at < 200; at++)
		resource_add_completion(completion, "x");
	return 0;
}

static const struct resource plain = { .uri = "x://plain",
				       .name = "plain",
				       .title = "Plain",
				       .description = "Plain.",
				       .write = write_plain };
static const struct resource item = { .uri = "x://item/",
				      .variable = "id",
				      .name = "item",
				      .title = "Item",
				      .description = "An item.",
				      .spell = spell,
				      .write = write_item,
				      .complete = complete_item };
static void write_meta(struct json_writer *writer)
{
	json_open_object(writer);
	json_put_integer(writer, "about", 1);
	json_close_object(writer);
}

static struct resource_document make_document(void)
{
	return (struct resource_document){ "text/x", "<\"text\">?", 8, write_meta };
}

static const struct resource document = { .uri = "x://document",
					  .name = "document",
					  .title = "Document",
					  .description = "A document.",
					  .document = make_document };
static const struct resource *const resources[] = { &plain, &item, &document, NULL };
static const struct tool *const tools[] = { NULL };

static int set_up(void **state)
{
	*state = endpoint_new(&(struct endpoint_options){
		.tools = tools,
		.resources = resources,
		.services = (void *)"services",
	});
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	endpoint_free(*state);
	return 0;
}

/* Finding */

static void assert_found(const char *uri, const char *subject)
{
	struct resource_call call = { .arena = arena_new(1 << 16) };

	assert_int_equal(resource_find(resources, uri, &call), 0);
	assert_string_equal(call.subject, subject);
	arena_free(call.arena);
}

static void assert_outcome(const char *uri, int outcome)
{
	struct resource_call call = { .arena = arena_new(1 << 16) };

	assert_int_equal(resource_find(resources, uri, &call), outcome);
	arena_free(call.arena);
}

FIXTURE(set_up, tear_down)

TEST(test_escapes_are_decoded)
{
	assert_found("x://plain", "x://plain");
	assert_found("x://item/7", "x://item/7");
	assert_found("x://item/+36", "x://item/+36");
	assert_found("x://item/%2B36", "x://item/+36");
	assert_found("x://item/%2b36", "x://item/+36");
	assert_found("x://item/%C3%A9t%C3%A9", "x://item/\xc3\xa9t\xc3\xa9");
	assert_found("x://item/a%2Fb%20c%25", "x://item/a/b c%");
}

TEST(test_other_uris_are_not_found)
{
	assert_outcome("x://plain/", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://PLAIN", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://plain?a=b", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/7/8", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/7?x", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/7#x", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/none", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/%00", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/a%00b", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/a%0Ab", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/%7f", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/%FF", RESOURCE_E_NOT_FOUND);
	assert_outcome("x://item/%ED%A0%80", RESOURCE_E_NOT_FOUND);
	assert_outcome("y://other", RESOURCE_E_NOT_FOUND);
}

TEST(test_malformed_uris_are_refused)
{
	char text[RESOURCE_URI_MAX + 2];

	assert_outcome("", RESOURCE_E_MALFORMED);
	assert_outcome("inbox", RESOURCE_E_MALFORMED);
	assert_outcome("x://item/%", RESOURCE_E_MALFORMED);
	assert_outcome("x://item/%4", RESOURCE_E_MALFORMED);
	assert_outcome("x://item/%zz", RESOURCE_E_MALFORMED);
	assert_outcome("x://item/a b", RESOURCE_E_MALFORMED);
	assert_outcome("x://item/\xc3\xa9", RESOURCE_E_MALFORMED);
	assert_outcome("x://item/{id}", RESOURCE_E_MALFORMED);
	assert_outcome("x://item/a\nb", RESOURCE_E_MALFORMED);
	memset(text, 'a', sizeof(text));
	memcpy(text, "x://item/", 9);
	text[RESOURCE_URI_MAX] = '\0';
	assert_outcome(text, 0);
	text[RESOURCE_URI_MAX] = 'a';
	text[RESOURCE_URI_MAX + 1] = '\0';
	assert_outcome(text, RESOURCE_E_MALFORMED);
}

/* Methods */

static void assert_answer(void *endpoint, const char *body, const char *expected)
{
	struct exchange exchange = { 0 };

	fake_exchange_send(endpoint, &exchange, body);
	assert_int_equal(exchange.status, 200);
	assert_string_equal(exchange.body, expected);
	fake_exchange_close(endpoint, &exchange);
}

#define BEGIN "{\"jsonrpc\":\"2.0\",\"id\":1,"

static void assert_result(void *endpoint, const char *method, const char *params,
			  const char *result)
{
	char body[512], expected[4096];

	snprintf(body, sizeof(body), BEGIN "\"method\":\"%s\",\"params\":%s}", method,
		 params);
	snprintf(expected, sizeof(expected), BEGIN "\"result\":%s}", result);
	assert_answer(endpoint, body, expected);
}

static void assert_error(void *endpoint, const char *method, const char *params, int code)
{
	struct exchange exchange = { 0 };
	char body[1024], expected[64];

	snprintf(body, sizeof(body), BEGIN "\"method\":\"%s\",\"params\":%s}", method,
		 params);
	snprintf(expected, sizeof(expected), BEGIN "\"error\":{\"code\":%d,", code);
	fake_exchange_send(endpoint, &exchange, body);
	assert_memory_equal(exchange.body, expected, strlen(expected));
	fake_exchange_close(endpoint, &exchange);
}

TEST(test_a_failed_read_names_the_uri)
{
	assert_answer(
		*state,
		BEGIN
		"\"method\":\"resources/read\",\"params\":{\"uri\":\"x://item/none\"}}",
		BEGIN
		"\"error\":{\"code\":-32002,\"message\":\"Resource not found: see "
		"resources/list and resources/templates/list\",\"data\":{\"uri\":\"x://item/none\"}}}");
	assert_error(*state, "resources/read", "{\"uri\":\"x://item/gone\"}", -32002);
	assert_error(*state, "resources/read", "{\"uri\":\"x://item/broken\"}", -32603);
	assert_error(*state, "resources/read", "{\"uri\":\"x://item/%\"}", -32602);
	assert_error(*state, "resources/read", "{\"uri\":7}", -32602);
	assert_error(*state, "resources/read", "{}", -32602);
}

#define ENVELOPE                                                                 \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

TEST(test_2026_has_another_code_for_not_found)
{
	struct exchange exchange = { .headers = {
					     { "MCP-Protocol-Version", "2026-07-28" },
					     { "Mcp-Method", "resources/read" },
					     { "Mcp-Name", "x://item/none" } } };
	static const char body[] =
		BEGIN "\"method\":\"resources/read\",\"params\":{\"uri\":\"x://item/"
		      "none\"," ENVELOPE "}}";

	fake_exchange_send(*state, &exchange, body);
	assert_int_equal(exchange.status, 200);
	assert_non_null(strstr(exchange.body, "\"code\":-32602"));
	assert_non_null(strstr(exchange.body, "\"data\":{\"uri\":\"x://item/none\"}"));
	fake_exchange_close(*state, &exchange);
}

#define REF(uri) "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"" uri "\"}"
#define ARGUMENT(name, value) \
	"\"argument\":{\"name\":\"" name "\",\"value\":\"" value "\"}"

TEST(test_completion_is_bounded)
{
	const char *method = "completion/complete";
	struct exchange exchange = { 0 };
	static const char body[] =
		BEGIN "\"method\":\"completion/complete\",\"params\":{" REF(
			"x://item/{id}") "," ARGUMENT("id", "many") "}}";
	size_t values = 0;
	const char *at;

	assert_result(*state, method,
		      "{" REF("x://item/{id}") "," ARGUMENT("id", "+3") "}",
		      "{\"completion\":{\"values\":[\"+3\"],\"hasMore\":false}}");
	assert_error(*state, method, "{" REF("x://item/") "," ARGUMENT("id", "") "}",
		     -32602);
	assert_error(*state, method, "{" REF("x://plain") "," ARGUMENT("id", "") "}",
		     -32602);
	assert_error(*state, method,
		     "{" REF("x://item/{id}") "," ARGUMENT("other", "") "}", -32602);
	assert_error(*state, method, "{" REF("x://item/{id}") "}", -32602);
	assert_error(*state, method,
		     "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"}," ARGUMENT(
			     "id", "") "}",
		     -32602);
	fake_exchange_send(*state, &exchange, body);
	for (at = exchange.body; (at = strstr(at, "\"x\"")); at++)
		values++;
	assert_int_equal(values, RESOURCE_COMPLETIONS_MAX - 1); /* and "many" */
	assert_non_null(strstr(exchange.body, "\"hasMore\":true"));
	fake_exchange_close(*state, &exchange);
}
