/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MQTT: one connection to an MQTT 5 broker, by libmosquitto on the event loop.
 *
 * It connects outward and goes on doing so until it is freed: after a failure it waits, at first
 * about MQTT_RETRY_FIRST_MS, then up to `retry_max_s`, each time a random part of it, so that
 * thousands of clients do not come back at the same moment.  A session is always clean and ends
 * with its connection: the broker keeps nothing for a client that is away, and a publisher
 * learns that nobody is there (MQTT_ABSENT).
 *
 * Nothing is sent twice: a message that was not acknowledged when the connection broke is
 * reported as MQTT_LOST, and is not sent again.  Everything is bounded: messages that wait for
 * the broker's acknowledgement, their bytes, the length of what the broker sends, and the time it
 * may take.  The name of the broker is resolved by libmosquitto, which waits for that.
 *
 * Callbacks run from the event loop.  They may publish, but not free the connection
 * (tests/unit/test_mqtt.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct mqtt;

enum {
	MQTT_FILTERS_MAX = 4,
	MQTT_RETRY_FIRST_MS = 2000,
	MQTT_ANSWER_TIMEOUT_MS = 20 * 1000,
	MQTT_PENDING_MAX = 8192, /* messages without their PUBACK */
	MQTT_PENDING_BYTES_MAX = 32 * 1024 * 1024,
	MQTT_CORRELATION_MAX = 64, /* bytes */
};

enum mqtt_outcome {
	MQTT_DELIVERED, /* the broker has it, and has a subscriber for it */
	MQTT_ABSENT, /* PUBACK 0x10: nobody subscribes, so certainly nobody receives it */
	MQTT_REFUSED, /* by the broker, such as for want of permission: nobody receives it */
	MQTT_LOST,    /* the connection broke: it may or may not be delivered */
};

struct mqtt_message {
	const char *topic;
	const char *payload; /* any bytes */
	size_t length;
	bool retain;
	const char *response_topic; /* NULL if there is none */
	const void *correlation;
	size_t correlation_length; /* 0 if there is none; up to MQTT_CORRELATION_MAX */
	unsigned expiry_s;	   /* 0 if it does not expire */
};

/* All texts are copied. */
struct mqtt_settings {
	const char *host;
	unsigned port;
	bool tls;
	const char *ca_file;   /* NULL means the system's certificates */
	const char *client_id; /* one connection for each: a second one ends the first */
	const char *user;      /* NULL if there is none */
	const char *password;  /* NULL if there is none */
	unsigned keep_alive_s; /* at least 5 */
	unsigned retry_max_s;  /* at least 1 */
	/* for connecting, of a ping and of a PUBACK; 0 means MQTT_ANSWER_TIMEOUT_MS */
	unsigned answer_timeout_ms;
	size_t message_max; /* bytes of a payload that is accepted */
	const char
		*filters[MQTT_FILTERS_MAX]; /* subscribed to after each connect, QoS 1 */
	/*
	 * Called before each attempt to connect; or NULL. Returns the will, which the broker
	 * publishes when the connection breaks; NULL if there is none. It is copied.
	 */
	const struct mqtt_message *(*will)(void *data);
	/* Connected, and all filters are subscribed to. */
	void (*ready)(void *data);
	/*
	 * An attempt failed, or the connection broke. `why` is for a log or a status. Pending
	 * messages were reported as MQTT_LOST before.
	 */
	void (*gone)(void *data, const char *why);
	/* The message and what it points to end when this returns. */
	void (*message)(void *data, const struct mqtt_message *message);
	void *data;
};

/*
 * Starts to connect, from the loop. Returns NULL if memory runs out, and or libmosquitto cannot be
 * used.
 */
struct mqtt *mqtt_new(sd_event *loop, const struct mqtt_settings *settings);
/*
 * Disconnects, upon which the broker publishes the will, and reports nothing more, not even
 * what is pending. NULL is fine.
 */
void mqtt_free(struct mqtt *mqtt);

/* Is true from `ready` to `gone`. */
bool mqtt_is_ready(const struct mqtt *mqtt);

/*
 * Publishes with QoS 1. Returns 0 if `done` runs exactly once, later, unless the connection is
 * freed first; it may be NULL. After -ENOTCONN (not ready), -EBUSY (too much is pending), -EMSGSIZE
 * (more than the broker takes), -ENOMEM or -EINVAL nothing was sent, and `done` does not run.
 */
int mqtt_publish(struct mqtt *mqtt, const struct mqtt_message *message,
		 void (*done)(void *data, enum mqtt_outcome outcome), void *data);

/* Breaks the connection as a failure would, soon after this call; then it connects again. */
void mqtt_reconnect(struct mqtt *mqtt);
/* For `gone`: the next attempt is so many seconds away. */
void mqtt_rest(struct mqtt *mqtt, unsigned seconds);
