/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   RESTING -> CONNECTING -> SUBSCRIBING -> READY -> (gone) -> RESTING ...
 *     (retry)   (CONNACK)      (SUBACKs)      |
 *                                             `- ping after keep_alive_s of silence
 *
 * Each connection has a client of libmosquitto of its own: one that connects again would also
 * publish again what was not acknowledged, and that is for the caller to decide.
 *
 * libmosquitto's callbacks only note what happened; the connection is closed, and `ready` and
 * `gone` are called, when its function has returned.  Its socket is watched through a duplicate,
 * because libmosquitto closes the socket itself.  Until CONNACK every event goes to
 * mosquitto_loop_read(), which also continues the TLS handshake.
 *
 * Time runs on while the machine sleeps (CLOCK_BOOTTIME), but not in libmosquitto.  A connection
 * that slept through half of its keep-alive is made anew rather than asked.
 */
#include "mqtt/mqtt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "mqtt/mqtt_private.h"

enum {
	MQTT_STABLE_MS = 30 * 1000, /* a connection that lasted so long was no failure */
	MQTT_PACKETS_PER_TURN = 64,
	/* What packets may hold besides the payload, and records of TLS that are read ahead */
	MQTT_PACKET_SLACK_BYTES = 64 * 1024,
	MQTT_REASON_ERROR = 0x80, /* reason codes from here on */
};

static void mqtt_start(struct mqtt *mqtt);

void mqtt_break(struct mqtt *mqtt, const char *format, ...)
{
	va_list arguments;

	if (mqtt->broken)
		return;
	mqtt->broken = true;
	va_start(arguments, format);
	vsnprintf(mqtt->why, sizeof(mqtt->why), format, arguments);
	va_end(arguments);
}

/* The timer */

static int64_t mqtt_keep_alive_ms(const struct mqtt *mqtt)
{
	return (int64_t)mqtt->settings.keep_alive_s * 1000;
}

static int64_t mqtt_earlier(int64_t time_ms, int64_t other_ms)
{
	return time_ms < other_ms ? time_ms : other_ms;
}

/* libmosquitto counts in whole seconds, so a second later it certainly is due. */
static int64_t mqtt_next_ping_ms(const struct mqtt *mqtt)
{
	return mqtt_earlier(mqtt->read_ms, mqtt->written_ms) + mqtt_keep_alive_ms(mqtt) +
	       1000;
}

/* Returns when the broker has to have answered; INT64_MAX if nothing is asked. */
static int64_t mqtt_answer_due_ms(const struct mqtt *mqtt)
{
	int64_t due_ms = mqtt->pinged_ms
				 ? mqtt->pinged_ms + mqtt->settings.answer_timeout_ms
				 : INT64_MAX;

	if (mqtt->first_pending)
		due_ms = mqtt_earlier(due_ms, mqtt->first_pending->sent_ms +
						      mqtt->settings.answer_timeout_ms);
	return due_ms;
}

static int64_t mqtt_timer_ms(const struct mqtt *mqtt)
{
	if (mqtt->state == MQTT_RESTING)
		return mqtt->next_try_ms;
	if (mqtt->broken)
		return 0;
	if (mqtt->state != MQTT_READY)
		return mqtt->deadline_ms;
	return mqtt_earlier(mqtt_answer_due_ms(mqtt), mqtt_next_ping_ms(mqtt));
}

static void mqtt_arm(struct mqtt *mqtt)
{
	int64_t when_ms = mqtt_timer_ms(mqtt);

	sd_event_source_set_time(mqtt->timer,
				 (uint64_t)(when_ms > 0 ? when_ms : 0) * 1000);
	sd_event_source_set_enabled(mqtt->timer, SD_EVENT_ONESHOT);
}

/* Pending messages */

static void mqtt_on_published(struct mosquitto *client, void *data, int id, int reason,
			      const mosquitto_property *properties)
{
	struct mqtt *mqtt = data;
	enum mqtt_outcome outcome = MQTT_DELIVERED;

	mqtt->heard = true;
	if (reason == MQTT_RC_NO_MATCHING_SUBSCRIBERS)
		outcome = MQTT_ABSENT;
	else if (reason >= MQTT_REASON_ERROR)
		outcome = MQTT_REFUSED;
	mqtt_pending_finish(mqtt, id, outcome);
}

/* Ends the connection */

static int64_t mqtt_rest_ms(struct mqtt *mqtt)
{
	int64_t most_ms = MQTT_RETRY_FIRST_MS;
	uint32_t random = 0;

	for (unsigned failure = 1; failure < mqtt->failures &&
				   most_ms < mqtt->settings.retry_max_s * INT64_C(1000);
	     failure++)
		most_ms *= 2;
	most_ms = mqtt_earlier(most_ms, mqtt->settings.retry_max_s * INT64_C(1000));
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint32_t)clock_boot_ms();
	return most_ms / 20 + random % (most_ms - most_ms / 20);
}

static void mqtt_drop_client(struct mqtt *mqtt)
{
	mqtt->io = sd_event_source_disable_unref(mqtt->io);
	if (mqtt->client)
		mosquitto_destroy(mqtt->client);
	mqtt->client = NULL;
	if (mqtt->fd >= 0)
		close(mqtt->fd);
	mqtt->fd = -1;
}

static bool mqtt_host_is_name(const struct mqtt *mqtt)
{
	struct in6_addr address;

	return inet_pton(AF_INET, mqtt->settings.host, &address) != 1 &&
	       inet_pton(AF_INET6, mqtt->settings.host, &address) != 1;
}

/* The broker was not reached: tries its addresses of another family, each once. */
static bool mqtt_try_other_family(struct mqtt *mqtt)
{
	int tried = mqtt->family; /* unless there is a socket */
	socklen_t length = sizeof(tried);

	if (mqtt->state != MQTT_CONNECTING || !mqtt->opening || !mqtt_host_is_name(mqtt))
		return false;
	getsockopt(mqtt->fd, SOL_SOCKET, SO_DOMAIN, &tried, &length);
	mqtt->tried_any = true;
	mqtt->tried_ipv4 |= tried == AF_INET;
	mqtt->tried_ipv6 |= tried == AF_INET6;
	if (mqtt->tried_ipv4 && mqtt->tried_ipv6)
		return false;
	mqtt_drop_client(mqtt);
	mqtt->family = mqtt->tried_ipv4 ? AF_INET6 : AF_INET;
	mqtt->state = MQTT_RESTING;
	mqtt->broken = false;
	mqtt->next_try_ms = 0;
	return true;
}

static void mqtt_close(struct mqtt *mqtt)
{
	int64_t now_ms = clock_boot_ms();
	char why[MQTT_WHY_BYTES];

	if (mqtt_try_other_family(mqtt))
		return;
	mqtt->tried_ipv4 = mqtt->tried_ipv6 = mqtt->tried_any = false;
	if (mqtt->state == MQTT_READY && now_ms - mqtt->ready_since_ms >= MQTT_STABLE_MS)
		mqtt->failures = 0;
	mqtt->failures++;
	memcpy(why, mqtt->why, sizeof(why));
	mqtt_drop_client(mqtt);
	mqtt->state = MQTT_RESTING;
	mqtt->broken = false;
	mqtt->next_try_ms = now_ms + mqtt_rest_ms(mqtt);
	mqtt_pending_lose_all(mqtt);
	mqtt->settings.gone(mqtt->settings.data, why);
}

void mqtt_note_result(struct mqtt *mqtt, int result)
{
	if (result == MOSQ_ERR_ERRNO)
		mqtt_break(mqtt, "%s", strerror(errno));
	else if (result != MOSQ_ERR_SUCCESS)
		mqtt_break(mqtt, "%s", mosquitto_strerror(result));
}

/* libmosquitto's callbacks */

static void mqtt_on_connected(struct mosquitto *client, void *data, int reason, int flags,
			      const mosquitto_property *properties)
{
	struct mqtt *mqtt = data;

	mqtt->heard = true;
	if (reason != MQTT_RC_SUCCESS)
		mqtt_break(mqtt, "the broker refuses the connection: %s",
			   mosquitto_reason_string(reason));
	else
		mqtt->acknowledged = true;
}

static void mqtt_on_subscribed(struct mosquitto *client, void *data, int id, int count,
			       const int *granted, const mosquitto_property *properties)
{
	struct mqtt *mqtt = data;

	mqtt->heard = true;
	for (int at = 0; at < count; at++) {
		if (granted[at] >= MQTT_REASON_ERROR)
			mqtt_break(mqtt, "the broker refuses the subscription: %s",
				   mosquitto_reason_string(granted[at]));
	}
	if (++mqtt->subacks >= mqtt->filters)
		mqtt->subscribed = true;
}

static void mqtt_on_disconnected(struct mosquitto *client, void *data, int reason,
				 const mosquitto_property *properties)
{
	struct mqtt *mqtt = data;

	if (reason >= MQTT_REASON_ERROR)
		mqtt_break(mqtt, "the broker ended the connection: %s",
			   mosquitto_reason_string(reason));
	else
		mqtt_break(mqtt, "the connection to the broker broke: %s",
			   mosquitto_strerror(reason));
}

static void mqtt_on_message(struct mosquitto *client, void *data,
			    const struct mosquitto_message *received,
			    const mosquitto_property *properties)
{
	struct mqtt *mqtt = data;
	char *response_topic = NULL;
	void *correlation = NULL;
	uint16_t correlation_length = 0;
	struct mqtt_message message = {
		.topic = received->topic,
		.payload = received->payload ? received->payload : "",
		.length = (size_t)received->payloadlen,
		.retain = received->retain,
	};

	mqtt->heard = true;
	/* libmosquitto acknowledges it when this returns. */
	mqtt->written_ms = clock_boot_ms();
	mqtt->written_awake_ms = clock_monotonic_ms();
	if (mqtt->state != MQTT_READY && mqtt->state != MQTT_SUBSCRIBING)
		return;
	if (message.length > mqtt->settings.message_max)
		return;
	mosquitto_property_read_string(properties, MQTT_PROP_RESPONSE_TOPIC,
				       &response_topic, false);
	mosquitto_property_read_binary(properties, MQTT_PROP_CORRELATION_DATA,
				       &correlation, &correlation_length, false);
	message.response_topic = response_topic;
	message.correlation = correlation;
	message.correlation_length = correlation_length;
	if (correlation_length <= MQTT_CORRELATION_MAX && !mqtt->broken)
		mqtt->settings.message(mqtt->settings.data, &message);
	free(response_topic);
	free(correlation);
}

/* Reading and writing */

/*
 * Counts the bytes of the connection that libmosquitto has read; those that arrive meanwhile may
 * lack. Returns false if the kernel does not count them.
 */
static bool mqtt_count_consumed(const struct mqtt *mqtt, uint64_t *bytes_out)
{
	struct tcp_info facts = { 0 };
	socklen_t length = sizeof(facts);
	int waiting = 0;

	if (getsockopt(mqtt->fd, IPPROTO_TCP, TCP_INFO, &facts, &length) < 0 ||
	    ioctl(mqtt->fd, FIONREAD, &waiting) < 0)
		return false;
	*bytes_out = facts.tcpi_bytes_received - (uint64_t)waiting;
	return true;
}

/* libmosquitto collects a packet of any length, up to 256 MiB, before it shows it. */
static void mqtt_check_length(struct mqtt *mqtt)
{
	uint64_t now;

	if (mqtt->heard) {
		mqtt->counting = false;
		return;
	}
	if (!mqtt_count_consumed(mqtt, &now))
		return;
	if (!mqtt->counting) {
		mqtt->counting = true;
		mqtt->consumed = now;
	} else if ((int64_t)(now - mqtt->consumed) >
		   (int64_t)(mqtt->settings.message_max + MQTT_PACKET_SLACK_BYTES)) {
		mqtt_break(mqtt, "the broker sends more than %zu bytes in one packet",
			   mqtt->settings.message_max);
	}
}

static void mqtt_note_read(struct mqtt *mqtt)
{
	mqtt->read_ms = clock_boot_ms();
	mqtt->read_awake_ms = clock_monotonic_ms();
	mqtt->pinged_ms = 0;
}

static void mqtt_note_written(struct mqtt *mqtt)
{
	mqtt->written_ms = clock_boot_ms();
	mqtt->written_awake_ms = clock_monotonic_ms();
}

static void mqtt_read(struct mqtt *mqtt)
{
	mqtt->heard = false;
	mqtt_note_result(mqtt, mosquitto_loop_read(mqtt->client, MQTT_PACKETS_PER_TURN));
	mqtt_note_read(mqtt);
	if (!mqtt->broken)
		mqtt_check_length(mqtt);
}

static void mqtt_write(struct mqtt *mqtt)
{
	mqtt_note_result(mqtt, mosquitto_loop_write(mqtt->client, MQTT_PACKETS_PER_TURN));
	mqtt_note_written(mqtt);
}

static void mqtt_subscribe(struct mqtt *mqtt)
{
	mqtt->acknowledged = false;
	mqtt->state = MQTT_SUBSCRIBING;
	mqtt->subacks = 0;
	mqtt->subscribed = mqtt->filters == 0;
	for (unsigned at = 0; at < mqtt->filters && !mqtt->broken; at++)
		mqtt_note_result(mqtt, mosquitto_subscribe_v5(mqtt->client, NULL,
							      mqtt->settings.filters[at],
							      MQTT_QOS, 0, NULL));
	mqtt_note_written(mqtt);
}

static void mqtt_watch(struct mqtt *mqtt)
{
	bool write = mqtt->opening || mosquitto_want_write(mqtt->client);

	sd_event_source_set_io_events(mqtt->io,
				      EPOLLIN | EPOLLRDHUP | (write ? EPOLLOUT : 0));
}

/* What follows from a turn of libmosquitto. The connection may be over afterwards. */
static void mqtt_conclude(struct mqtt *mqtt)
{
	if (!mqtt->broken && mqtt->acknowledged)
		mqtt_subscribe(mqtt);
	if (mqtt->broken) {
		mqtt_close(mqtt);
	} else if (mqtt->state == MQTT_SUBSCRIBING && mqtt->subscribed) {
		mqtt->state = MQTT_READY;
		mqtt->ready_since_ms = clock_boot_ms();
		mqtt->settings.ready(mqtt->settings.data);
	}
	if (mqtt->client)
		mqtt_watch(mqtt);
	mqtt_arm(mqtt);
}

/* Before CONNACK, libmosquitto takes an end of the connection for a pause of the handshake. */
static void mqtt_check_opening(struct mqtt *mqtt, uint32_t events)
{
	int error = 0, waiting = 0;
	socklen_t length = sizeof(error);

	if (mqtt->state != MQTT_CONNECTING || mqtt->acknowledged)
		return;
	if (getsockopt(mqtt->fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error) {
		mqtt_break(mqtt, "%s", strerror(error));
		return;
	}
	if (events & EPOLLOUT)
		mqtt->opening = false;
	if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP) &&
	    ioctl(mqtt->fd, FIONREAD, &waiting) == 0 && !waiting)
		mqtt_break(mqtt, "the broker closed the connection");
}

static int mqtt_on_io(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct mqtt *mqtt = data;

	if (mqtt->state == MQTT_CONNECTING)
		mqtt_check_opening(mqtt, events & ~(uint32_t)EPOLLRDHUP);
	if (!mqtt->broken &&
	    (mqtt->state == MQTT_CONNECTING || events & ~(uint32_t)EPOLLOUT))
		mqtt_read(mqtt);
	if (!mqtt->broken && mosquitto_want_write(mqtt->client))
		mqtt_write(mqtt);
	if (!mqtt->broken)
		mqtt_check_opening(mqtt, events);
	mqtt_conclude(mqtt);
	return 0;
}

static void mqtt_ping(struct mqtt *mqtt)
{
	int64_t now_ms = clock_monotonic_ms();
	int64_t silent_ms =
		now_ms - mqtt_earlier(mqtt->read_awake_ms, mqtt->written_awake_ms);

	if (silent_ms < mqtt_keep_alive_ms(mqtt) / 2) {
		mqtt_break(mqtt, "the machine slept");
		return;
	}
	if (silent_ms < mqtt_keep_alive_ms(mqtt) + 1000) { /* slept for a moment */
		mqtt->read_ms = mqtt->written_ms = clock_boot_ms() - silent_ms;
		return;
	}
	mqtt_note_result(mqtt, mosquitto_loop_misc(mqtt->client));
	mqtt_note_read(mqtt);
	mqtt_note_written(mqtt);
	mqtt->pinged_ms = mqtt->read_ms;
}

static int mqtt_on_timer(sd_event_source *source, uint64_t time_us, void *data)
{
	struct mqtt *mqtt = data;
	int64_t now_ms = clock_boot_ms();

	if (mqtt->state == MQTT_RESTING && now_ms >= mqtt->next_try_ms)
		mqtt_start(mqtt);
	else if (mqtt->broken || mqtt->state == MQTT_RESTING)
		;
	else if (mqtt->state != MQTT_READY && now_ms >= mqtt->deadline_ms)
		mqtt_break(mqtt, "the broker does not answer");
	else if (mqtt->state == MQTT_READY && now_ms >= mqtt_answer_due_ms(mqtt))
		mqtt_break(mqtt, "the broker does not answer any more");
	else if (mqtt->state == MQTT_READY && now_ms >= mqtt_next_ping_ms(mqtt))
		mqtt_ping(mqtt);
	mqtt_conclude(mqtt);
	return 0;
}

/* Connecting */

static void mqtt_set_callbacks(struct mosquitto *client)
{
	mosquitto_connect_v5_callback_set(client, mqtt_on_connected);
	mosquitto_disconnect_v5_callback_set(client, mqtt_on_disconnected);
	mosquitto_publish_v5_callback_set(client, mqtt_on_published);
	mosquitto_subscribe_v5_callback_set(client, mqtt_on_subscribed);
	mosquitto_message_v5_callback_set(client, mqtt_on_message);
}

static void mqtt_watch_socket(struct mqtt *mqtt)
{
	unsigned timeout_ms = mqtt->settings.answer_timeout_ms;

	mqtt->fd = fcntl(mosquitto_socket(mqtt->client), F_DUPFD_CLOEXEC, 0);
	if (mqtt->fd < 0 || sd_event_add_io(mqtt->loop, &mqtt->io, mqtt->fd,
					    EPOLLIN | EPOLLOUT, mqtt_on_io, mqtt) < 0) {
		mqtt_break(mqtt, "no memory for a connection");
		return;
	}
	/* Bytes that nobody acknowledges mean that the way to the broker is gone. */
	setsockopt(mqtt->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms,
		   sizeof(timeout_ms));
}

/* Binding to it leaves only addresses of that family. */
static const char *mqtt_own_address(const struct mqtt *mqtt)
{
	return mqtt->family == AF_INET	  ? "0.0.0.0"
	       : mqtt->family == AF_INET6 ? "::"
					  : NULL;
}

static void mqtt_start(struct mqtt *mqtt)
{
	const struct mqtt_settings *settings = &mqtt->settings;
	int result = MOSQ_ERR_NOMEM;

	mqtt->state = MQTT_CONNECTING;
	mqtt->deadline_ms = clock_boot_ms() + mqtt->settings.answer_timeout_ms;
	mqtt->opening = true;
	mqtt->acknowledged = mqtt->subscribed = mqtt->counting = false;
	mqtt->pinged_ms = 0;
	mqtt_note_read(mqtt);
	mqtt_note_written(mqtt);
	mqtt->client = mosquitto_new(settings->client_id, true, mqtt);
	if (mqtt->client) {
		mqtt_set_callbacks(mqtt->client);
		result = mqtt_settings_apply(settings, mqtt->client);
	}
	if (!result)
		result = mosquitto_connect_bind_async(
			mqtt->client, settings->host, (int)settings->port,
			(int)settings->keep_alive_s, mqtt_own_address(mqtt));
	if (result == MOSQ_ERR_EAI) {
		mqtt->opening = false;
		mqtt_break(mqtt, "there is no such host as %s", settings->host);
	}
	if (result && mqtt->tried_any)
		mqtt->broken = true; /* it has no such address: the try before says why */
	mqtt_note_result(mqtt, result);
	if (!mqtt->broken)
		mqtt_watch_socket(mqtt);
}

bool mqtt_is_ready(const struct mqtt *mqtt)
{
	return mqtt->state == MQTT_READY && !mqtt->broken;
}

int mqtt_publish(struct mqtt *mqtt, const struct mqtt_message *message,
		 void (*done)(void *data, enum mqtt_outcome outcome), void *data)
{
	int error;

	if (!mqtt_is_ready(mqtt))
		return -ENOTCONN;
	error = mqtt_pending_add(mqtt, message, done, data);
	if (error)
		return error;
	mqtt_note_written(mqtt);
	mqtt_watch(mqtt);
	mqtt_arm(mqtt);
	return 0;
}

void mqtt_reconnect(struct mqtt *mqtt)
{
	if (mqtt->state == MQTT_RESTING)
		return;
	mqtt_break(mqtt, "asked to connect again");
	mqtt_arm(mqtt);
}

void mqtt_rest(struct mqtt *mqtt, unsigned seconds)
{
	mqtt->next_try_ms = clock_boot_ms() + (int64_t)seconds * 1000;
}

struct mqtt *mqtt_new(sd_event *loop, const struct mqtt_settings *settings)
{
	struct mqtt *mqtt = calloc(1, sizeof(*mqtt));

	if (!mqtt)
		return NULL;
	mosquitto_lib_init();
	mqtt->loop = sd_event_ref(loop);
	mqtt->fd = -1;
	mqtt->pending_end = &mqtt->first_pending;
	if (!mqtt_settings_copy(mqtt, settings) ||
	    sd_event_add_time(loop, &mqtt->timer, CLOCK_BOOTTIME, 0, 0, mqtt_on_timer,
			      mqtt) < 0) {
		mqtt_free(mqtt);
		return NULL;
	}
	return mqtt;
}

void mqtt_free(struct mqtt *mqtt)
{
	if (!mqtt)
		return;
	if (mqtt_is_ready(mqtt))
		mosquitto_disconnect_v5(mqtt->client, MQTT_RC_DISCONNECT_WITH_WILL_MSG,
					NULL);
	mqtt_drop_client(mqtt);
	mqtt_pending_deinit(mqtt);
	sd_event_source_disable_unref(mqtt->timer);
	sd_event_unref(mqtt->loop);
	mqtt_settings_free(&mqtt->settings);
	free(mqtt);
	mosquitto_lib_cleanup();
}
