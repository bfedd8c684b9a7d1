/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <netdb.h>

#include "mqtt/mqtt.h"

#include "unit_test.h"
#include "loop_wait.h"
#include "mqtt_broker.h"
#include "patience.h"

#define BENCH_WAIT_MS (patience_ms(30 * 1000))

enum { BENCH_CLIENTS = 2, BENCH_GAPS = 6 };

#define BENCH_CONFIG                                                          \
	"user root\nlog_dest none\nlistener 1883 127.0.0.1\nallow_anonymous " \
	"true\nset_tcp_nodelay "                                              \
	"true\n"

struct client {
	struct mqtt *mqtt;
	struct mqtt_settings settings;
	struct mqtt_message will;
	int readies, gones, messages, done;
	char why[256], topic[128], payload[512], response[128], correlation[64];
	size_t correlation_length;
	bool retain;
	enum mqtt_outcome outcome;
	int outcomes[MQTT_LOST + 1];
	int64_t gone_ms[BENCH_GAPS];
	unsigned rest_s;
};

struct bench {
	sd_event *loop;
	struct mqtt_broker broker;
	struct client clients[BENCH_CLIENTS];
	/* a broker that the test plays by hand */
	int listener, peer;
	char heard[8192];
	size_t heard_length;
};

static struct bench bench;

#define BENCH_WAIT(condition) LOOP_WAIT(bench.loop, 20000, BENCH_WAIT_MS, condition)

/* Callbacks */

static const struct mqtt_message *client_will(void *data)
{
	struct client *client = data;

	return client->will.topic ? &client->will : NULL;
}

static void client_on_ready(void *data)
{
	((struct client *)data)->readies++;
}

static void client_on_gone(void *data, const char *why)
{
	struct client *client = data;

	client->gone_ms[client->gones % BENCH_GAPS] = clock_monotonic_ms();
	client->gones++;
	snprintf(client->why, sizeof(client->why), "%s", why);
	if (client->rest_s)
		mqtt_rest(client->mqtt, client->rest_s);
}

static void client_on_message(void *data, const struct mqtt_message *message)
{
	struct client *client = data;

	client->messages++;
	client->retain = message->retain;
	snprintf(client->topic, sizeof(client->topic), "%s", message->topic);
	snprintf(client->payload, sizeof(client->payload), "%.*s", (int)message->length,
		 message->payload);
	snprintf(client->response, sizeof(client->response), "%s",
		 message->response_topic ? message->response_topic : "");
	client->correlation_length = message->correlation_length;
	if (message->correlation_length)
		memcpy(client->correlation, message->correlation,
		       message->correlation_length);
}

static void client_on_done(void *data, enum mqtt_outcome outcome)
{
	struct client *client = data;

	client->done++;
	client->outcome = outcome;
	client->outcomes[outcome]++;
}

/* Steps */

static struct client *client_prepare(int number)
{
	static const char *const names[BENCH_CLIENTS] = { "first", "second" };
	struct client *client = &bench.clients[number];

	*client = (struct client){
		.settings = { .host = "127.0.0.1",
			      .port = MQTT_BROKER_PORT,
			      .client_id = names[number],
			      .keep_alive_s = 60,
			      .retry_max_s = 1,
			      .message_max = 4096,
			      .will = client_will,
			      .ready = client_on_ready,
			      .gone = client_on_gone,
			      .message = client_on_message,
			      .data = client },
	};
	return client;
}

static void client_start(struct client *client)
{
	client->mqtt = mqtt_new(bench.loop, &client->settings);
	assert_non_null(client->mqtt);
}

static struct client *client_connect(int number, const char *filter)
{
	struct client *client = client_prepare(number);

	client->settings.filters[0] = filter;
	client_start(client);
	BENCH_WAIT(client->readies == 1);
	return client;
}

static enum mqtt_outcome client_publish(struct client *client, const char *topic,
					const char *text)
{
	struct mqtt_message message = { .topic = topic,
					.payload = text,
					.length = strlen(text) };
	int done = client->done;

	assert_int_equal(mqtt_publish(client->mqtt, &message, client_on_done, client), 0);
	assert_int_equal(client->done, done); /* never before it returned */
	BENCH_WAIT(client->done == done + 1);
	return client->outcome;
}

static void bench_configure(const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", BENCH_CONFIG, more);
	assert_true(mqtt_broker_write(&bench.broker, "mosquitto.conf", text));
}

static void bench_start_broker(void)
{
	assert_true(mqtt_broker_start(&bench.broker, MQTT_BROKER_PORT));
}

static void bench_restart_broker(void)
{
	mqtt_broker_kill(&bench.broker);
	bench_start_broker();
}

/* The broker that the test plays */

static bool bench_turn(void)
{
	sd_event_run(bench.loop, 1000);
	return true;
}

static void bench_accept(void)
{
	int64_t until_ms = clock_monotonic_ms() + BENCH_WAIT_MS;

	do {
		assert_true(clock_monotonic_ms() < until_ms);
		bench_turn();
		bench.peer =
			accept4(bench.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	} while (bench.peer < 0);
	bench.heard_length = 0;
}

/* Reads what the client sends until the last packet begins with this byte. */
static void bench_hear(unsigned char first)
{
	int64_t until_ms = clock_monotonic_ms() + BENCH_WAIT_MS;

	for (;;) {
		ssize_t got = read(bench.peer, bench.heard, sizeof(bench.heard));

		assert_true(clock_monotonic_ms() < until_ms);
		if (got > 0)
			bench.heard_length = (size_t)got;
		if (got > 0 && (unsigned char)bench.heard[0] == first)
			return;
		bench_turn();
	}
}

static void bench_say(const char *bytes, size_t length)
{
	assert_int_equal(write(bench.peer, bytes, length), length);
}

#define BENCH_SAY(text) bench_say(text, sizeof(text) - 1)
#define BENCH_CONNACK	"\x20\x03\x00\x00\x00"

/* A client without filters, connected to the test. */
static struct client *bench_play_broker(unsigned answer_timeout_ms, unsigned keep_alive_s)
{
	struct client *client = client_prepare(0);

	bench.listener = loop_wait_listen(MQTT_BROKER_PORT, 8);
	client->settings.answer_timeout_ms = answer_timeout_ms;
	client->settings.keep_alive_s = keep_alive_s;
	client_start(client);
	bench_accept();
	bench_hear(0x10);
	BENCH_SAY(BENCH_CONNACK);
	BENCH_WAIT(client->readies == 1);
	return client;
}

static int bench_set_up(void **state)
{
	bench = (struct bench){ .listener = -1, .peer = -1 };
	assert_int_equal(sd_event_new(&bench.loop), 0);
	assert_true(mqtt_broker_make_folder(&bench.broker));
	bench_configure("");
	return 0;
}

static int bench_tear_down(void **state)
{
	for (int at = 0; at < BENCH_CLIENTS; at++)
		mqtt_free(bench.clients[at].mqtt);
	mqtt_broker_remove_folder(&bench.broker);
	if (bench.listener >= 0)
		close(bench.listener);
	if (bench.peer >= 0)
		close(bench.peer);
	sd_event_unref(bench.loop);
	return 0;
}

/* With Debian's mosquitto */

FIXTURE(bench_set_up, bench_tear_down)

TEST(a_message_arrives_with_its_properties)
{
	struct client *hub, *phone;
	struct mqtt_message message = { .topic = "t/1",
					.payload = "hello",
					.length = 5,
					.response_topic = "t/answer",
					.correlation = "a\0b",
					.correlation_length = 3,
					.expiry_s = 60 };

	bench_start_broker();
	hub = client_connect(0, NULL);
	phone = client_connect(1, "t/+");
	assert_int_equal(mqtt_publish(hub->mqtt, &message, client_on_done, hub), 0);
	BENCH_WAIT(phone->messages == 1 && hub->done == 1);
	assert_int_equal(hub->outcome, MQTT_DELIVERED);
	assert_string_equal(phone->topic, "t/1");
	assert_string_equal(phone->payload, "hello");
	assert_string_equal(phone->response, "t/answer");
	assert_int_equal(phone->correlation_length, 3);
	assert_memory_equal(phone->correlation, "a\0b", 3);
	assert_false(phone->retain);
}

TEST(a_message_to_nobody_is_reported_as_absent)
{
	struct client *hub, *phone;

	bench_start_broker();
	hub = client_connect(0, NULL);
	assert_int_equal(client_publish(hub, "t/1", "x"), MQTT_ABSENT);
	phone = client_connect(1, "t/+");
	assert_int_equal(client_publish(hub, "t/1", "x"), MQTT_DELIVERED);
	mqtt_free(phone->mqtt);
	phone->mqtt = NULL;
	BENCH_WAIT(client_publish(hub, "t/1", "x") == MQTT_ABSENT);
}

TEST(a_killed_broker_is_found_again)
{
	struct client *hub, *phone;

	bench_start_broker();
	hub = client_connect(0, NULL);
	phone = client_connect(1, "t/+");
	for (int round = 1; round <= 3; round++) {
		mqtt_broker_kill(&bench.broker);
		BENCH_WAIT(!mqtt_is_ready(hub->mqtt) && !mqtt_is_ready(phone->mqtt));
		assert_int_equal(
			mqtt_publish(hub->mqtt, &(struct mqtt_message){ 0 }, NULL, NULL),
			-ENOTCONN);
		bench_start_broker();
		BENCH_WAIT(hub->readies == 1 + round && phone->readies == 1 + round);
		assert_int_equal(client_publish(hub, "t/1", "x"), MQTT_DELIVERED);
		BENCH_WAIT(phone->messages == round);
	}
}

TEST(what_a_killed_broker_did_not_acknowledge_is_lost_and_not_sent_again)
{
	struct mqtt_message message = { .topic = "t/1", .payload = "x", .length = 1 };
	struct client *hub, *phone;
	int before;

	bench_start_broker();
	hub = client_connect(0, NULL);
	phone = client_connect(1, "t/+");
	kill(bench.broker.pid, SIGSTOP);
	for (int round = 0; round < 10; round++)
		assert_int_equal(mqtt_publish(hub->mqtt, &message, client_on_done, hub),
				 0);
	bench_restart_broker();
	BENCH_WAIT(hub->readies == 2 && phone->readies == 2);
	assert_int_equal(hub->outcomes[MQTT_LOST], 10);
	before = phone->messages;
	message.payload = "last";
	message.length = 4;
	assert_int_equal(mqtt_publish(hub->mqtt, &message, client_on_done, hub), 0);
	BENCH_WAIT(strcmp(phone->payload, "last") == 0);
	assert_int_equal(phone->messages, before + 1);
}

TEST(a_will_is_published_when_a_client_vanishes_or_ends)
{
	struct client *hub, *phone = client_prepare(1);

	bench_start_broker();
	hub = client_connect(0, "w");
	phone->will =
		(struct mqtt_message){ .topic = "w", .payload = "gone", .length = 4 };
	client_start(phone);
	BENCH_WAIT(phone->readies == 1);
	assert_int_equal(hub->messages, 0);
	mqtt_reconnect(phone->mqtt);
	BENCH_WAIT(hub->messages == 1 && phone->readies == 2);
	assert_string_equal(hub->payload, "gone");
	mqtt_free(phone->mqtt);
	phone->mqtt = NULL;
	BENCH_WAIT(hub->messages == 2);
}

TEST(retained_messages_come_with_the_subscription)
{
	struct mqtt_message here = {
		.topic = "h", .payload = "here", .length = 4, .retain = true
	};
	struct client *phone, *hub;

	bench_start_broker();
	phone = client_connect(0, NULL);
	assert_int_equal(mqtt_publish(phone->mqtt, &here, client_on_done, phone), 0);
	BENCH_WAIT(phone->done == 1);
	hub = client_connect(1, "h");
	BENCH_WAIT(hub->messages == 1);
	assert_true(hub->retain);
	assert_string_equal(hub->payload, "here");
}

TEST(a_thousand_messages_at_once_are_each_reported_once)
{
	struct mqtt_message message = { .topic = "t/1", .payload = "x", .length = 1 };
	struct client *hub, *phone;

	bench_configure("max_queued_messages 5000\n");
	bench_start_broker();
	hub = client_connect(0, NULL);
	phone = client_connect(1, "t/+");
	for (int round = 0; round < 1000; round++)
		assert_int_equal(mqtt_publish(hub->mqtt, &message, client_on_done, hub),
				 0);
	BENCH_WAIT(hub->done == 1000 && phone->messages == 1000);
	assert_int_equal(hub->outcomes[MQTT_DELIVERED], 1000);
}

TEST(refusals_of_the_broker_are_reported)
{
	struct client *client;

	assert_true(mqtt_broker_write(&bench.broker, "acl", "topic readwrite open/#\n"));
	bench_configure("acl_file acl\nmax_packet_size 2000\n");
	bench_start_broker();
	client = client_connect(0, "open/1");
	assert_int_equal(client_publish(client, "open/1", "x"), MQTT_DELIVERED);
	assert_int_equal(client_publish(client, "closed", "x"), MQTT_REFUSED);
	assert_int_equal(mqtt_publish(client->mqtt,
				      &(struct mqtt_message){ .topic = "open/1",
							      .payload = bench.heard,
							      .length = 4000 },
				      NULL, NULL),
			 -EMSGSIZE);
	assert_int_equal(mqtt_publish(client->mqtt,
				      &(struct mqtt_message){ .topic = "a/#" }, NULL,
				      NULL),
			 -EINVAL);
	assert_int_equal(client->gones, 0);
}

static struct client *client_connect_as(int number, const char *user, const char *filter)
{
	struct client *client = client_prepare(number);

	client->settings.user = user;
	client->settings.client_id = user;
	client->settings.filters[0] = filter;
	client_start(client);
	BENCH_WAIT(client->readies || client->gones);
	return client;
}

TEST(the_access_list_of_the_example_keeps_phones_apart)
{
	char config[512], folder[256];
	struct client *phone, *hub;

	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(config, sizeof(config),
		 "acl_file %s/doc/examples/mosquitto/ofono-mcp.acl\n", folder);
	bench_configure(config);
	bench_start_broker();
	hub = client_connect_as(0, "hub", "ofono/hub/answer/+");
	phone = client_connect_as(1, "p1", "ofono/phone/p1/rpc");
	assert_int_equal(client_publish(hub, "ofono/phone/p1/rpc", "x"), MQTT_DELIVERED);
	BENCH_WAIT(phone->messages == 1);
	assert_int_equal(client_publish(phone, "ofono/hub/answer/p1", "x"),
			 MQTT_DELIVERED);
	BENCH_WAIT(hub->messages == 1);
	assert_int_equal(client_publish(phone, "ofono/hub/answer/p2", "x"), MQTT_REFUSED);
	assert_int_equal(client_publish(phone, "ofono/phone/p2/here", "x"), MQTT_REFUSED);
	assert_int_equal(client_publish(phone, "ofono/phone/p1/rpc", "x"), MQTT_REFUSED);
	assert_int_equal(hub->messages, 1);
}

TEST(a_wrong_password_is_reported_in_words)
{
	struct client *client = client_prepare(0);

	assert_true(mqtt_broker_write(&bench.broker, "empty", ""));
	assert_true(mqtt_broker_write(&bench.broker, "mosquitto.conf",
				      "user root\nlog_dest none\nlistener 1883 "
				      "127.0.0.1\npassword_file empty\n"));
	bench_start_broker();
	client->settings.user = "p1";
	client->settings.password = "wrong";
	client_start(client);
	BENCH_WAIT(client->gones == 2);
	assert_non_null(strstr(client->why, "refuse"));
	assert_int_equal(client->readies, 0);
}

TEST(messages_longer_than_the_bound_are_not_shown)
{
	static char longer[5000];
	struct client *hub, *phone;

	memset(longer, 'x', sizeof(longer) - 1);
	bench_start_broker();
	hub = client_connect(0, NULL);
	phone = client_connect(1, "t/+");
	assert_int_equal(client_publish(hub, "t/1", longer), MQTT_DELIVERED);
	assert_int_equal(client_publish(hub, "t/1", "short"), MQTT_DELIVERED);
	BENCH_WAIT(phone->messages == 1);
	assert_string_equal(phone->payload, "short");
}

/* The last address of localhost; it may be the only one. */
static void find_last_address(char address[INET6_ADDRSTRLEN])
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found, *last;

	assert_int_equal(getaddrinfo("localhost", NULL, &hints, &found), 0);
	for (last = found; last->ai_next;)
		last = last->ai_next;
	assert_int_equal(getnameinfo(last->ai_addr, last->ai_addrlen, address,
				     INET6_ADDRSTRLEN, NULL, 0, NI_NUMERICHOST),
			 0);
	freeaddrinfo(found);
}

TEST(a_broker_is_reached_at_the_last_address_of_its_name)
{
	struct client *client = client_prepare(0);
	char address[INET6_ADDRSTRLEN], config[200];

	find_last_address(address);
	snprintf(config, sizeof(config),
		 "user root\nlog_dest none\nallow_anonymous true\n"
		 "listener 1884 %s\nlistener %d 127.0.0.1\n",
		 address, MQTT_BROKER_PORT);
	assert_true(mqtt_broker_write(&bench.broker, "mosquitto.conf", config));
	assert_true(mqtt_broker_start(&bench.broker, MQTT_BROKER_PORT));
	client->settings.host = "localhost";
	client->settings.port = 1884;
	client_start(client);
	BENCH_WAIT(client->readies || client->gones);
	assert_int_equal(client->readies, 1);
	assert_int_equal(client->gones, 0);
}

/* TLS */

static void bench_start_tls_broker(void)
{
	assert_true(mqtt_broker_make_certificates(&bench.broker));
	assert_true(mqtt_broker_write(&bench.broker, "mosquitto.conf",
				      "user root\nlog_dest none\nallow_anonymous true\n"
				      "listener 8883 127.0.0.1\ncertfile server.pem\n"
				      "keyfile server.key\n"));
	assert_true(mqtt_broker_start(&bench.broker, MQTT_BROKER_TLS_PORT));
}

static struct client *client_connect_tls(int number, const char *ca, const char *host)
{
	struct client *client = client_prepare(number);
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", bench.broker.folder, ca);
	client->settings.host = host;
	client->settings.port = MQTT_BROKER_TLS_PORT;
	client->settings.tls = true;
	client->settings.ca_file = path;
	client->settings.filters[0] = "t/+";
	client_start(client);
	BENCH_WAIT(client->readies || client->gones);
	return client;
}

TEST(messages_go_through_tls)
{
	struct client *client;

	bench_start_tls_broker();
	client = client_connect_tls(0, "ca.pem", "localhost");
	assert_int_equal(client->gones, 0);
	assert_int_equal(client_publish(client, "t/1", "x"), MQTT_DELIVERED);
	BENCH_WAIT(client->messages == 1);
}

TEST(a_broker_that_cannot_be_trusted_gets_nothing)
{
	bench_start_tls_broker();
	assert_int_equal(client_connect_tls(0, "other.pem", "localhost")->readies, 0);
	assert_int_equal(client_connect_tls(1, "ca.pem", "127.0.0.1")->readies, 0);
}

TEST(an_end_in_the_tls_handshake_is_noticed_at_once)
{
	struct client *client = client_prepare(0);

	bench.listener = loop_wait_listen(MQTT_BROKER_PORT, 8);
	client->settings.tls = true;
	client_start(client);
	bench_accept();
	close(bench.peer);
	bench.peer = -1;
	BENCH_WAIT(client->gones == 1);
	assert_null(strstr(client->why, "answer"));
}

/* Slow and lying brokers */

TEST(a_broker_that_does_not_answer_is_left)
{
	struct client *client = client_prepare(0);

	bench.listener = loop_wait_listen(MQTT_BROKER_PORT, 8);
	client->settings.answer_timeout_ms = 200;
	client_start(client);
	BENCH_WAIT(client->gones == 2);
	assert_non_null(strstr(client->why, "not answer"));
}

TEST(a_broker_that_does_not_acknowledge_is_left)
{
	struct client *client = bench_play_broker((unsigned)patience_ms(300), 60);
	struct mqtt_message message = { .topic = "t", .payload = "x", .length = 1 };
	int accepted = 0;

	while (mqtt_publish(client->mqtt, &message, client_on_done, client) == 0)
		accepted++;
	assert_int_equal(accepted, MQTT_PENDING_MAX);
	BENCH_WAIT(client->gones == 1);
	assert_int_equal(client->outcomes[MQTT_LOST], MQTT_PENDING_MAX);
	assert_int_equal(client->done, MQTT_PENDING_MAX);
}

TEST(an_idle_connection_pings_and_a_missing_answer_ends_it)
{
	struct client *client = bench_play_broker((unsigned)patience_ms(500), 5);

	bench_hear(0xc0);
	BENCH_SAY("\xd0\x00");
	bench_hear(0xc0);
	assert_int_equal(client->gones, 0);
	BENCH_WAIT(client->gones == 1);
	assert_non_null(strstr(client->why, "any more"));
}

TEST(a_packet_without_end_is_cut_off)
{
	struct client *client = bench_play_broker(20000, 60);
	static char bytes[16384];
	int64_t until_ms = clock_monotonic_ms() + BENCH_WAIT_MS;
	size_t sent = 0;

	BENCH_SAY("\x30\xff\xff\xff\x7f\x00\x01t\x00"); /* a message of 256 MiB */
	while (client->gones == 0) {
		ssize_t written = send(bench.peer, bytes, sizeof(bytes), MSG_NOSIGNAL);

		assert_true(clock_monotonic_ms() < until_ms);
		if (written > 0)
			sent += (size_t)written;
		sd_event_run(bench.loop, 0);
	}
	assert_non_null(strstr(client->why, "4096 bytes"));
	assert_true(sent < 64 * 1024 * 1024);
}

TEST(nonsense_of_a_broker_ends_the_connection)
{
	static const struct {
		const char *bytes;
		size_t length;
	} nonsense[] = {
		{ "\x10\x00", 2 },		   /* CONNECT */
		{ "\x40\x02\x00\x00", 4 },	   /* PUBACK of nothing */
		{ "\x90\x01\x00", 2 },		   /* SUBACK, cut; the rest is below */
		{ "\x32\x02\x00\x09", 4 },	   /* PUBLISH, its topic cut */
		{ "\xf0\xff\xff\xff\xff\xff", 6 }, /* a length of 5 bytes */
		{ "\xe0\x02\x8e\x00", 4 },	   /* DISCONNECT */
	};

	for (size_t at = 0; at < sizeof(nonsense) / sizeof(nonsense[0]); at++) {
		struct client *client = bench_play_broker(20000, 60);

		bench_say(nonsense[at].bytes, nonsense[at].length);
		shutdown(bench.peer, SHUT_WR);
		BENCH_WAIT(client->gones == 1);
		assert_int_equal(client->messages, 0);
		mqtt_free(client->mqtt);
		client->mqtt = NULL;
		close(bench.peer);
		close(bench.listener);
		bench.peer = bench.listener = -1;
	}
}

TEST(attempts_are_not_made_in_step)
{
	struct client *client = client_prepare(0);
	bool differ = false;

	client_start(client);
	BENCH_WAIT(client->gones == BENCH_GAPS);
	assert_string_equal(client->why, "Connection refused");
	for (int at = 2; at < BENCH_GAPS; at++) {
		int64_t gap_ms = client->gone_ms[at] - client->gone_ms[at - 1];
		int64_t first_ms = client->gone_ms[1] - client->gone_ms[0];

		differ = differ || gap_ms < first_ms - 3 || gap_ms > first_ms + 3;
	}
	assert_true(differ);
}

TEST(a_client_rests_as_long_as_it_is_told)
{
	struct client *resting = client_prepare(0), *other = client_prepare(1);

	resting->rest_s = 3600;
	client_start(resting);
	client_start(other);
	BENCH_WAIT(other->gones == BENCH_GAPS);
	assert_int_equal(resting->gones, 1);
}

void before_tests(int argc, char **argv)
{
	if (!own_network_enter())
		fputs("cannot create a network namespace\n", stderr);
}
