/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "config/config.h"
#include "store_bench.h"
#include "tools/message_view.h"
#include "tools/services.h"

static const struct message received = {
	.id = 7,
	.direction = MESSAGE_INCOMING,
	.sim_id = 2,
	.number = "+36201234567",
	.text = "hi",
	.state = STATE_RECEIVED,
	.reason = "",
	.uuid = "",
	.created_ms = 1795246200123,
	.sent_time = "2026-11-21T08:30:00+0100",
	.idempotency_key = "",
};

static const struct message failed = {
	.id = 8,
	.direction = MESSAGE_OUTGOING,
	.sim_id = 1,
	.number = "+36201234567",
	.text = "no",
	.segments = 1,
	.state = STATE_FAILED,
	.reason = "network_refused",
	.uuid = "",
	.sent_time = "",
	.idempotency_key = "",
};

static struct config config;
static struct services services = { .config = &config };
static const struct client reader = { .id = 5, .scopes = CLIENT_READ | CLIENT_SEND };
static const struct client trusted = { .id = 6, .scopes = CLIENT_READ | CLIENT_CODES };
static const struct client *who = &reader;

static void expect(const struct message *message, const char *expected)
{
	struct buffer buffer = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&buffer);
	struct view view = { &services, who, writer };

	services.store = store;
	message_view_write(&view, message);
	json_writer_free(writer);
	buffer_append(&buffer, "", 1);
	assert_string_equal(buffer.data, expected);
	buffer_deinit(&buffer);
}

TEST(test_a_received_message_leaves_out_what_says_nothing)
{
	expect(&received, "{\"message_id\":7,\"from\":\"+36201234567\","
			  "\"subscription_id\":2,\"text\":\"hi\","
			  "\"at\":\"2026-11-21T07:30:00+00:00\"}");
}

TEST(test_an_outgoing_message_has_its_state_and_reason)
{
	struct message sent = failed;

	expect(&failed,
	       "{\"message_id\":8,\"to\":\"+36201234567\",\"subscription_id\":1,\"text\":\"no\",\"state\":\"failed\",\"reason\":\"network_refused\",\"at\":\"1970-01-01T00:00:00+00:00\"}");
	sent.state = STATE_SENT;
	sent.reason = "";
	expect(&sent, "{\"message_id\":8,\"to\":\"+"
		      "36201234567\",\"subscription_id\":1,\"text\":\"no\","
		      "\"at\":\"1970-01-01T00:00:00+00:00\"}");
}

TEST(test_text_from_strangers_is_escaped_and_flagged)
{
	struct message message = received;

	message.sim_id = 0;
	message.number = "Ba\u202enk\x1b";
	message.text = "\u202e\"}";
	message.sent_time = "never\x07";
	message.read_ms = 1;
	message.flags = MESSAGE_REPAIRED | MESSAGE_UNREADABLE | MESSAGE_IMMEDIATE |
			MESSAGE_CLOCK_WRONG;
	message.repeats = 3;
	expect(&message,
	       "{\"message_id\":7,\"from\":\"Ba\\\\u{202E}nk\\\\u{1B}\",\"trust\":\"unverified_name\",\"text\":\"\\\\u{202E}\\\"}\",\"at\":\"2026-11-21T07:30:00+00:00\",\"read\":true,\"flags\":[\"escaped\",\"repaired\",\"undecodable_or_empty\",\"immediate\",\"clock_wrong\",\"repeated 3\"]}");
}

/* Received at 07:30 UTC. */
TEST(test_the_networks_timestamp_is_shown_if_it_differs)
{
	static const char *const stamps[][2] = {
		{ "2026-11-21T08:30:00+0100", NULL },
		{ "2026-11-21T04:00:59-0330", NULL },
		{ "2026-11-21T07:30:00Z", NULL },
		{ "x", NULL },
		{ "", NULL },
		{ "2026-11-21T08:27:00+0100",
		  "\"sent_time\":\"2026-11-21T07:27:00+00:00\"" },
		{ "2026-11-21T08:30:00-0330",
		  "\"sent_time\":\"2026-11-21T12:00:00+00:00\"" },
		{ "2026-11-21T08:30:00Z", "\"sent_time\":\"2026-11-21T08:30:00+00:00\"" },
	};
	struct message message = received;

	for (size_t i = 0; i < sizeof(stamps) / sizeof(*stamps); i++) {
		struct buffer buffer = BUFFER_INIT;
		struct json_writer *writer = json_writer_new(&buffer);
		struct view view = { &services, who, writer };

		message.sent_time = stamps[i][0];
		message_view_write(&view, &message);
		json_writer_free(writer);
		buffer_append(&buffer, "", 1);
		if (stamps[i][1])
			assert_non_null(strstr(buffer.data, stamps[i][1]));
		else
			assert_null(strstr(buffer.data, "sent_time"));
		buffer_deinit(&buffer);
	}
}

TEST(test_the_usual_sim_is_not_repeated)
{
	struct message message = received;
	struct buffer buffer = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&buffer);
	struct view view = { &services, who, writer, .usual_sim_id = 2 };

	json_open_array(writer);
	message_view_write(&view, &message);
	message.sim_id = 1;
	message_view_write(&view, &message);
	message.sim_id = 0;
	message_view_write(&view, &message);
	json_close_array(writer);
	json_writer_free(writer);
	buffer_append(&buffer, "", 1);
	assert_null(strstr(buffer.data, "\"subscription_id\":2"));
	assert_non_null(strstr(buffer.data, "\"subscription_id\":1"));
	assert_non_null(strstr(buffer.data, "\"subscription_id\":0"));
	buffer_deinit(&buffer);
}

/* A wrong answer to "was it sent?" makes an agent send again, or not at all. */
TEST(test_the_meaning_says_whether_it_was_sent)
{
	assert_non_null(strstr(message_view_meaning(STATE_FAILED, "network_refused", 1),
			       "It was not sent"));
	assert_non_null(strstr(message_view_meaning(STATE_FAILED, "network_refused", 2),
			       "earlier ones may have arrived"));
	assert_non_null(strstr(message_view_meaning(STATE_FAILED, "invalid_text", 2),
			       "It was not sent"));
	assert_non_null(strstr(message_view_meaning(STATE_UNKNOWN, "unknown_outcome", 1),
			       "It may have been sent"));
	assert_string_equal(
		message_view_meaning(STATE_QUEUED, "", 1),
		"It waits in the gateway and goes out as soon as its SIM can send.");
}

/* `text`: how the member begins; `flags`: a part of the JSON. */
static void expect_text(const struct message *message, const char *text,
			const char *flags)
{
	struct buffer buffer = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&buffer);
	struct view view = { &services, who, writer };
	const char *at;

	services.store = store;
	message_view_write(&view, message);
	json_writer_free(writer);
	buffer_append(&buffer, "", 1);
	at = strstr(buffer.data, "\"text\":");
	assert_non_null(at);
	assert_memory_equal(at, text, strlen(text));
	assert_non_null(strstr(buffer.data, flags));
	buffer_deinit(&buffer);
}

TEST(test_codes_are_masked_for_clients_without_the_scope)
{
	struct message message = received;

	message.text = "Code 482910: https://a.example/482910";
	expect_text(&message,
		    "\"text\":\"Code ******: https://a.example/******\",\"masked\":true,",
		    "\"flags\":[\"contains_link\",\"looks_like_code\"]");
	who = NULL;
	expect_text(&message, "\"text\":\"Code ******", "looks_like_code");
	who = &trusted;
	expect_text(&message, "\"text\":\"Code 482910: https://a.example/482910\",\"at\"",
		    "\"flags\":[\"contains_link\",\"looks_like_code\"]");
	who = &reader;
}

TEST(test_secrets_of_service_texts_are_for_the_owner_alone)
{
	static const struct client owner = { .id = CLIENT_OWNER, .scopes = CLIENT_CODES };
	struct message message = received;

	message.text = "//VVM:STATUS:st=R;u=ann;pw=zq8236";
	message.flags = MESSAGE_SERVICE;
	for (int i = 0; i < 3; i++) {
		who = i == 0 ? NULL : i == 1 ? &reader : &trusted;
		expect_text(
			&message,
			"\"text\":\"//VVM:STATUS:st=R;u=******;pw=******\",\"masked\":true,",
			"\"flags\":[\"service\"]");
	}
	who = &owner;
	expect_text(&message, "\"text\":\"//VVM:STATUS:st=R;u=ann;pw=zq8236\",\"at\"",
		    "\"flags\":[\"service\"]");
	who = &reader;
}

TEST(test_a_client_reads_the_codes_that_it_sent_itself)
{
	struct message message = failed;

	message.text = "my code is 482910";
	message.client_id = reader.id;
	expect_text(&message, "\"text\":\"my code is 482910\",\"state\"",
		    "looks_like_code");
	message.client_id = trusted.id;
	expect_text(&message, "\"text\":\"my code is ******\",\"masked\":true", "[");
}

static bool has(const struct message *message, const char *words)
{
	struct view view = { &services, who, NULL };

	return message_view_contains(&view, message, words);
}

TEST(test_a_search_does_not_find_masked_codes)
{
	struct message message = received;

	message.text = "Your CODE is 482910";
	assert_true(has(&message, NULL));
	assert_true(has(&message, "your code"));
	assert_false(has(&message, "482910"));
	assert_false(has(&message, "4"));
	assert_false(has(&message, "is 4"));
	who = &trusted;
	assert_true(has(&message, "482910"));
	who = &reader;
}

static int set_up(void **state)
{
	config_defaults(&config);
	return store_set_up_with_cards(state);
}

static int tear_down(void **state)
{
	return store_tear_down(state);
}

GROUP_FIXTURE(set_up, tear_down)
