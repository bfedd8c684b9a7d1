/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages through a phone's gateway, with a test in place of broker, link and gateway. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit_test.h"
#include "base/explanation.h"
#include "config/config.h"
#include "hub/hub_call.h"
#include "ofono/message.h"
#include "remote/remote_private.h"
#include "store/store.h"

#include "patience.h"

struct bench {
	char folder[32];
	struct store *store;
	struct config config;
	struct ofono ofono;
	struct remote_feed feed;
	struct remote_modem *modem;
	enum message_send_outcome outcome;
	unsigned answers;
	char uuid[MESSAGE_UUID_BYTES], expected_uuid[MESSAGE_UUID_BYTES];
	struct observer observer;
	char heard[64];
};

static int bench_publish(void *data, const struct mqtt_message *message,
			 void (*done)(void *done_data, enum mqtt_outcome outcome),
			 void *done_data)
{
	free(done_data);
	return 0;
}

static int set_up(void **state)
{
	static const struct hub_phones_transport transport = { bench_publish, NULL };
	struct bench *bench = calloc(1, sizeof(*bench));
	struct hub_phones_parts parts = { .config = &bench->config,
					  .transport = &transport };
	struct explanation error;
	struct join_code code;

	strcpy(bench->folder, "/tmp/hub-XXXXXX");
	assert_non_null(mkdtemp(bench->folder));
	assert_int_equal(store_open(bench->folder, &bench->store, &error), 0);
	assert_true(sd_event_new(&bench->ofono.loop) >= 0);
	config_defaults(&bench->config);
	strcpy(bench->config.broker_address, "127.0.0.1:1883");
	parts.loop = bench->ofono.loop;
	parts.store = bench->store;
	assert_int_equal(hub_phones_new(&parts, &bench->ofono.phones), 0);
	assert_int_equal(
		hub_phones_enrol(bench->ofono.phones, "shop-1", "", &code, &error), 0);
	observers_init(&bench->ofono.observers);
	TAILQ_INIT(&bench->ofono.modems);
	bench->feed.ofono = &bench->ofono;
	bench->feed.phone = hub_phones_find(bench->ofono.phones, "shop-1");
	bench->feed.phone->row.joined_ms = 1;
	bench->modem = calloc(1, sizeof(*bench->modem));
	bench->modem->feed = &bench->feed;
	bench->modem->modem.ofono = &bench->ofono;
	remote_write_uuid(bench->feed.phone, 1, 2, bench->expected_uuid);
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;
	char command[64];

	hub_phones_free(bench->ofono.phones);
	store_close(bench->store);
	sd_event_unref(bench->ofono.loop);
	snprintf(command, sizeof(command), "rm -r %s", bench->folder);
	assert_int_equal(system(command), 0);
	free(bench->modem);
	free(bench);
	return 0;
}

static void on_answer(void *data, const struct message_send_result *result)
{
	struct bench *bench = data;

	bench->answers++;
	bench->outcome = result->outcome;
	strcpy(bench->uuid, result->uuid);
}

FIXTURE(set_up, tear_down)

static void gateway_accepts(struct bench *bench)
{
	static const struct fleet_frame frame = { .kind = FLEET_ANSWER };
	static const char text[] =
		"{\"result\":{\"structuredContent\":{\"message_id\":1,\"state\":\"queued\"}}}";

	hub_call_take(TAILQ_FIRST(&bench->feed.phone->calls), &frame, text, strlen(text));
}

static void submit(struct bench *bench)
{
	static const struct message_order order = {
		.id = 1, .attempt = 2, .number = "+36201234567", .text = "x"
	};

	assert_non_null(message_send(&bench->modem->modem, &order, on_answer, bench));
}

static void assert_accepted(struct bench *bench)
{
	assert_true(sd_event_run(bench->ofono.loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->answers, 1);
	assert_int_equal(bench->outcome, SEND_ACCEPTED);
	assert_string_equal(bench->uuid, bench->expected_uuid);
}

/* Its outcome is asked for; the message is not refused, and no other phone may send it. */
TEST(test_a_repeat_of_a_message_that_ended_at_the_phone_finds_it)
{
	static const struct fleet_frame frame = { .kind = FLEET_ANSWER };
	static const char text[] =
		"{\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"{"
		"\\\"code\\\":\\\"approval_rejected\\\",\\\"message_id\\\":1,"
		"\\\"state\\\":\\\"failed\\\",\\\"replayed\\\":true}\"}]}}";
	struct bench *bench = *state;

	submit(bench);
	hub_call_take(TAILQ_FIRST(&bench->feed.phone->calls), &frame, text, strlen(text));
	assert_true(sd_event_run(bench->ofono.loop, patience_us(1000000)) > 0);
	assert_int_equal(bench->outcome, SEND_FOUND);
	assert_string_equal(bench->uuid, bench->expected_uuid);
}

TEST(test_an_answer_counts_although_the_sim_has_left_the_phone)
{
	struct bench *bench = *state;

	submit(bench);
	memset(bench->modem, 0xff, sizeof(*bench->modem)); /* as memory that is reused */
	gateway_accepts(bench);
	assert_accepted(bench);
}

TEST(test_an_answer_counts_although_the_phone_is_expelled)
{
	struct bench *bench = *state;

	submit(bench);
	gateway_accepts(bench);
	memset(bench->modem, 0xff, sizeof(*bench->modem));
	assert_int_equal(hub_phones_revoke(bench->ofono.phones, bench->feed.phone), 0);
	assert_accepted(bench);
}

static void hear(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct bench *bench = data;

	assert_string_equal(event->uuid, bench->expected_uuid);
	snprintf(bench->heard + strlen(bench->heard),
		 sizeof(bench->heard) - strlen(bench->heard), "%s ",
		 event->type == MESSAGE_STATE
			 ? (event->state == MESSAGE_SENT ? "sent" : "?")
		 : event->delivered ? "delivered"
				    : "refused");
}

static void on_listed(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count)
{
	struct bench *bench = data;

	bench->answers += count == 1;
}

static void on_cancelled(void *data, enum message_cancel_outcome outcome)
{
	struct bench *bench = data;

	bench->answers += outcome == CANCEL_REFUSED;
}

static void ask_by_sending(struct bench *bench, const struct message_order *order)
{
	assert_non_null(message_send(&bench->modem->modem, order, on_answer, bench));
}

static void ask_by_listing(struct bench *bench, const struct message_order *order)
{
	assert_non_null(message_list(&bench->modem->modem, order, on_listed, bench));
}

static void ask_by_cancelling(struct bench *bench, const struct message_order *order)
{
	assert_non_null(message_cancel(&bench->modem->modem, order, on_cancelled, bench));
}

/* The feed may have brought the same before the message was known by its UUID. */
TEST(test_each_answer_tells_the_delivery_too)
{
	static const struct fleet_frame frame = { .kind = FLEET_ANSWER };
	static const struct message_order order = { .id = 1,
						    .attempt = 2,
						    .number = "+36201234567",
						    .text = "x",
						    .is_repeat = true };
	static void (*const ways[])(struct bench *, const struct message_order *) = {
		ask_by_sending, ask_by_listing, ask_by_cancelling
	};
	static const struct {
		const char *facts, *heard;
	} rows[] = {
		{ "\"state\":\"delivered\"", "sent delivered " },
		{ "\"state\":\"sent\",\"delivery\":\"refused\"", "sent refused " },
		{ "\"state\":\"sent\",\"delivery\":\"awaited\"", "sent " },
	};
	struct bench *bench = *state;
	char text[128];

	TAILQ_INSERT_TAIL(&bench->ofono.modems, &bench->modem->modem, link);
	observer_add(&bench->ofono.observers, &bench->observer, hear, bench);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
			bench->answers = 0;
			bench->heard[0] = '\0';
			ways[way](bench, &order);
			snprintf(text, sizeof(text),
				 "{\"result\":{\"structuredContent\":{%s}}}",
				 rows[i].facts);
			hub_call_take(TAILQ_FIRST(&bench->feed.phone->calls), &frame,
				      text, strlen(text));
			assert_true(sd_event_run(bench->ofono.loop,
						 patience_us(1000000)) > 0);
			assert_int_equal(bench->answers, 1);
			assert_string_equal(bench->heard, rows[i].heard);
		}
	}
	observer_remove(&bench->observer);
}
