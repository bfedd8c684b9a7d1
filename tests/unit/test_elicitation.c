/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elicitation: requestState with its MAC, and a tool that asks two questions in 2026. */
#include "unit_test.h"
#include "fake_exchange.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/json_reader.h"
#include "mcp/elicitation.h"
#include "mcp/elicitation_call.h"
#include "mcp/endpoint.h"
#include "fake_persistence.h"

#define NOW_MS INT64_C(1795255200000)

static const struct crypto_key one_key = { { 1, 2, 3 } }, other_key = { { 1, 2, 4 } };
static struct arena *arena;
static int64_t now_ms;

static int64_t fake_now(void)
{
	return now_ms;
}

static int64_t boot_ms;
static const char *boot_id;

static int64_t fake_boot(void)
{
	return boot_ms;
}

static const char *fake_boot_id(void)
{
	return boot_id;
}

static const struct json *parse(const char *text)
{
	const struct json *root = NULL;

	assert_int_equal(json_reader_read(arena, text, strlen(text), &root), 0);
	return root;
}

/* requestState */

static const char *write_state(void)
{
	struct elicitation_2026_state state = {
		"order", "call", "sim", "seen",
		parse("{\"a\":{\"seen\":\"x\",\"content\":{}}}")
	};
	const char *text = elicitation_2026_state_write(&state, &one_key, arena);

	assert_non_null(text);
	return text;
}

static int read_state(const char *text, const struct crypto_key *key,
		      struct elicitation_2026_state *state)
{
	return elicitation_2026_state_read(text, key, arena, state);
}

/* A tool that asks two questions, one after the other */

static const struct form_choice colours[] = { { "r", "Red" },
					      { "g", "Green" },
					      { NULL } };
static const struct form_field fields[] = {
	{ "colour", SCHEMA_STRING, true, "Colour", .choices = colours },
	{ NULL },
};
static const struct form_field yes_fields[] = {
	{ "yes", SCHEMA_BOOLEAN, true, "Yes" },
	{ NULL },
};
static struct elicitation_question first = { "first", "The first?", fields },
				   second = { "second", "The second?", yes_fields };
static char said[64];  /* the answers that it got */
static char order[40]; /* of the last call; copied, because its arena is gone */
static int runs;

static void finish(struct tool_call *call, const char *text)
{
	struct buffer structured = BUFFER_INIT;

	buffer_append_text(&structured, "{}");
	tool_call_succeed(call, text, &structured, false);
}

static const struct json *ask(struct tool_call *call,
			      const struct elicitation_question *question)
{
	static const char *const words[] = {
		[ELICITATION_DECLINED] = "declined",
		[ELICITATION_DISMISSED] = "dismissed",
		[ELICITATION_UNAVAILABLE] = "unable",
	};
	const struct json *content = NULL;
	enum elicitation_outcome outcome = elicitation_ask(call, question, &content);

	if (outcome != ELICITATION_ANSWERED && outcome != ELICITATION_PENDING)
		finish(call, words[outcome]);
	return content;
}

static void run_twice(struct tool_call *call)
{
	const struct json *one = ask(call, &first);
	const struct json *two = one ? ask(call, &second) : NULL;

	runs++;
	if (!two)
		return;
	snprintf(said, sizeof(said), "%s and %d", json_string(json_member(one, "colour")),
		 json_member(two, "yes")->boolean);
	snprintf(order, sizeof(order), "%s", elicitation_order(call));
	finish(call, said);
}

static void run_whether(struct tool_call *call)
{
	finish(call, elicitation_is_available(call) ? "can" : "cannot");
}

static const struct schema_field no_fields[] = { { 0 } };
static const struct tool twice = { .name = "twice",
				   .title = "Twice",
				   .description = "Asks twice.",
				   .input = no_fields,
				   .output = no_fields,
				   .run = run_twice };
static const struct tool whether = { .name = "whether",
				     .title = "Whether",
				     .description = "Says whether it can ask.",
				     .input = no_fields,
				     .output = no_fields,
				     .run = run_whether };
static const struct tool *const tools[] = { &twice, &whether, NULL };
static const struct resource *const resources[] = { NULL };
static char declined[64]; /* the order that was declined */

static int load_key(struct store *store, struct crypto_key *key)
{
	*key = one_key;
	return 0;
}

static int decline_order(struct store *store, const char *name, int64_t until_ms)
{
	assert_int_equal(until_ms, now_ms + REQUEST_STATE_LIFETIME_MS);
	snprintf(declined, sizeof(declined), "%s", name);
	return 0;
}

static bool is_order_declined(struct store *store, const char *name)
{
	return strcmp(declined, name) == 0;
}

static struct persistence persistence;

static int set_up(void **state)
{
	static const struct clock_source clock = { fake_now, fake_now, fake_boot,
						   fake_boot_id };

	now_ms = NOW_MS;
	boot_ms = 1000;
	boot_id = "first";
	clock_set_source(&clock);
	arena = arena_new(64 * 1024 * 1024);
	*declined = *said = '\0';
	order[0] = '\0';
	runs = 0;
	second.message = "The second?";
	second.needs_reader = false;
	persistence = fake_persistence;
	persistence.load_key = load_key;
	persistence.decline_order = decline_order;
	persistence.is_order_declined = is_order_declined;
	*state = endpoint_new(&(struct endpoint_options){
		.tools = tools,
		.resources = resources,
		.persistence = &persistence,
	});
	return *state && arena ? 0 : -1;
}

static int tear_down(void **state)
{
	endpoint_free(*state);
	arena_free(arena);
	clock_set_source(NULL);
	return 0;
}

/* The answer to tools/call in 2026-07-28; `params` follow the tool's name. */
static const struct json *call_with(void *endpoint, const char *tool,
				    const char *capabilities, const char *params)
{
	struct exchange exchange = {
		.headers = { { "MCP-Protocol-Version", "2026-07-28" },
			     { "Mcp-Method", "tools/call" },
			     { "Mcp-Name", tool } },
	};
	const char *body = arena_printf(
		arena,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		"\"io.modelcontextprotocol/clientCapabilities\":%s},\"name\":\"%s\"%s}}",
		capabilities, tool, params);
	const struct json *answer;

	fake_exchange_send(endpoint, &exchange, body);
	answer = parse(exchange.body);
	if (json_member(answer, "error"))
		assert_int_equal(exchange.status, 200);
	fake_exchange_close(endpoint, &exchange);
	return answer;
}

static const struct json *call(void *endpoint, const char *params)
{
	return json_member(call_with(endpoint, "twice", "{\"elicitation\":{}}", params),
			   "result");
}

static const char *text_of(const struct json *result)
{
	const struct json *content = json_member(result, "content");

	assert_non_null(content);
	return json_string(json_member(content->first, "text"));
}

/* The requestState of an answer that asks the question `key`. */
static const char *state_of(const struct json *result, const char *key)
{
	assert_string_equal(json_string(json_member(result, "resultType")),
			    "input_required");
	assert_string_equal(json_member(result, "inputRequests")->first->name, key);
	return json_string(json_member(result, "requestState"));
}

static const char *reply(const char *state, const char *responses)
{
	return arena_printf(arena, ",\"requestState\":\"%s\",\"inputResponses\":%s",
			    state, responses);
}

#define GREEN "{\"first\":{\"action\":\"accept\",\"content\":{\"colour\":\"g\"}}}"
#define YES   "{\"second\":{\"action\":\"accept\",\"content\":{\"yes\":true}}}"

FIXTURE(set_up, tear_down)

/* Both rounds have the same order, and so has each repetition. */
TEST(test_all_rounds_and_replays_have_one_order)
{
	const char *one = state_of(call(*state, ""), "first");
	const char *two = state_of(call(*state, reply(one, GREEN)), "second");
	const char *again = state_of(call(*state, reply(two, "{}")), "second");
	const char *name;

	text_of(call(*state, reply(two, YES)));
	name = arena_copy(arena, order, strlen(order));
	text_of(call(*state, reply(again, YES)));
	assert_string_equal(order, name);
	one = state_of(call(*state, ""), "first");
	two = state_of(call(*state, reply(one, GREEN)), "second");
	text_of(call(*state, reply(two, YES)));
	assert_string_not_equal(order, name);
}

TEST(test_an_answer_counts_only_for_the_question_the_user_saw)
{
	const char *one = state_of(call(*state, ""), "first");
	const char *two;

	state_of(call(*state, reply(one, YES)), "first");
	two = state_of(call(*state, reply(one, GREEN)), "second");
	state_of(call(*state, reply(two, GREEN)), "second");
	second.message = "Another second?"; /* the user saw another text */
	two = state_of(call(*state, reply(two, YES)), "second");
	assert_string_equal(text_of(call(*state, reply(two, YES))), "g and 1");
}

/* The fake clocks stand still between the question and an answer at once. */
TEST(test_an_answer_that_nobody_can_have_read_counts_as_none)
{
	static const char *const answers[] = { YES,
					       "{\"second\":{\"action\":\"decline\"}}",
					       "{\"second\":{\"action\":\"cancel\"}}" };
	const char *one, *two;

	second.needs_reader = true;
	one = state_of(call(*state, ""), "first");
	two = state_of(call(*state, reply(one, GREEN)), "second");
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		boot_ms += i == 1 ? ELICITATION_READING_MS - 1 : 0;
		assert_string_equal(text_of(call(*state, reply(two, answers[i]))),
				    "dismissed");
	}
	boot_ms++;
	assert_string_equal(text_of(call(*state, reply(two, answers[2]))), "dismissed");
	assert_string_equal(text_of(call(*state, reply(two, YES))), "g and 1");
	assert_string_equal(text_of(call(*state, reply(two, answers[1]))), "declined");
	assert_string_equal(text_of(call(*state, reply(two, YES))), "declined");
}

TEST(test_a_question_is_repeated_once_after_an_answer_that_does_not_fit)
{
	static const char wrong[] =
		"{\"first\":{\"action\":\"accept\",\"content\":{\"colour\":\"x\"}}}";
	const char *one = state_of(call(*state, ""), "first");
	const char *again = state_of(call(*state, reply(one, wrong)), "first");

	again = state_of(call(*state, reply(again, "{}")), "first"); /* still open */
	assert_string_equal(text_of(call(*state, reply(again, wrong))), "unable");
	state_of(call(*state, reply(again, GREEN)), "second");
}

TEST(test_only_a_client_that_declares_form_mode_can_be_asked)
{
	static const struct {
		const char *declared, *outcome;
	} cases[] = {
		{ "{}", "cannot" },
		{ "{\"sampling\":{}}", "cannot" },
		{ "{\"elicitation\":{\"url\":{}}}", "cannot" },
		{ "{\"elicitation\":{}}", "can" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct json *answer =
			call_with(*state, "whether", cases[i].declared, "");

		assert_string_equal(text_of(json_member(answer, "result")),
				    cases[i].outcome);
	}
}

TEST(test_a_request_state_reads_back_as_written)
{
	struct elicitation_2026_state read;

	assert_int_equal(read_state(write_state(), &one_key, &read), 0);
	assert_string_equal(read.order, "order");
	assert_string_equal(read.call, "call");
	assert_string_equal(read.question, "sim");
	assert_string_equal(read.seen, "seen");
	assert_string_equal(read.answers->first->name, "a");
}

TEST(test_a_request_state_of_another_key_is_refused)
{
	struct elicitation_2026_state read;

	assert_int_equal(read_state(write_state(), &other_key, &read),
			 REQUEST_STATE_E_FORGED);
}

TEST(test_a_request_state_with_any_changed_bit_is_refused)
{
	const char *text = write_state();
	size_t length = strlen(text);
	char *changed = arena_copy(arena, text, length);
	struct elicitation_2026_state read;

	for (size_t at = 0; at < length; at++)
		for (int bit = 0; bit < 7; bit++) {
			changed[at] = (char)(text[at] ^ 1 << bit);
			assert_int_equal(read_state(changed, &one_key, &read),
					 REQUEST_STATE_E_FORGED);
			changed[at] = text[at];
		}
	for (size_t cut = 0; cut < length; cut++)
		assert_int_equal(
			read_state(arena_copy(arena, text, cut), &one_key, &read),
			REQUEST_STATE_E_FORGED);
	assert_int_equal(read_state(changed, &one_key, &read), 0);
}

TEST(test_a_request_state_expires_after_ten_minutes)
{
	static const struct {
		int64_t later_ms;
		int outcome;
	} cases[] = {
		{ 0, 0 },
		{ REQUEST_STATE_LIFETIME_MS - 1, 0 },
		{ REQUEST_STATE_LIFETIME_MS, REQUEST_STATE_E_EXPIRED },
		{ INT64_C(1) << 40, REQUEST_STATE_E_EXPIRED },
		{ -1, REQUEST_STATE_E_EXPIRED }, /* the clock was set back */
	};
	const char *text = write_state();
	struct elicitation_2026_state read;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		now_ms = NOW_MS + cases[i].later_ms;
		assert_int_equal(read_state(text, &one_key, &read), cases[i].outcome);
	}
}

/* Until the phone reboots, setting the wall clock back does not prolong a state. */
TEST(test_a_request_state_expires_whatever_the_wall_clock_says)
{
	const char *text = write_state();
	struct elicitation_2026_state read;

	for (int minute = 1; minute < 10; minute++) {
		boot_ms += 60 * 1000; /* the wall clock is set back each minute */
		assert_int_equal(read_state(text, &one_key, &read), 0);
	}
	boot_ms += 60 * 1000;
	assert_int_equal(read_state(text, &one_key, &read), REQUEST_STATE_E_EXPIRED);
	boot_id = "second"; /* after a reboot only the wall clock counts */
	assert_int_equal(read_state(text, &one_key, &read), 0);
	now_ms += REQUEST_STATE_LIFETIME_MS;
	assert_int_equal(read_state(text, &one_key, &read), REQUEST_STATE_E_EXPIRED);
}
