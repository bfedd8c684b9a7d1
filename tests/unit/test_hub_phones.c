/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hub's phones, with a test in place of the broker and of the links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit_test.h"
#include "base/buffer.h"
#include "base/explanation.h"
#include "config/config.h"
#include "fleet/fleet_topic.h"
#include "hub/hub_phone.h"
#include "store/store.h"

#include "patience.h"

struct bench {
	char folder[32];
	sd_event *loop;
	struct store *store;
	struct config config;
	struct hub_phones_transport transport;
	struct hub_phones *phones;
	/* what was published last */
	unsigned published;
	char topic[FLEET_TOPIC_BYTES];
	char payload[4096];
	size_t length;
	uint8_t correlation[FLEET_CORRELATION_BYTES];
	void (*done)(void *data, enum mqtt_outcome outcome);
	void *done_data;
	/* the link */
	struct fleet_frame_key key;
	uint8_t session[FLEET_SESSION_BYTES];
	/* the answer */
	unsigned answers;
	enum hub_call_outcome outcome;
	char code[64];
	int64_t value;
};

static int bench_publish(void *data, const struct mqtt_message *message,
			 void (*done)(void *done_data, enum mqtt_outcome outcome),
			 void *done_data)
{
	struct bench *bench = data;

	bench->published++;
	strcpy(bench->topic, message->topic);
	assert_true(message->length <= sizeof(bench->payload));
	memcpy(bench->payload, message->payload, message->length);
	bench->length = message->length;
	memcpy(bench->correlation, message->correlation, sizeof(bench->correlation));
	free(bench->done_data);
	bench->done = done;
	bench->done_data = done_data;
	return 0;
}

static void bench_puback(struct bench *bench, enum mqtt_outcome outcome)
{
	void *data = bench->done_data;

	bench->done_data = NULL;
	bench->done(data, outcome);
}

static void bench_open(struct bench *bench)
{
	const struct hub_phones_parts parts = { bench->loop, &bench->config, bench->store,
						&bench->transport };

	assert_int_equal(hub_phones_new(&parts, &bench->phones), 0);
}

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct explanation error;

	strcpy(bench->folder, "/tmp/hub-XXXXXX");
	assert_non_null(mkdtemp(bench->folder));
	assert_int_equal(store_open(bench->folder, &bench->store, &error), 0);
	assert_true(sd_event_new(&bench->loop) >= 0);
	config_defaults(&bench->config);
	strcpy(bench->config.broker_address, "127.0.0.1:1883");
	bench->config.broker_phones_tls = false;
	bench->transport = (struct hub_phones_transport){ bench_publish, bench };
	bench_open(bench);
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;
	char command[64];

	hub_phones_free(bench->phones);
	store_close(bench->store);
	sd_event_unref(bench->loop);
	free(bench->done_data);
	snprintf(command, sizeof(command), "rm -r %s", bench->folder);
	assert_int_equal(system(command), 0);
	free(bench);
	return 0;
}

static struct hub_phone *enrolled(struct bench *bench)
{
	struct explanation error = { "" };
	struct join_code code;

	assert_int_equal(hub_phones_enrol(bench->phones, "shop-1", "", &code, &error), 0);
	assert_int_equal(code.port, 1883);
	bench->key = code.secret;
	memset(bench->session, 7, sizeof(bench->session));
	return hub_phones_find(bench->phones, "shop-1");
}

/* The link publishes; `correlate`: as the answer to what was published last. */
static void link_says(struct bench *bench, const struct fleet_frame *frame,
		      const char *text, bool correlate)
{
	struct buffer sealed = BUFFER_INIT;
	char topic[FLEET_TOPIC_BYTES];
	const struct fleet_frame_place place = { topic,
						 correlate ? bench->correlation : NULL,
						 correlate ? sizeof(bench->correlation)
							   : 0 };
	struct mqtt_message message = { .topic = topic };

	if (frame->kind == FLEET_HERE)
		fleet_topic_here("ofono", "shop-1", topic);
	else
		fleet_topic_answer("ofono", "shop-1", topic);
	assert_int_equal(
		fleet_frame_seal(&bench->key, frame, &place, text, strlen(text), &sealed),
		0);
	message.payload = sealed.data;
	message.length = sealed.length;
	message.correlation = place.correlation;
	message.correlation_length = place.correlation_length;
	hub_phones_receive(bench->phones, &message);
	buffer_deinit(&sealed);
}

static void link_is_here(struct bench *bench, const char *text)
{
	struct fleet_frame frame = { .kind = FLEET_HERE };

	memcpy(frame.session, bench->session, sizeof(frame.session));
	link_says(bench, &frame, text, false);
}

/* Opens what the hub published last, as the link. */
static struct fleet_frame link_opens(struct bench *bench, struct buffer *text)
{
	const struct fleet_frame_place place = { bench->topic, bench->correlation,
						 sizeof(bench->correlation) };
	struct fleet_frame frame;

	assert_int_equal(fleet_frame_open(&bench->key, &place, bench->payload,
					  bench->length, &frame, text),
			 0);
	return frame;
}

static struct hub_phone *joined(struct bench *bench)
{
	struct hub_phone *phone = enrolled(bench);
	struct buffer text = BUFFER_INIT;
	struct fleet_frame frame;

	link_is_here(bench, "{\"state\":\"here\"}");
	frame = link_opens(bench, &text);
	assert_int_equal(frame.kind, FLEET_REKEY);
	assert_int_equal(text.length, FLEET_KEY_BYTES);
	assert_false(phone->is_present);
	frame.kind = FLEET_REKEYED;
	link_says(bench, &frame, "", true);
	memcpy(bench->key.bytes, text.data, sizeof(bench->key.bytes));
	buffer_deinit(&text);
	assert_true(sd_event_run(bench->loop, patience_us(1000000)) > 0);
	assert_true(phone->row.joined_ms > 0);
	assert_true(phone->is_present);
	return phone;
}

static void on_answer(void *data, const struct hub_call_answer *answer)
{
	struct bench *bench = data;

	bench->answers++;
	bench->outcome = answer->outcome;
	snprintf(bench->code, sizeof(bench->code), "%s",
		 answer->error_code ? answer->error_code : "");
	json_integer(json_member(answer->result, "value"), &bench->value);
}

static struct hub_call *called(struct bench *bench, struct hub_phone *phone)
{
	static const struct hub_call_facts facts = { "an agent", 0xe };
	struct buffer arguments = BUFFER_INIT;
	struct hub_call *call;

	buffer_append_text(&arguments, "{\"limit\":1}");
	call = hub_call_new(phone, "list_changes", &arguments, &facts, 60000, on_answer,
			    bench);
	buffer_deinit(&arguments);
	assert_non_null(call);
	return call;
}

static void gateway_answers(struct bench *bench, const char *text)
{
	struct buffer request = BUFFER_INIT;
	struct fleet_frame frame = link_opens(bench, &request);

	assert_int_equal(frame.kind, FLEET_REQUEST);
	buffer_deinit(&request);
	frame.kind = FLEET_ANSWER;
	link_says(bench, &frame, text, true);
}

FIXTURE(set_up, tear_down)

TEST(test_the_first_contact_replaces_the_secret_of_the_code)
{
	struct bench *bench = *state;
	struct hub_phone *phone = enrolled(bench);
	struct fleet_frame_key secret = bench->key;

	assert_int_equal(phone->row.joined_ms, 0);
	assert_int_equal(hub_phones_revoke(bench->phones, phone), 0);
	phone = joined(bench);
	assert_memory_not_equal(phone->row.key, secret.bytes, sizeof(secret.bytes));
	assert_false(phone->row.has_next_key);
	bench->key = secret; /* somebody found the code */
	link_is_here(bench, "{\"state\":\"gone\"}");
	assert_true(phone->is_present);
}

TEST(test_a_new_key_survives_a_restart_before_the_link_confirmed_it)
{
	struct bench *bench = *state;
	struct hub_phone *phone = enrolled(bench);
	struct buffer text = BUFFER_INIT;

	link_is_here(bench, "{\"state\":\"here\"}");
	link_opens(bench, &text);
	hub_phones_free(bench->phones);
	bench_open(bench);
	phone = hub_phones_find(bench->phones, "shop-1");
	assert_true(phone->row.has_next_key);
	memcpy(bench->key.bytes, text.data, sizeof(bench->key.bytes));
	buffer_deinit(&text);
	link_is_here(bench, "{\"state\":\"here\"}");
	assert_true(phone->is_present);
	assert_true(phone->row.joined_ms > 0);
	assert_false(phone->row.has_next_key);
}

/* Presence that was retained does not reach a hub that subscribes to "+" at RabbitMQ. */
TEST(test_a_phone_that_says_nothing_is_asked_after_each_connection)
{
	struct bench *bench = *state;
	struct hub_phone *phone = joined(bench);
	unsigned published = bench->published;

	hub_phones_set_connected(bench->phones, false, "gone");
	assert_false(phone->is_present);
	hub_phones_set_connected(bench->phones, true, "connected");
	while (bench->published == published)
		assert_true(sd_event_run(bench->loop, patience_us(10000000)) > 0);
	gateway_answers(
		bench,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structuredContent\":{}}}");
	assert_true(phone->is_present);
}

/* The question was for a link that was not there yet. */
TEST(test_a_link_that_comes_while_its_phone_is_asked_gets_its_key)
{
	struct bench *bench = *state;
	struct buffer text = BUFFER_INIT;

	enrolled(bench);
	hub_phones_set_connected(bench->phones, true, "connected");
	while (!bench->published)
		assert_true(sd_event_run(bench->loop, patience_us(10000000)) > 0);
	link_is_here(bench, "{\"state\":\"here\"}");
	assert_int_equal(bench->published, 2);
	assert_int_equal(link_opens(bench, &text).kind, FLEET_REKEY);
	buffer_deinit(&text);
}

TEST(test_an_answer_reaches_its_call)
{
	struct bench *bench = *state;
	struct hub_phone *phone = joined(bench);

	called(bench, phone);
	bench_puback(bench, MQTT_DELIVERED);
	gateway_answers(bench, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
			       "\"structuredContent\":{\"value\":42}}}");
	assert_int_equal(bench->answers, 0);
	assert_true(sd_event_run(bench->loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->answers, 1);
	assert_int_equal(bench->outcome, HUB_CALL_ANSWERED);
	assert_int_equal(bench->value, 42);
}

TEST(test_a_refusal_of_the_gateway_has_its_code)
{
	struct bench *bench = *state;

	called(bench, joined(bench));
	gateway_answers(bench,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"isError\":true,"
			"\"content\":[{\"type\":\"text\",\"text\":"
			"\"{\\\"code\\\":\\\"not_registered\\\"}\"}]}}");
	assert_true(sd_event_run(bench->loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->outcome, HUB_CALL_ANSWERED);
	assert_string_equal(bench->code, "not_registered");
}

/* The link forgets newer hubs with its restart, and then its gateway refuses. */
TEST(test_a_phone_that_works_with_a_newer_hub_stays_absent)
{
	struct bench *bench = *state;
	struct hub_phone *phone = joined(bench);

	called(bench, phone);
	bench_puback(bench, MQTT_DELIVERED);
	gateway_answers(bench,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"isError\":true,"
			"\"content\":[{\"type\":\"text\",\"text\":"
			"\"{\\\"code\\\":\\\"stale_hub\\\"}\"}]}}");
	assert_true(phone->is_stale);
	assert_false(phone->is_present);
	assert_true(sd_event_run(bench->loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->outcome, HUB_CALL_ABSENT);
	link_is_here(bench, "{\"state\":\"here\"}");
	assert_false(phone->is_present);
}

TEST(test_a_phone_without_a_connection_is_absent_at_once)
{
	struct bench *bench = *state;
	struct hub_phone *phone = joined(bench);

	called(bench, phone);
	bench_puback(bench, MQTT_ABSENT);
	assert_false(phone->is_present);
	assert_true(sd_event_run(bench->loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->outcome, HUB_CALL_ABSENT);
}

TEST(test_a_request_that_the_link_had_is_silent_when_its_will_comes)
{
	struct bench *bench = *state;
	struct hub_phone *phone = joined(bench);

	called(bench, phone);
	bench_puback(bench, MQTT_DELIVERED);
	link_is_here(bench, "{\"state\":\"gone\"}");
	assert_false(phone->is_present);
	assert_true(sd_event_run(bench->loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->outcome, HUB_CALL_SILENT);
}

TEST(test_a_request_follows_the_link_into_its_session)
{
	struct bench *bench = *state;
	struct hub_phone *phone = joined(bench);
	struct buffer text = BUFFER_INIT;
	struct fleet_frame frame;

	called(bench, phone);
	frame = link_opens(bench, &text);
	buffer_clear(&text);
	bench->published = 0;
	frame.kind = FLEET_OTHER_SESSION;
	memset(bench->session, 9, sizeof(bench->session));
	memcpy(frame.session, bench->session, sizeof(frame.session));
	link_says(bench, &frame, "", true);
	assert_int_equal(bench->published, 1);
	frame = link_opens(bench, &text);
	assert_memory_equal(frame.session, bench->session, sizeof(frame.session));
	buffer_deinit(&text);
	gateway_answers(bench, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
			       "\"structuredContent\":{\"value\":1}}}");
	assert_true(sd_event_run(bench->loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->outcome, HUB_CALL_ANSWERED);
}

TEST(test_a_forged_answer_and_a_replayed_one_change_nothing)
{
	struct bench *bench = *state;
	struct hub_phone *phone = joined(bench);
	struct hub_call *call = called(bench, phone);
	struct fleet_frame_key key = bench->key;
	struct buffer text = BUFFER_INIT;
	struct fleet_frame frame = link_opens(bench, &text);

	buffer_deinit(&text);
	frame.kind = FLEET_ANSWER;
	memset(bench->key.bytes, 1, sizeof(bench->key.bytes));
	link_says(bench, &frame, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", true);
	bench->key = key;
	frame.number--;
	link_says(bench, &frame, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", true);
	assert_int_equal(sd_event_run(bench->loop, 0), 0);
	assert_int_equal(bench->answers, 0);
	hub_call_stop(call);
}

TEST(test_each_start_has_a_higher_epoch_and_the_same_id)
{
	struct bench *bench = *state;
	uint64_t epoch = hub_phones_epoch(bench->phones);
	char id[32];

	snprintf(id, sizeof(id), "%s", hub_phones_id(bench->phones));
	assert_int_equal(strlen(id), 16);
	hub_phones_free(bench->phones);
	bench_open(bench);
	assert_true(hub_phones_epoch(bench->phones) > epoch);
	assert_string_equal(hub_phones_id(bench->phones), id);
}
