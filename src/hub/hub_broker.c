/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hub is one client of the broker, with the name "hub": a second hub of the same fleet ends
 * the connection of the first, and both say so in their logs. The older one stays away once a phone
 * has told it that it is. It subscribes to the answers and the presence of all phones. Nothing
 * depends on what the broker keeps.
 */
#include "hub/hub_broker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/explanation.h"
#include "base/log.h"
#include "config/config.h"
#include "fleet/fleet_topic.h"

enum {
	HUB_BROKER_KEEP_ALIVE_S = 30,
	HUB_BROKER_RETRY_MAX_S = 15,
	HUB_BROKER_REPLACED_REST_S = 600,
	HUB_BROKER_PORT_MAX = 65535,
	HUB_BROKER_PASSWORD_BYTES = 256,
};

struct hub_broker {
	struct hub_phones *phones;
	struct mqtt *mqtt;
	char host[JOIN_CODE_HOST_BYTES];
	char address[CONFIG_TEXT_BYTES];
};

const char *hub_broker_prefix(const struct config *config)
{
	return fleet_topic_is_prefix(config->broker_prefix) ? config->broker_prefix
							    : FLEET_PREFIX_DEFAULT;
}

/* Reads "HOST:PORT", "[::1]:1883"; without a port the usual one. */
static bool hub_broker_read_address(const char *address, bool tls,
				    char host[JOIN_CODE_HOST_BYTES], unsigned *port_out)
{
	const char *colon = strrchr(address, ':');
	const char *bracket = strrchr(address, ']');
	size_t length;
	char *end;

	if (colon && (bracket ? colon < bracket : strchr(address, ':') != colon))
		colon = NULL;
	*port_out = tls ? 8883 : 1883;
	if (colon) {
		unsigned long port = strtoul(colon + 1, &end, 10);

		if (end == colon + 1 || *end || !port || port > HUB_BROKER_PORT_MAX)
			return false;
		*port_out = (unsigned)port;
	}
	length = colon ? (size_t)(colon - address) : strlen(address);
	if (bracket && *address == '[') {
		address++;
		length = (size_t)(bracket - address);
	}
	if (!length || length >= JOIN_CODE_HOST_BYTES)
		return false;
	memcpy(host, address, length);
	host[length] = '\0';
	return true;
}

/* Reads the beginning of a file. Returns the bytes read, or -errno. */
static ssize_t hub_broker_read_file(const char *path, bool is_secret, char *text,
				    size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat file;
	ssize_t length = -errno;

	if (fd < 0)
		return length;
	if (fstat(fd, &file) < 0)
		length = -errno;
	else if (!S_ISREG(file.st_mode))
		length = -EINVAL;
	else if (is_secret && (file.st_mode & S_IROTH))
		length = -EPERM;
	else
		length = read(fd, text, size - 1);
	if (length < 0 && length == -1)
		length = -errno;
	close(fd);
	if (length >= 0)
		text[length] = '\0';
	return length;
}

int hub_broker_fill_code(const struct config *config, struct join_code *code_out,
			 struct explanation *error)
{
	const char *address = *config->broker_phones_address
				      ? config->broker_phones_address
				      : config->broker_address;
	ssize_t length;

	memset(code_out, 0, sizeof(*code_out));
	code_out->tls = config->broker_phones_tls;
	snprintf(code_out->prefix, sizeof(code_out->prefix), "%.*s",
		 FLEET_PREFIX_BYTES - 1, hub_broker_prefix(config));
	if (!*address)
		return explanation_set(
			error, -ENOENT,
			"the configuration names no broker: set address in [broker]");
	if (!hub_broker_read_address(address, code_out->tls, code_out->host,
				     &code_out->port))
		return explanation_set(error, -EINVAL, "\"%s\" is not HOST:PORT",
				       address);
	if (!code_out->tls || !*config->broker_ca_file)
		return 0;
	length = hub_broker_read_file(config->broker_ca_file, false, code_out->ca,
				      sizeof(code_out->ca));
	if (length < 0)
		return explanation_set(error, (int)length, "%s: %s",
				       config->broker_ca_file, strerror((int)-length));
	if (length == (ssize_t)sizeof(code_out->ca) - 1)
		return explanation_set(error, -EFBIG,
				       "%s is too large to be part of a code",
				       config->broker_ca_file);
	return 0;
}

/* ---- the connection */

static int hub_broker_publish(void *data, const struct mqtt_message *message,
			      void (*done)(void *done_data, enum mqtt_outcome outcome),
			      void *done_data)
{
	struct hub_broker *broker = data;

	return broker && broker->mqtt
		       ? mqtt_publish(broker->mqtt, message, done, done_data)
		       : -ENOTCONN;
}

static void hub_broker_on_ready(void *data)
{
	struct hub_broker *broker = data;
	char condition[CONFIG_TEXT_BYTES + 64];

	snprintf(condition, sizeof(condition), "connected to the broker at %s",
		 broker->address);
	log_info("hub: %s", condition);
	hub_phones_set_connected(broker->phones, true, condition);
}

/* Has a phone refused this hub, because a newer one is at work? */
static bool hub_broker_is_replaced(const struct hub_broker *broker)
{
	const struct hub_phone *phone;

	TAILQ_FOREACH (phone, hub_phones_list(broker->phones), link) {
		if (phone->is_stale)
			return true;
	}
	return false;
}

static void hub_broker_on_gone(void *data, const char *why)
{
	struct hub_broker *broker = data;
	char condition[CONFIG_TEXT_BYTES + 192];
	bool was_connected = hub_phones_is_connected(broker->phones);

	if (hub_broker_is_replaced(broker)) {
		mqtt_rest(broker->mqtt, HUB_BROKER_REPLACED_REST_S);
		why = "a newer hub is at work: stop this one";
	}
	snprintf(condition, sizeof(condition),
		 "no connection to the broker at %s: %.128s", broker->address, why);
	if (was_connected || strcmp(condition, hub_phones_condition(broker->phones)) != 0)
		log_warning("hub: %s", condition);
	hub_phones_set_connected(broker->phones, false, condition);
}

static void hub_broker_on_message(void *data, const struct mqtt_message *message)
{
	struct hub_broker *broker = data;

	hub_phones_receive(broker->phones, message);
}

static int hub_broker_read_password(const struct config *config,
				    char password[HUB_BROKER_PASSWORD_BYTES])
{
	ssize_t length;

	password[0] = '\0';
	if (!*config->broker_password_file)
		return 0;
	length = hub_broker_read_file(config->broker_password_file, true, password,
				      HUB_BROKER_PASSWORD_BYTES);
	if (length < 0) {
		log_error("hub: %s: %s", config->broker_password_file,
			  length == -EPERM ? "everybody can read it"
					   : strerror((int)-length));
		return (int)length;
	}
	password[strcspn(password, "\r\n")] = '\0';
	return 0;
}

static int hub_broker_connect(struct hub_broker *broker, sd_event *loop,
			      const struct config *config)
{
	char answers[FLEET_TOPIC_BYTES], here[FLEET_TOPIC_BYTES];
	char password[HUB_BROKER_PASSWORD_BYTES];
	struct mqtt_settings settings = {
		.host = broker->host,
		.tls = config->broker_tls,
		.ca_file = *config->broker_ca_file ? config->broker_ca_file : NULL,
		.client_id = FLEET_HUB_NAME,
		.user = *config->broker_user ? config->broker_user : NULL,
		.password = password,
		.keep_alive_s = HUB_BROKER_KEEP_ALIVE_S,
		.retry_max_s = HUB_BROKER_RETRY_MAX_S,
		.message_max = FLEET_FRAME_MAX,
		.filters = { answers, here },
		.ready = hub_broker_on_ready,
		.gone = hub_broker_on_gone,
		.message = hub_broker_on_message,
		.data = broker,
	};
	int error = hub_broker_read_password(config, password);

	if (error)
		return error;
	if (!*password)
		settings.password = NULL;
	if (!hub_broker_read_address(config->broker_address, config->broker_tls,
				     broker->host, &settings.port)) {
		log_error("hub: broker.address: \"%s\" is not HOST:PORT",
			  config->broker_address);
		return -EINVAL;
	}
	fleet_topic_answer(hub_broker_prefix(config), "+", answers);
	fleet_topic_here(hub_broker_prefix(config), "+", here);
	broker->mqtt = mqtt_new(loop, &settings);
	explicit_bzero(password, sizeof(password));
	return broker->mqtt ? 0 : -ENOMEM;
}

int hub_broker_new(struct hub_phones *phones, sd_event *loop, const struct config *config,
		   struct hub_broker **broker_out,
		   struct hub_phones_transport *transport_out)
{
	struct hub_broker *broker;
	int error;

	transport_out->publish = hub_broker_publish;
	transport_out->data = NULL;
	if (!*config->broker_address) {
		hub_phones_set_connected(phones, false,
					 "the configuration names no broker");
		return 0;
	}
	broker = calloc(1, sizeof(*broker));
	if (!broker)
		return -ENOMEM;
	broker->phones = phones;
	snprintf(broker->address, sizeof(broker->address), "%s", config->broker_address);
	error = hub_broker_connect(broker, loop, config);
	if (error) {
		free(broker);
		return error;
	}
	transport_out->data = *broker_out = broker;
	return 0;
}

void hub_broker_free(struct hub_broker *broker)
{
	if (!broker)
		return;
	mqtt_free(broker->mqtt);
	free(broker);
}
