/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet: N simulated links of phones and a driver in the hub's place, at a broker. Measures the wire
 * of the fleet: connecting, sealed requests with their answers, a phone that is not there, and a
 * phone that disappears. Prints one line of JSON.
 *
 *   connect all -> one request at a time -> 64 at once -> an absent phone -> a phone leaves
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "fleet/fleet_frame.h"
#include "fleet/fleet_topic.h"
#include "histogram.h"
#include "mqtt/mqtt.h"

enum { REQUESTS = 2000, AT_ONCE = 64, ABSENCES = 200, WAIT_S = 120, KEEP_ALIVE_S = 240 };
enum { PHONE_FDS = 4, OTHER_FDS = 16 };

#define PREFIX "bench"

static const char request_text[] =
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"send_sms\",\"arguments\":{\"to_phone_number\":\"+36201234567\",\"sms_text\":\"A "
	"text of the usual length, as a hub would send it to a "
	"phone\",\"idempotency_key\":\"hub.4711\",\"wait_for\":\"none\"}}}";

static struct phone {
	char name[FLEET_NAME_BYTES], rpc[FLEET_TOPIC_BYTES], answer[FLEET_TOPIC_BYTES],
		here[FLEET_TOPIC_BYTES];
	struct mqtt_message will;
	struct mqtt *mqtt;
} *phones;

static sd_event *loop;
static struct mqtt *hub;
static struct fleet_frame_key key = { "0123456789abcdef0123456789abcde" };
static unsigned phone_count, ready, here, left, answered, absent, in_flight;
static bool hub_is_ready;
static uint64_t number;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#define WAIT(condition)                                                         \
	do {                                                                    \
		double until_ = now_s() + WAIT_S;                               \
		while (!(condition)) {                                          \
			if (now_s() > until_)                                   \
				errx(1, "waited too long for: %s", #condition); \
			sd_event_run(loop, 1000000);                            \
		}                                                               \
	} while (0)

static void publish_frame(struct mqtt *mqtt, const char *topic,
			  enum fleet_frame_kind kind, const struct mqtt_message *about,
			  const char *text, size_t length,
			  void (*done)(void *data, enum mqtt_outcome outcome))
{
	const struct fleet_frame frame = { .kind = kind, .epoch = 1, .number = ++number };
	const struct fleet_frame_place place = { topic, about->correlation,
						 about->correlation_length };
	struct buffer sealed = BUFFER_INIT;
	struct mqtt_message message = { .topic = topic,
					.correlation = about->correlation,
					.correlation_length = about->correlation_length,
					.expiry_s = FLEET_EXPIRY_S };

	if (fleet_frame_seal(&key, &frame, &place, text, length, &sealed))
		errx(1, "cannot seal");
	message.payload = sealed.data;
	message.length = sealed.length;
	if (mqtt_publish(mqtt, &message, done, NULL))
		errx(1, "cannot publish");
	buffer_deinit(&sealed);
}

static void open_frame(const struct mqtt_message *message)
{
	const struct fleet_frame_place place = { message->topic, message->correlation,
						 message->correlation_length };
	struct buffer text = BUFFER_INIT;
	struct fleet_frame frame;

	if (fleet_frame_open(&key, &place, message->payload, message->length, &frame,
			     &text))
		errx(1, "a frame does not open");
	buffer_deinit(&text);
}

static const struct mqtt_message *phone_will(void *data)
{
	return &((struct phone *)data)->will;
}

static void phone_ready(void *data)
{
	struct phone *phone = data;

	ready++;
	mqtt_publish(phone->mqtt,
		     &(struct mqtt_message){ .topic = phone->here,
					     .payload = "here",
					     .length = 4,
					     .retain = true },
		     NULL, NULL);
}

static void phone_gone(void *data, const char *why)
{
}

static void phone_message(void *data, const struct mqtt_message *message)
{
	static const char answer[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structured"
		"Content\":{\"message_id\":4711,\"state\":\"queued\"}}}";
	struct phone *phone = data;

	open_frame(message);
	publish_frame(phone->mqtt, phone->answer, FLEET_ANSWER, message, answer,
		      sizeof(answer) - 1, NULL);
}

static void hub_ready(void *data)
{
	hub_is_ready = true;
}

static void hub_message(void *data, const struct mqtt_message *message)
{
	char name[FLEET_NAME_BYTES];

	if (fleet_topic_read(PREFIX, message->topic, name) == FLEET_TOPIC_HERE) {
		here += message->length == 4;
		left += message->length == 5;
		return;
	}
	open_frame(message);
	answered++;
	in_flight--;
}

static void hub_published(void *data, enum mqtt_outcome outcome)
{
	absent += outcome == MQTT_ABSENT;
}

static void ask(const char *topic)
{
	const struct mqtt_message about = { .correlation = "0123456789abcdef",
					    .correlation_length = 16 };

	in_flight++;
	publish_frame(hub, topic, FLEET_REQUEST, &about, request_text,
		      sizeof(request_text) - 1, hub_published);
}

static void connect_phone(struct phone *phone, unsigned at, unsigned port)
{
	struct mqtt_settings settings = { .host = "127.0.0.1",
					  .port = port,
					  .client_id = phone->name,
					  .keep_alive_s = KEEP_ALIVE_S,
					  .retry_max_s = 20,
					  .message_max = FLEET_FRAME_MAX,
					  .filters = { phone->rpc },
					  .will = phone_will,
					  .ready = phone_ready,
					  .gone = phone_gone,
					  .message = phone_message,
					  .data = phone };

	snprintf(phone->name, sizeof(phone->name), "p%u", at);
	fleet_topic_rpc(PREFIX, phone->name, phone->rpc);
	fleet_topic_answer(PREFIX, phone->name, phone->answer);
	snprintf(phone->here, sizeof(phone->here), "%s/phone/%s/here", PREFIX,
		 phone->name);
	phone->will = (struct mqtt_message){
		.topic = phone->here, .payload = "gone!", .length = 5, .retain = true
	};
	phone->mqtt = mqtt_new(loop, &settings);
	if (!phone->mqtt)
		errx(1, "no memory");
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double median_ms(double *times, unsigned count)
{
	qsort(times, count, sizeof(*times), compare);
	return times[count / 2] * 1000;
}

int main(int argc, char **argv)
{
	static double times[REQUESTS];
	struct mqtt_settings settings = { .host = "127.0.0.1",
					  .client_id = FLEET_HUB_NAME,
					  .keep_alive_s = 60,
					  .retry_max_s = 20,
					  .message_max = FLEET_FRAME_MAX,
					  .filters = { PREFIX "/hub/answer/+",
						       PREFIX "/phone/+/here" },
					  .ready = hub_ready,
					  .gone = phone_gone,
					  .message = hub_message };
	double begun, connected, one, many, nobody;
	struct rlimit limit;

	if (argc != 3)
		errx(2, "usage: fleet PORT PHONES");
	settings.port = (unsigned)atoi(argv[1]);
	phone_count = (unsigned)atoi(argv[2]);
	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < PHONE_FDS * phone_count + OTHER_FDS)
		errx(1, "%u phones need %u descriptors, and ulimit -n is %llu",
		     phone_count, PHONE_FDS * phone_count + OTHER_FDS,
		     (unsigned long long)limit.rlim_cur);
	phones = calloc(phone_count, sizeof(*phones));
	if (!phones || sd_event_default(&loop) < 0)
		errx(1, "no memory");
	hub = mqtt_new(loop, &settings);
	WAIT(hub_is_ready);
	begun = now_s();
	for (unsigned i = 0; i < phone_count; i++)
		connect_phone(&phones[i], i, settings.port);
	WAIT(here == phone_count);
	connected = now_s() - begun;
	for (unsigned i = 0; i < REQUESTS; i++) {
		double at = now_s();

		ask(phones[i * 7919 % phone_count].rpc);
		WAIT(answered == i + 1);
		times[i] = now_s() - at;
	}
	one = median_ms(times, REQUESTS);
	begun = now_s();
	answered = 0;
	for (unsigned i = 0; i < 10 * REQUESTS; i++) {
		WAIT(in_flight < AT_ONCE);
		ask(phones[i * 7919 % phone_count].rpc);
	}
	WAIT(answered == 10 * REQUESTS);
	many = 10 * REQUESTS / (now_s() - begun);
	for (unsigned i = 0; i < ABSENCES; i++) {
		double at = now_s();

		ask(PREFIX "/phone/nobody/rpc");
		WAIT(absent == i + 1);
		times[i] = now_s() - at;
	}
	nobody = median_ms(times, ABSENCES);
	begun = now_s();
	mqtt_free(phones[0].mqtt);
	WAIT(left == 1);
	printf("{\"phones\":%u,\"connect_s\":%.3f,\"one_ms\":%.3f,\"many_per_s\":%.0f,"
	       "\"absent_ms\":%.3f,\"will_ms\":%.3f}\n",
	       phone_count, connected, one, many, nobody, (now_s() - begun) * 1000);
	fflush(stdout);
	getchar(); /* the caller looks at memory meanwhile */
	return 0;
}
