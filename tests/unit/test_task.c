/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The methods of tasks over a table of kinds. */
#include "unit_test.h"
#include <stdio.h>

#include <errno.h>

#include "fake_exchange.h"

#include "mcp/endpoint.h"

static struct task present; /* The state of the only task; its ID is "here". */
static int find_error, cancel_error, take_error, cancelled;
static char taken[64]; /* "key action" of each answer in the last update */

static int find(const struct task_query *query, struct task *task_out)
{
	assert_string_equal((const char *)query->services, "services");
	assert_int_equal(query->client_id, 3);
	if (find_error)
		return find_error;
	if (strcmp(query->id, "here") != 0)
		return TASK_E_NOT_FOUND;
	present.kind = task_out->kind;
	present.id = task_out->id;
	*task_out = present;
	return 0;
}

static void write_result(const struct task_query *query, const struct task *task,
			 struct json_writer *writer)
{
	struct tool_call call = { .arena = query->arena, .into = writer };

	tool_call_fail(&call, &(struct tool_error){ .code = "gone",
						    .message = "It is gone.",
						    .fix = "Look elsewhere." });
}

static int cancel(const struct task_query *query, const struct task *task)
{
	assert_string_equal(task->id, "here");
	cancelled++;
	return cancel_error;
}

static int take(const struct task_query *query, const struct task *task,
		const struct task_inputs *inputs)
{
	static const char *const words[] = { "accept", "decline", "cancel" };
	size_t length = 0;

	assert_string_equal(task->id, "here");
	for (size_t i = 0; i < inputs->count; i++) {
		const struct task_input *input = &inputs->items[i];

		assert_int_equal(!input->content, input->action != ELICITATION_ACCEPT);
		length +=
			(size_t)snprintf(taken + length, sizeof(taken) - length, "%s %s;",
					 input->question->key, words[input->action]);
	}
	return take_error;
}

static int find_none(const struct task_query *query, struct task *task_out)
{
	task_out->status_message = "never seen";
	return TASK_E_NOT_FOUND;
}

static const struct task_kind other_kind = { .find = find_none };
static const struct task_kind kind = {
	.find = find,
	.write_result = write_result,
	.take = take,
	.cancel = cancel,
};
static const struct task_kind *const kinds[] = { &other_kind, &kind, NULL };

static void run_begin(struct tool_call *call)
{
	struct buffer structured = BUFFER_INIT;

	if (task_is_welcome(call->request)) {
		task_answer(call->request, &present);
		return;
	}
	buffer_append_text(&structured, "{}");
	tool_call_succeed(call, "at once", &structured, true);
}

static const struct schema_field no_fields[] = { { 0 } };
static const struct tool begin_tool = { .name = "begin",
					.title = "Begin",
					.description = "Begins one.",
					.input = no_fields,
					.output = no_fields,
					.run = run_begin };
static const struct tool *const tools[] = { &begin_tool, NULL };
static const struct resource *const resources[] = { NULL };

static struct endpoint *make(const struct task_kind *const *tasks)
{
	return endpoint_new(&(struct endpoint_options){
		.tools = tools,
		.resources = resources,
		.tasks = tasks,
		.services = (void *)"services",
	});
}

static int set_up(void **state)
{
	present = (struct task){
		.kind = &kind,
		.id = "here",
		.status_message = "under way",
		.created_ms = INT64_C(1790000000000),
		.changed_ms = INT64_C(1790000001000),
		.ttl_ms = 7000,
		.poll_ms = 5000,
		.subject = "x://y",
	};
	find_error = cancel_error = take_error = cancelled = 0;
	*taken = '\0';
	*state = make(kinds);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	endpoint_free(*state);
	return 0;
}

#define DECLARED "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}"

struct asked {
	const char *method, *name; /* Mcp-Name */
	const char *params;	   /* members, each followed by a comma */
	const char *capabilities;
};

/* Checks the status and that the answer contains `text`. */
static void expect(struct endpoint *endpoint, struct asked asked, unsigned status,
		   const char *piece)
{
	struct exchange exchange = {
		.client.id = 3,
		.headers = { { "MCP-Protocol-Version", "2026-07-28" },
			     { "Mcp-Method", asked.method },
			     { "Mcp-Name", asked.name } },
	};
	char body[2048];

	if (!asked.name)
		exchange.headers[2].name = NULL;
	snprintf(body, sizeof(body),
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s"
		 "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		 "\"io.modelcontextprotocol/clientCapabilities\":{%s}}}}",
		 asked.method, asked.params, asked.capabilities);
	fake_exchange_send(endpoint, &exchange, body);
	if (exchange.status != status || !strstr(exchange.body, piece))
		fail_msg("%s\n  gave %u %s\n  not %u %s", body, exchange.status,
			 exchange.body, status, piece);
	fake_exchange_close(endpoint, &exchange);
}

static struct asked about(const char *method, const char *id)
{
	static char params[512];

	snprintf(params, sizeof(params), "\"taskId\":\"%s\",\"inputResponses\":{},", id);
	return (struct asked){ method, id, params, DECLARED };
}

#define MEMBERS                                                           \
	"\"taskId\":\"here\",\"status\":\"working\",\"statusMessage\":"   \
	"\"under way\",\"createdAt\":\"2026-09-21T14:13:20+00:00\","      \
	"\"lastUpdatedAt\":\"2026-09-21T14:13:21+00:00\",\"ttlMs\":7000," \
	"\"pollIntervalMs\":5000}"

FIXTURE(set_up, tear_down)

TEST(test_a_call_can_be_answered_with_a_task)
{
	struct asked asked = { "tools/call", "begin", "\"name\":\"begin\",", DECLARED };

	expect(*state, asked, 200, "\"result\":{\"resultType\":\"task\",");
	expect(*state, asked, 200, MEMBERS "}");
	asked.capabilities = "";
	expect(*state, asked, 200, "\"resultType\":\"complete\"");
	asked.capabilities = "\"extensions\":{\"io.modelcontextprotocol/ui\":{}}";
	expect(*state, asked, 200, "\"resultType\":\"complete\"");
}

TEST(test_get_returns_the_current_state)
{
	expect(*state, about("tasks/get", "here"), 200, MEMBERS "}");
	expect(*state, about("tasks/get", "here"), 200, "\"resultType\":\"complete\"");
	present.status = TASK_CANCELLED;
	expect(*state, about("tasks/get", "here"), 200, "\"pollIntervalMs\":5000}}");
	present.status = TASK_COMPLETED;
	expect(*state, about("tasks/get", "here"), 200,
	       "\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"{\\\"code\\\":\\\"gone\\\",\\\"message\\\":\\\"It is gone.\\\",");
	expect(*state, about("tasks/get", "here"), 200, "\"isError\":true}}}");
}

TEST(test_cancel_reaches_the_kind)
{
	struct asked asked = about("tasks/cancel", "here");

	expect(*state, asked, 200, "\"resultType\":\"complete\"");
	assert_int_equal(cancelled, 1);
	cancel_error = -ENOSPC;
	expect(*state, asked, 200, "-32603");
	present.status = TASK_COMPLETED; /* acknowledged, without effect */
	expect(*state, asked, 200, "\"resultType\":\"complete\"");
	assert_int_equal(cancelled, 2);
}

TEST(test_a_failed_task_has_an_error)
{
	present.status = TASK_FAILED;
	present.error = (struct rpc_error){ RPC_INTERNAL_ERROR, "It broke." };
	expect(*state, about("tasks/get", "here"), 200,
	       "\"pollIntervalMs\":5000,\"error\":{\"code\":-32603,\"message\":\"It broke.\"}}}");
	expect(*state, about("tasks/get", "here"), 200, "\"status\":\"failed\"");
	expect(*state, about("tasks/cancel", "here"), 200, "\"resultType\":\"complete\"");
	assert_int_equal(cancelled, 0);
}

/* Questions in a task */

static const struct form_field yes_form[] = {
	{ "yes", SCHEMA_BOOLEAN, true, "Yes" },
	{ NULL },
};
static const struct elicitation_question questions[] = {
	{ "one", "One?", yes_form },
	{ "two", "Two?", yes_form },
	{ NULL },
};

static void ask(void)
{
	present.status = TASK_INPUT_REQUIRED;
	present.questions = questions;
}

static struct asked update(const char *responses)
{
	static char params[1024];

	snprintf(params, sizeof(params), "\"taskId\":\"here\",\"inputResponses\":%s,",
		 responses);
	return (struct asked){ "tasks/update", "here", params, DECLARED };
}

TEST(test_a_task_shows_its_open_questions)
{
	struct asked begin = { "tools/call", "begin", "\"name\":\"begin\",", DECLARED };

	ask();
	expect(*state, begin, 200, "\"pollIntervalMs\":5000}}"); /* without questions */
	expect(*state, about("tasks/get", "here"), 200, "\"status\":\"input_required\"");
	expect(*state, about("tasks/get", "here"), 200,
	       "\"pollIntervalMs\":5000,\"inputRequests\":{"
	       "\"one\":{\"method\":\"elicitation/create\",\"params\":{"
	       "\"mode\":\"form\",\"message\":\"One?\",\"requestedSchema\":{"
	       "\"type\":\"object\",\"properties\":{\"yes\":{\"type\":\"boolean\","
	       "\"title\":\"Yes\"}},\"required\":[\"yes\"]}}},\"two\":{\"method\":");
	expect(*state, about("tasks/cancel", "here"), 200, "\"complete\"");
	assert_int_equal(cancelled, 1);
}

#define YES "{\"action\":\"accept\",\"content\":{\"yes\":true,\"more\":1}}"

TEST(test_update_passes_answers_to_the_kind)
{
	static const struct {
		const char *responses, *taken, *piece;
	} cases[] = {
		{ "{\"one\":" YES "}", "one accept;", "\"complete\"" },
		{ "{\"two\":" YES ",\"one\":{\"action\":\"decline\"}}",
		  "one decline;two accept;", "\"complete\"" },
		{ "{\"two\":{\"action\":\"cancel\"}}", "two cancel;", "\"complete\"" },
		/* answers to unknown questions */
		{ "{}", "", "\"complete\"" },
		{ "{\"three\":5}", "", "\"complete\"" },
		{ "{\"one\":null}", "", "\"complete\"" },
		/* one bad answer spoils all */
		{ "{\"one\":" YES ",\"two\":5}", "",
		  "inputResponses.two must have the action" },
		{ "{\"one\":{\"action\":\"maybe\"}}", "", "-32602" },
		{ "{\"one\":{\"action\":\"accept\"}}", "", "-32602" },
		{ "{\"two\":" YES
		  ",\"one\":{\"action\":\"accept\",\"content\":{\"yes\":1}}}",
		  "", "inputResponses.one does not fit its requestedSchema" },
		{ "[]", "", "-32602" },
		{ "null", "", "-32602" },
	};

	ask();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*taken = '\0';
		expect(*state, update(cases[i].responses), 200, cases[i].piece);
		assert_string_equal(taken, cases[i].taken);
	}
	take_error = -ENOSPC;
	expect(*state, update("{\"one\":" YES "}"), 200, "-32603");
}

TEST(test_answers_to_a_task_without_questions_are_ignored)
{
	static const enum task_status statuses[] = { TASK_WORKING, TASK_COMPLETED,
						     TASK_FAILED, TASK_CANCELLED };

	present.questions = questions; /* left over from an earlier state */
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		present.status = statuses[i];
		expect(*state, update("{\"one\":" YES "}"), 200, "\"complete\"");
		assert_string_equal(taken, "");
	}
}

TEST(test_an_unknown_task_is_not_found)
{
	static const char *const methods[] = { "tasks/get", "tasks/update",
					       "tasks/cancel" };
	char long_id[TASK_ID_MAX + 2];

	memset(long_id, 'x', sizeof(long_id));
	long_id[sizeof(long_id) - 1] = '\0';
	for (int i = 0; i < 3; i++) {
		find_error = 0;
		expect(*state, about(methods[i], "there"), 200, "-32602");
		expect(*state, about(methods[i], ""), 200, "-32602");
		find_error = -EIO;
		expect(*state, about(methods[i], "here"), 200, "-32603");
		expect(*state, about(methods[i], long_id), 200, "-32602");
		expect(*state, (struct asked){ methods[i], NULL, "", DECLARED }, 200,
		       "-32602");
		expect(*state, (struct asked){ methods[i], NULL, "", "" }, 400,
		       "-32021,\"message\":");
	}
	assert_int_equal(cancelled, 0);
}

TEST(test_tasks_need_the_declared_extension)
{
	struct asked asked = about("tasks/get", "here");

	asked.capabilities = "\"extensions\":{}";
	expect(*state, asked, 400, "\"code\":-32021,");
	expect(*state, asked, 400,
	       "\"data\":{\"requiredCapabilities\":{\"extensions\":{"
	       "\"io.modelcontextprotocol/tasks\":{}}}}");
}

TEST(test_without_kinds_there_are_no_task_methods)
{
	struct endpoint *endpoint = make(NULL);
	struct asked asked = { "tools/call", "begin", "\"name\":\"begin\",", DECLARED };

	expect(endpoint, about("tasks/get", "here"), 404, "-32601");
	expect(endpoint, asked, 200, "\"resultType\":\"complete\"");
	expect(endpoint, (struct asked){ "server/discover", NULL, "", "" }, 200,
	       "\"extensions\":{\"io.modelcontextprotocol/ui\":{}}}");
	endpoint_free(endpoint);
	expect(*state, (struct asked){ "server/discover", NULL, "", "" }, 200,
	       "\"extensions\":{\"io.modelcontextprotocol/ui\":{},"
	       "\"io.modelcontextprotocol/tasks\":{}}}");
}
