/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/link.h"

#include "unit_test.h"
#include "fleet/fleet_error.h"
#include "mqtt/mqtt.h"
#include "loop_wait.h"
#include "mqtt_broker.h"
#include "patience.h"

#define BENCH_WAIT_MS (patience_ms(30 * 1000))

enum { BENCH_GATEWAY_PORT = 9531, BENCH_PEERS = 20 };

#define BENCH_META \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"
#define BENCH_REQUEST                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{" \
	"\"name\":\"list_sms\",\"arguments\":{}," BENCH_META "}}"
#define BENCH_RESULT "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}"

/* A hub of few lines, a link, and a gateway that the test plays. */
struct bench {
	sd_event *loop;
	struct mqtt_broker broker;
	struct mqtt *hub;
	struct link *link;
	struct link_config config;
	struct fleet_frame_key key;
	char path[320];
	bool hub_ready;
	/* presence */
	int heres;
	uint8_t session[FLEET_SESSION_BYTES];
	char state[128];
	/* answers */
	int answers;
	struct fleet_frame frame;
	struct buffer text;
	char last_request[2048]; /* sealed, as published */
	size_t last_request_length;
	/* the gateway */
	int listener, peers[BENCH_PEERS], peer_count;
	char request[4096];
};

static struct bench bench;

#define BENCH_WAIT(condition) LOOP_WAIT(bench.loop, 5000, BENCH_WAIT_MS, condition)

static void bench_on_ready(void *data)
{
	bench.hub_ready = true;
}

static void bench_on_gone(void *data, const char *why)
{
	bench.hub_ready = false;
}

static void bench_on_message(void *data, const struct mqtt_message *message)
{
	struct fleet_frame_place place = { message->topic, message->correlation,
					   message->correlation_length };
	struct buffer text = BUFFER_INIT;
	struct fleet_frame frame;

	if (fleet_frame_open(&bench.key, &place, message->payload, message->length,
			     &frame, &text) != 0) {
		buffer_deinit(&text);
		return;
	}
	if (frame.kind == FLEET_HERE) {
		memcpy(bench.session, frame.session, FLEET_SESSION_BYTES);
		snprintf(bench.state, sizeof(bench.state), "%.*s", (int)text.length,
			 text.data);
		bench.heres++;
		buffer_deinit(&text);
		return;
	}
	assert_int_equal(message->correlation_length, 4);
	assert_memory_equal(message->correlation, "corr", 4);
	buffer_deinit(&bench.text);
	bench.text = text;
	bench.frame = frame;
	bench.answers++;
}

static void bench_publish(const char *sealed, size_t length)
{
	struct mqtt_message message = { .topic = "ofono/phone/p1/rpc",
					.payload = sealed,
					.length = length,
					.correlation = "corr",
					.correlation_length = 4 };

	assert_int_equal(mqtt_publish(bench.hub, &message, NULL, NULL), 0);
}

static void bench_send(enum fleet_frame_kind kind, uint64_t epoch, uint64_t number,
		       const char *text, size_t length)
{
	struct fleet_frame frame = { .kind = kind, .epoch = epoch, .number = number };
	struct fleet_frame_place place = { "ofono/phone/p1/rpc", "corr", 4 };
	struct buffer sealed = BUFFER_INIT;

	memcpy(frame.session, bench.session, FLEET_SESSION_BYTES);
	assert_int_equal(
		fleet_frame_seal(&bench.key, &frame, &place, text, length, &sealed), 0);
	bench_publish(sealed.data, sealed.length);
	if (sealed.length < sizeof(bench.last_request)) {
		memcpy(bench.last_request, sealed.data, sealed.length);
		bench.last_request_length = sealed.length;
	}
	buffer_deinit(&sealed);
}

static void bench_ask(uint64_t number)
{
	bench_send(FLEET_REQUEST, 1, number, BENCH_REQUEST, strlen(BENCH_REQUEST));
}

/* The gateway */

static bool bench_accepts(void)
{
	int fd = accept4(bench.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0)
		bench.peers[bench.peer_count++] = fd;
	return fd >= 0;
}

static int bench_accept(void)
{
	BENCH_WAIT(bench_accepts());
	return bench.peers[bench.peer_count - 1];
}

static bool bench_reads_request(int peer)
{
	ssize_t got = read(peer, bench.request, sizeof(bench.request) - 1);

	if (got > 0)
		bench.request[got] = '\0';
	return got > 0;
}

static void bench_respond(int peer, const char *head, const char *body)
{
	BENCH_WAIT(bench_reads_request(peer));
	dprintf(peer, "HTTP/1.1 %s\r\n\r\n%s", head, body);
	shutdown(peer, SHUT_RDWR);
}

static void bench_respond_json(int peer)
{
	char head[128];

	snprintf(head, sizeof(head),
		 "200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu",
		 strlen(BENCH_RESULT));
	bench_respond(peer, head, BENCH_RESULT);
}

static void bench_start_link(void)
{
	char error[LINK_CONFIG_ERROR_BYTES];
	int before = bench.heres;

	bench.link = link_new(bench.loop, &bench.config, bench.path, NULL, error);
	assert_non_null(bench.link);
	BENCH_WAIT(bench.heres > before && strstr(bench.state, "here"));
}

static int bench_set_up(void **state)
{
	struct mqtt_settings settings = { .host = "127.0.0.1",
					  .port = MQTT_BROKER_PORT,
					  .client_id = "hub",
					  .keep_alive_s = 60,
					  .retry_max_s = 1,
					  .message_max = FLEET_FRAME_MAX,
					  .filters = { "ofono/hub/answer/+",
						       "ofono/phone/+/here" },
					  .ready = bench_on_ready,
					  .gone = bench_on_gone,
					  .message = bench_on_message };

	bench = (struct bench){ .listener = -1 };
	assert_int_equal(sd_event_new(&bench.loop), 0);
	assert_true(mqtt_broker_make_folder(&bench.broker));
	assert_true(mqtt_broker_write(&bench.broker, "mosquitto.conf",
				      "user root\nlog_dest none\nallow_anonymous true\n"
				      "listener 1883 127.0.0.1\nset_tcp_nodelay true\n"));
	assert_true(mqtt_broker_start(&bench.broker, MQTT_BROKER_PORT));
	assert_true(fleet_frame_draw(&bench.key, sizeof(bench.key)));
	bench.config = (struct link_config){ .join = { .prefix = "ofono",
						       .phone = "p1",
						       .host = "127.0.0.1",
						       .port = MQTT_BROKER_PORT,
						       .secret = bench.key },
					     .gateway = "127.0.0.1:9531",
					     .token = "t0ken" };
	snprintf(bench.path, sizeof(bench.path), "%s/link.conf", bench.broker.folder);
	bench.hub = mqtt_new(bench.loop, &settings);
	BENCH_WAIT(bench.hub_ready);
	bench_start_link();
	return 0;
}

static int bench_tear_down(void **state)
{
	link_free(bench.link);
	mqtt_free(bench.hub);
	mqtt_broker_remove_folder(&bench.broker);
	if (bench.listener >= 0)
		close(bench.listener);
	while (bench.peer_count)
		close(bench.peers[--bench.peer_count]);
	buffer_deinit(&bench.text);
	sd_event_unref(bench.loop);
	return 0;
}

static bool bench_answer_has(const char *part)
{
	return memmem(bench.text.data, bench.text.length, part, strlen(part));
}

/* Requests */

FIXTURE(bench_set_up, bench_tear_down)

TEST(a_request_reaches_the_gateway_and_its_answer_the_hub)
{
	int peer;

	bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	bench_ask(1);
	peer = bench_accept();
	bench_respond_json(peer);
	assert_non_null(strstr(bench.request, "\r\nAuthorization: Bearer t0ken\r\n"));
	assert_non_null(strstr(bench.request, "\r\nMcp-Method: tools/call\r\n"));
	assert_non_null(strstr(bench.request, "\r\nMcp-Name: list_sms\r\n"));
	assert_non_null(
		strstr(bench.request, "\r\nMCP-Protocol-Version: 2026-07-28\r\n"));
	assert_non_null(strstr(bench.request, "\r\n\r\n" BENCH_REQUEST));
	BENCH_WAIT(bench.answers == 1);
	assert_int_equal(bench.frame.kind, FLEET_ANSWER);
	assert_int_equal(bench.frame.number, 1);
	assert_int_equal(bench.text.length, strlen(BENCH_RESULT));
	assert_memory_equal(bench.text.data, BENCH_RESULT, bench.text.length);
}

TEST(the_last_event_of_a_stream_in_chunks_is_the_answer)
{
	static const char events[] = "event: message\r\ndata: {\"method\":\"n\"}\r\n\r\n"
				     "data: " BENCH_RESULT "\r\n\r\n";
	char body[512];

	snprintf(body, sizeof(body), "%zx\r\n%s\r\n0\r\n\r\n", sizeof(events) - 1,
		 events);
	bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	bench_ask(1);
	bench_respond(bench_accept(),
		      "200 OK\r\nContent-Type: text/event-stream\r\n"
		      "Transfer-Encoding: chunked",
		      body);
	BENCH_WAIT(bench.answers == 1);
	assert_int_equal(bench.text.length, strlen(BENCH_RESULT));
	assert_memory_equal(bench.text.data, BENCH_RESULT, bench.text.length);
}

TEST(requests_run_side_by_side_and_too_many_are_refused)
{
	bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	for (uint64_t number = 1; number <= LINK_CALLS_MAX + 1; number++)
		bench_ask(number);
	BENCH_WAIT(bench.answers == 1);
	assert_true(bench_answer_has(FLEET_ERROR_BUSY));
	while (bench.peer_count < LINK_CALLS_MAX)
		bench_accept();
	bench_respond_json(bench.peers[LINK_CALLS_MAX - 1]);
	BENCH_WAIT(bench.answers == 2);
	assert_memory_equal(bench.text.data, BENCH_RESULT, bench.text.length);
}

TEST(without_a_gateway_the_hub_is_answered_at_once)
{
	bench_ask(1);
	BENCH_WAIT(bench.answers == 1);
	assert_true(bench_answer_has("\"id\":7"));
	assert_true(bench_answer_has("\"error\":\"" FLEET_ERROR_AWAY "\""));
	assert_true(bench_answer_has("\"may_have_run\":false"));
}

static void bench_expect_error(const char *head, const char *body, const char *error)
{
	int before = bench.answers;
	static uint64_t number = 1000;

	if (bench.listener < 0)
		bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	bench_ask(number++);
	bench_respond(bench_accept(), head, body);
	BENCH_WAIT(bench.answers == before + 1);
	assert_true(bench_answer_has(error));
}

TEST(a_cut_answer_may_have_been_carried_out)
{
	bench_expect_error("200 OK\r\nContent-Length: 100", "{}", FLEET_ERROR_SILENT);
	assert_true(bench_answer_has("\"may_have_run\":true"));
	bench_expect_error("200 OK\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n",
			   FLEET_ERROR_SILENT);
	bench_expect_error("200 OK\r\nTransfer-Encoding: chunked",
			   "fffffffff\r\n{}\r\n0\r\n", FLEET_ERROR_SILENT);
	bench_expect_error("200 OK", "", FLEET_ERROR_SILENT);
}

TEST(a_gateway_that_refuses_the_token_is_named)
{
	bench_expect_error("401 Unauthorized\r\nContent-Length: 2", "{}",
			   FLEET_ERROR_REFUSED);
	bench_expect_error("404 Not Found\r\nContent-Length: 2", "no",
			   FLEET_ERROR_REFUSED);
}

TEST(an_answer_that_does_not_fit_is_refused_in_words)
{
	static char huge[FLEET_TEXT_MAX + 10];
	char head[64];
	int peer, sent = 0;

	memset(huge, ' ', sizeof(huge) - 1);
	huge[0] = '{';
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n",
		 sizeof(huge) - 1);
	bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	bench_ask(1);
	peer = bench_accept();
	BENCH_WAIT(bench_reads_request(peer));
	assert_int_equal(write(peer, head, strlen(head)), strlen(head));
	while (sent < (int)sizeof(huge) - 1) {
		ssize_t wrote = write(peer, huge + sent, sizeof(huge) - 1 - (size_t)sent);

		sent += wrote > 0 ? (int)wrote : 0;
		sd_event_run(bench.loop, 1000);
	}
	shutdown(peer, SHUT_RDWR);
	BENCH_WAIT(bench.answers == 1);
	assert_true(bench_answer_has(FLEET_ERROR_TOO_LARGE));
}

TEST(what_is_no_request_reaches_no_gateway)
{
	static const char *const texts[] = {
		"",
		"no JSON",
		"[]",
		"{\"id\":1,\"method\":\"tools/list\"}",
		"{\"method\":\"tools/list\",\"params\":{" BENCH_META "}}",
		"{\"id\":1,\"method\":\"a\\r\\nX: y\",\"params\":{" BENCH_META "}}",
		"{\"id\":\"\\\"\",\"method\":\"tools/list\",\"params\":{" BENCH_META "}}",
	};

	for (size_t at = 0; at < sizeof(texts) / sizeof(texts[0]); at++) {
		bench_send(FLEET_REQUEST, 1, at + 1, texts[at], strlen(texts[at]));
		BENCH_WAIT(bench.answers == (int)at + 1);
		assert_true(bench_answer_has(FLEET_ERROR_INVALID));
	}
}

/* Brokers and hubs that do what they should not */

TEST(a_repeated_request_is_carried_out_once)
{
	int peer;

	bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	bench_ask(1);
	peer = bench_accept();
	for (int round = 0; round < 5; round++)
		bench_publish(bench.last_request, bench.last_request_length);
	bench_ask(2); /* after the repetitions, in order */
	bench_accept();
	assert_int_equal(bench.peer_count, 2);
	bench_respond_json(peer);
	BENCH_WAIT(bench.answers == 1);
	assert_int_equal(bench.frame.number, 1);
}

TEST(a_request_of_an_earlier_session_is_answered_with_the_one_that_holds)
{
	bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	memset(bench.session, 9, FLEET_SESSION_BYTES);
	bench_ask(1);
	BENCH_WAIT(bench.answers == 1);
	assert_int_equal(bench.frame.kind, FLEET_OTHER_SESSION);
	memcpy(bench.session, bench.frame.session, FLEET_SESSION_BYTES);
	bench_ask(1);
	bench_respond_json(bench_accept());
	BENCH_WAIT(bench.answers == 2);
	assert_int_equal(bench.frame.kind, FLEET_ANSWER);
	assert_int_equal(bench.peer_count, 1);
}

TEST(a_request_is_not_carried_out_again_after_a_new_connection)
{
	int before = bench.heres;

	bench.listener = loop_wait_listen(BENCH_GATEWAY_PORT, BENCH_PEERS);
	bench_ask(1);
	bench_respond_json(bench_accept());
	BENCH_WAIT(bench.answers == 1);
	mqtt_broker_kill(&bench.broker);
	BENCH_WAIT(!bench.hub_ready);
	assert_true(mqtt_broker_start(&bench.broker, MQTT_BROKER_PORT));
	BENCH_WAIT(bench.hub_ready && bench.heres > before);
	bench_publish(bench.last_request, bench.last_request_length);
	BENCH_WAIT(bench.answers == 2);
	assert_int_equal(bench.frame.kind, FLEET_OTHER_SESSION);
	assert_int_equal(bench.peer_count, 1);
}

TEST(an_older_hub_is_refused)
{
	bench_send(FLEET_REQUEST, 5, 1, BENCH_REQUEST, strlen(BENCH_REQUEST));
	BENCH_WAIT(bench.answers == 1);
	bench_send(FLEET_REQUEST, 4, 2, BENCH_REQUEST, strlen(BENCH_REQUEST));
	BENCH_WAIT(bench.answers == 2);
	assert_int_equal(bench.frame.kind, FLEET_STALE_HUB);
	assert_int_equal(bench.text.length, 8);
	assert_memory_equal(bench.text.data, "\0\0\0\0\0\0\0\5", 8);
}

TEST(forged_frames_get_no_answer)
{
	struct fleet_frame_key right = bench.key;

	memset(&bench.key, 1, sizeof(bench.key));
	bench_ask(1);
	bench_publish("nonsense", 8);
	bench_publish("", 0);
	bench.key = right;
	bench_send(FLEET_ANSWER, 1, 1, "{}", 2); /* of a kind that only a link sends */
	bench_ask(2);
	BENCH_WAIT(bench.answers == 1);
	assert_int_equal(bench.frame.number, 2);
}

/* Key and presence */

TEST(the_first_contact_replaces_the_key_on_disk)
{
	char error[LINK_CONFIG_ERROR_BYTES];
	struct fleet_frame_key fresh;
	struct link_config written;
	struct stat facts;
	int before;

	assert_true(fleet_frame_draw(&fresh, sizeof(fresh)));
	bench_send(FLEET_REKEY, 1, 1, (const char *)fresh.bytes, FLEET_KEY_BYTES);
	BENCH_WAIT(bench.answers == 1);
	assert_int_equal(bench.frame.kind, FLEET_REKEYED);
	assert_int_equal(link_config_read(bench.path, &written, error), 0);
	assert_memory_equal(&written.join.secret, &fresh, sizeof(fresh));
	assert_int_equal(stat(bench.path, &facts), 0);
	assert_int_equal(facts.st_mode & 0777, 0600);
	bench.key = fresh;
	before = bench.heres;
	BENCH_WAIT(bench.heres > before && strstr(bench.state, "here"));
	bench_ask(2);
	BENCH_WAIT(bench.answers == 2);
	assert_true(bench_answer_has(FLEET_ERROR_AWAY));
}

TEST(the_broker_announces_the_absence_of_a_link_that_ends)
{
	link_free(bench.link);
	bench.link = NULL;
	BENCH_WAIT(strstr(bench.state, "gone"));
}

/* The configuration */

TEST(a_configuration_is_read_as_it_was_written)
{
	char error[LINK_CONFIG_ERROR_BYTES] = "";
	struct link_config read;

	strcpy(bench.config.join.password, "pass=word#1");
	strcpy(bench.config.ca_file, "/some/ca.pem");
	bench.config.join.tls = true;
	assert_int_equal(
		link_config_write(bench.path, &bench.config, (uid_t)-1, (gid_t)-1), 0);
	assert_int_equal(link_config_read(bench.path, &read, error), 0);
	assert_memory_equal(&read.join.secret, &bench.key, sizeof(bench.key));
	assert_string_equal(read.join.password, "pass=word#1");
	assert_string_equal(read.ca_file, "/some/ca.pem");
	assert_string_equal(read.gateway, "127.0.0.1:9531");
	assert_string_equal(read.token, "t0ken");
	assert_int_equal(read.join.port, MQTT_BROKER_PORT);
	assert_true(read.join.tls);
}

TEST(damaged_configurations_are_refused_without_their_secrets)
{
	static const char *const texts[] = { "",	   "key = 12\n",
					     "port = x\n", "tls = maybe\n",
					     "token\n",	   "unknown = 1\n" };
	char error[LINK_CONFIG_ERROR_BYTES];
	struct link_config read;

	for (size_t at = 0; at < sizeof(texts) / sizeof(texts[0]); at++) {
		assert_true(mqtt_broker_write(&bench.broker, "link.conf", texts[at]));
		assert_int_equal(link_config_read(bench.path, &read, error), -EINVAL);
		assert_null(strstr(error, "12"));
	}
	assert_int_equal(link_config_read("/nonexistent", &read, error), -ENOENT);
	assert_int_equal(link_config_read("/dev/zero", &read, error), -EINVAL);
}

TEST(only_a_gateway_on_this_machine_gets_the_token)
{
	static const char *const bad[] = { "192.0.2.1:9531", "127.0.0.1",  "127.0.0.1:0",
					   "localhost:9531", "[::2]:9531", ":9531" };
	char error[LINK_CONFIG_ERROR_BYTES];

	for (size_t at = 0; at < sizeof(bad) / sizeof(bad[0]); at++) {
		strcpy(bench.config.gateway, bad[at]);
		assert_null(link_new(bench.loop, &bench.config, bench.path, NULL, error));
		assert_non_null(strstr(error, "loopback"));
	}
}

void before_tests(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (!own_network_enter())
		fputs("cannot create a network namespace\n", stderr);
}
