/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <mqtt_protocol.h>
#include <stdlib.h>
#include <string.h>

#include "mqtt/mqtt_private.h"

enum { MQTT_SETTINGS_INFLIGHT_MAX = 1000 }; /* the broker may want fewer */

#define MQTT_SETTINGS_CERTIFICATES "/etc/ssl/certs" /* of the system */

static bool mqtt_settings_copy_text(const char **text)
{
	if (*text)
		*text = strdup(*text);
	return *text;
}

bool mqtt_settings_copy(struct mqtt *mqtt, const struct mqtt_settings *settings)
{
	struct mqtt_settings *own = &mqtt->settings;
	bool copied;

	*own = *settings;
	if (!own->answer_timeout_ms)
		own->answer_timeout_ms = MQTT_ANSWER_TIMEOUT_MS;
	copied = mqtt_settings_copy_text(&own->host);
	copied = mqtt_settings_copy_text(&own->client_id) && copied;
	copied = (mqtt_settings_copy_text(&own->ca_file) || !settings->ca_file) && copied;
	copied = (mqtt_settings_copy_text(&own->user) || !settings->user) && copied;
	copied = (mqtt_settings_copy_text(&own->password) || !settings->password) &&
		 copied;
	for (unsigned at = 0; at < MQTT_FILTERS_MAX && settings->filters[at]; at++) {
		copied = mqtt_settings_copy_text(&own->filters[at]) && copied;
		mqtt->filters++;
	}
	return copied;
}

void mqtt_settings_free(struct mqtt_settings *settings)
{
	if (settings->password)
		explicit_bzero((char *)(uintptr_t)settings->password,
			       strlen(settings->password));
	free((char *)(uintptr_t)settings->host);
	free((char *)(uintptr_t)settings->client_id);
	free((char *)(uintptr_t)settings->ca_file);
	free((char *)(uintptr_t)settings->user);
	free((char *)(uintptr_t)settings->password);
	for (unsigned at = 0; at < MQTT_FILTERS_MAX; at++)
		free((char *)(uintptr_t)settings->filters[at]);
}

int mqtt_settings_apply(const struct mqtt_settings *settings, struct mosquitto *client)
{
	const struct mqtt_message *will =
		settings->will ? settings->will(settings->data) : NULL;
	int result =
		mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);

	if (!result)
		result = mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
	if (!result)
		result = mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM,
					      MQTT_SETTINGS_INFLIGHT_MAX);
	if (!result && settings->user)
		result = mosquitto_username_pw_set(client, settings->user,
						   settings->password);
	if (!result && settings->tls)
		result = mosquitto_tls_set(client, settings->ca_file,
					   settings->ca_file ? NULL
							     : MQTT_SETTINGS_CERTIFICATES,
					   NULL, NULL, NULL);
	if (!result && will)
		result = mosquitto_will_set_v5(client, will->topic, (int)will->length,
					       will->payload, MQTT_QOS, will->retain,
					       NULL);
	return result;
}
