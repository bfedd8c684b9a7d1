/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a connection: mqtt.c has its states, mqtt_pending.c the messages without their
 * PUBACK, mqtt_settings.c how it was asked for.
 */
#pragma once

#include <mosquitto.h>

#include "mqtt/mqtt.h"

enum { MQTT_WHY_BYTES = 192, MQTT_QOS = 1 };

enum mqtt_state { MQTT_RESTING, MQTT_CONNECTING, MQTT_SUBSCRIBING, MQTT_READY };

/* A message without its PUBACK. */
struct mqtt_pending {
	struct mqtt_pending *next;
	int id; /* of the packet */
	size_t length;
	int64_t sent_ms;
	void (*done)(void *data, enum mqtt_outcome outcome);
	void *data;
};

struct mqtt {
	sd_event *loop;
	struct mqtt_settings settings; /* texts are ours */
	enum mqtt_state state;
	struct mosquitto *client; /* NULL with MQTT_RESTING */
	int fd;			  /* a duplicate; -1 if there is none */
	sd_event_source *io, *timer;
	bool opening; /* the socket has not become writable yet */
	/*
	 * libmosquitto tries only the first address of a name, and one of the other family may be
	 * what the broker serves: AF_INET or AF_INET6 tries that family alone, 0 any.
	 */
	int family;
	bool tried_ipv4, tried_ipv6, tried_any; /* in this attempt to connect */
	bool broken; /* to be closed when libmosquitto's function has returned */
	bool acknowledged, subscribed; /* CONNACK and the last SUBACK, just received */
	bool heard;		       /* some packet in this turn */
	char why[MQTT_WHY_BYTES];      /* it is broken */
	unsigned filters, subacks;
	unsigned failures; /* attempts and short connections in a row */
	/* times by clock_boot_ms(); those of libmosquitto by clock_monotonic_ms() */
	int64_t next_try_ms, deadline_ms, ready_since_ms;
	int64_t read_ms, written_ms;		 /* the last packets */
	int64_t read_awake_ms, written_awake_ms; /* the same, by the clock that sleeps */
	int64_t pinged_ms;			 /* 0 if no ping is unanswered */
	uint64_t consumed; /* bytes, when the last packet was complete */
	bool counting;	   /* `consumed` holds */
	struct mqtt_pending *first_pending, **pending_end;
	unsigned pending_count;
	size_t pending_bytes;
};

/* mqtt.c: notes that the connection is to be closed, once, when it is safe. */
__attribute__((format(printf, 2, 3))) void mqtt_break(struct mqtt *mqtt,
						      const char *format, ...);
/* Notes what a function of libmosquitto returned. */
void mqtt_note_result(struct mqtt *mqtt, int result);

/*
 * mqtt_pending.c: hands the message to libmosquitto and keeps `done` until the PUBACK. Returns 0 or
 * -errno, like mqtt_publish().
 */
int mqtt_pending_add(struct mqtt *mqtt, const struct mqtt_message *message,
		     void (*done)(void *data, enum mqtt_outcome outcome), void *data);
/* The PUBACK of this packet has come. An unknown one is ignored. */
void mqtt_pending_finish(struct mqtt *mqtt, int id, enum mqtt_outcome outcome);
void mqtt_pending_lose_all(struct mqtt *mqtt);
void mqtt_pending_deinit(struct mqtt *mqtt); /* reports nothing */

/*
 * Copies the settings (mqtt_settings.c). Returns false if memory runs out; the copy is freed by
 * mqtt_settings_free() in any case.
 */
bool mqtt_settings_copy(struct mqtt *mqtt, const struct mqtt_settings *settings);
void mqtt_settings_free(struct mqtt_settings *settings);
/* Sets up a new client of libmosquitto. Returns its result. */
int mqtt_settings_apply(const struct mqtt_settings *settings, struct mosquitto *client);
