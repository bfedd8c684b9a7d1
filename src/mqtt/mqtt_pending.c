/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <mqtt_protocol.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mqtt/mqtt_private.h"

static void mqtt_pending_drop(struct mqtt *mqtt, struct mqtt_pending **place)
{
	struct mqtt_pending *pending = *place;

	*place = pending->next;
	if (mqtt->pending_end == &pending->next)
		mqtt->pending_end = place;
	mqtt->pending_count--;
	mqtt->pending_bytes -= pending->length;
}

static void mqtt_pending_report(struct mqtt *mqtt, struct mqtt_pending **place,
				enum mqtt_outcome outcome)
{
	struct mqtt_pending *pending = *place;

	mqtt_pending_drop(mqtt, place);
	if (pending->done)
		pending->done(pending->data, outcome);
	free(pending);
}

static int mqtt_pending_write_properties(const struct mqtt_message *message,
					 mosquitto_property **properties)
{
	int result = MOSQ_ERR_SUCCESS;

	if (message->response_topic)
		result = mosquitto_property_add_string(
			properties, MQTT_PROP_RESPONSE_TOPIC, message->response_topic);
	if (!result && message->correlation_length)
		result = mosquitto_property_add_binary(
			properties, MQTT_PROP_CORRELATION_DATA, message->correlation,
			(uint16_t)message->correlation_length);
	if (!result && message->expiry_s)
		result = mosquitto_property_add_int32(
			properties, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, message->expiry_s);
	return result;
}

/* Returns 0 if libmosquitto has it, and will publish it unless the connection breaks. */
static int mqtt_pending_hand_over(struct mqtt *mqtt, const struct mqtt_message *message,
				  int *id_out)
{
	mosquitto_property *properties = NULL;
	int result = mqtt_pending_write_properties(message, &properties);

	if (!result)
		result = mosquitto_publish_v5(mqtt->client, id_out, message->topic,
					      (int)message->length, message->payload,
					      MQTT_QOS, message->retain, properties);
	mosquitto_property_free_all(&properties);
	switch (result) {
	case MOSQ_ERR_SUCCESS:
		return 0;
	case MOSQ_ERR_NOMEM:
		return -ENOMEM;
	case MOSQ_ERR_PAYLOAD_SIZE:
	case MOSQ_ERR_OVERSIZE_PACKET:
		return -EMSGSIZE;
	case MOSQ_ERR_CONN_LOST:
	case MOSQ_ERR_ERRNO:
	case MOSQ_ERR_TLS: /* a part of it may be on its way */
		mqtt_note_result(mqtt, result);
		return 0;
	default:
		return -EINVAL;
	}
}

int mqtt_pending_add(struct mqtt *mqtt, const struct mqtt_message *message,
		     void (*done)(void *data, enum mqtt_outcome outcome), void *data)
{
	struct mqtt_pending *pending;
	int error;

	if (message->correlation_length > MQTT_CORRELATION_MAX)
		return -EINVAL;
	if (mqtt->pending_count >= MQTT_PENDING_MAX ||
	    message->length > MQTT_PENDING_BYTES_MAX - mqtt->pending_bytes)
		return -EBUSY;
	pending = malloc(sizeof(*pending));
	if (!pending)
		return -ENOMEM;
	*pending = (struct mqtt_pending){ .length = message->length,
					  .sent_ms = clock_boot_ms(),
					  .done = done,
					  .data = data };
	error = mqtt_pending_hand_over(mqtt, message, &pending->id);
	if (error) {
		free(pending);
		return error;
	}
	*mqtt->pending_end = pending;
	mqtt->pending_end = &pending->next;
	mqtt->pending_count++;
	mqtt->pending_bytes += pending->length;
	return 0;
}

/* Brokers acknowledge in order, so this is nearly always the first. */
void mqtt_pending_finish(struct mqtt *mqtt, int id, enum mqtt_outcome outcome)
{
	for (struct mqtt_pending **at = &mqtt->first_pending; *at; at = &(*at)->next) {
		if ((*at)->id != id)
			continue;
		mqtt_pending_report(mqtt, at, outcome);
		return;
	}
}

void mqtt_pending_lose_all(struct mqtt *mqtt)
{
	while (mqtt->first_pending)
		mqtt_pending_report(mqtt, &mqtt->first_pending, MQTT_LOST);
}

void mqtt_pending_deinit(struct mqtt *mqtt)
{
	while (mqtt->first_pending) {
		struct mqtt_pending *pending = mqtt->first_pending;

		mqtt_pending_drop(mqtt, &mqtt->first_pending);
		free(pending);
	}
}
