/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   connecting: a new session, sealed into the will -> ready: presence "here" -> requests ...
 *
 *   request   of another session: answered with the one that holds, not carried out
 *             of a hub with a lower epoch: answered, not carried out
 *             with a number that was taken: a repetition of the broker; no answer, because the
 *             first one is being answered
 *             REKEY: the new key is on disk before it is acknowledged; then a new connection
 *
 * What does not open was forged, damaged or meant for somebody else, and gets no answer.
 */
#include "link/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "link/link_private.h"

enum { LINK_EPOCH_BYTES = 8 };

static const char link_here[] =
	"{\"state\":\"here\",\"version\":\"" OFONO_MCP_VERSION "\"}";
static const char link_away[] = "{\"state\":\"gone\"}";

/* Writes the state, for "ofono-mcp status" and systemd */

static void link_write_state(const struct link *link, const char *state, const char *why)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	char now[CLOCK_TEXT_BYTES];
	FILE *file;

	if (!writer)
		return;
	clock_format(clock_wall_ms(), now);
	json_open_object(writer);
	json_put_string(writer, "state", state);
	json_put_string(writer, "why", why);
	json_put_string(writer, "phone", link->config.join.phone);
	json_put_string(writer, "broker", link->config.join.host);
	json_put_string(writer, "since", now);
	json_close_object(writer);
	json_writer_free(writer);
	file = text.failed || !link->state_path ? NULL : fopen(link->state_path, "we");
	if (file) {
		fwrite(text.data, 1, text.length, file);
		fclose(file);
	}
	buffer_deinit(&text);
	sd_notifyf(0, "STATUS=%s%s%s", state, *why ? ": " : "", why);
}

/* Sealing */

static int link_seal(struct link *link, const struct fleet_frame *frame,
		     const struct fleet_frame_place *place, const char *text,
		     size_t length, struct buffer *out)
{
	return fleet_frame_seal(&link->config.join.secret, frame, place, text, length,
				out);
}

static void link_publish(struct link *link, const struct mqtt_message *message,
			 void (*done)(void *data, enum mqtt_outcome outcome))
{
	int error = mqtt_publish(link->mqtt, message, done, link);

	if (error)
		log_warning("an answer for the hub could not be sent: %s",
			    strerror(-error));
}

static void link_publish_answer(struct link *link, const struct fleet_frame *frame,
				const void *correlation, size_t correlation_length,
				const char *text, size_t length,
				void (*done)(void *data, enum mqtt_outcome outcome))
{
	struct fleet_frame_place place = { link->answer, correlation,
					   correlation_length };
	struct buffer sealed = BUFFER_INIT;
	int error = link_seal(link, frame, &place, text, length, &sealed);
	struct mqtt_message message = { .topic = link->answer,
					.payload = sealed.data,
					.length = sealed.length,
					.correlation = correlation,
					.correlation_length = correlation_length,
					.expiry_s = FLEET_EXPIRY_S };

	if (error)
		log_error("an answer for the hub could not be sealed: %s",
			  strerror(-error));
	else
		link_publish(link, &message, done);
	buffer_deinit(&sealed);
}

void link_answer(struct link *link, const struct fleet_frame *frame,
		 const void *correlation, size_t correlation_length, const char *text,
		 size_t length)
{
	struct fleet_frame answer = *frame;

	answer.kind = FLEET_ANSWER;
	link_publish_answer(link, &answer, correlation, correlation_length, text, length,
			    NULL);
}

/* Requests */

static void link_refuse_session(struct link *link, const struct fleet_frame *request,
				const struct mqtt_message *message)
{
	struct fleet_frame answer = *request;

	answer.kind = FLEET_OTHER_SESSION;
	memcpy(answer.session, link->session, FLEET_SESSION_BYTES);
	link_publish_answer(link, &answer, message->correlation,
			    message->correlation_length, "", 0, NULL);
}

static void link_refuse_hub(struct link *link, const struct fleet_frame *request,
			    const struct mqtt_message *message)
{
	struct fleet_frame answer = *request;
	char epoch[LINK_EPOCH_BYTES];

	for (int at = 0; at < LINK_EPOCH_BYTES; at++)
		epoch[at] = (char)(link->window.epoch >> (56 - 8 * at));
	answer.kind = FLEET_STALE_HUB;
	link_publish_answer(link, &answer, message->correlation,
			    message->correlation_length, epoch, sizeof(epoch), NULL);
}

static void link_on_rekeyed(void *data, enum mqtt_outcome outcome)
{
	struct link *link = data;

	mqtt_reconnect(link->mqtt); /* with a session that the old key does not know */
}

static void link_rekey(struct link *link, const struct fleet_frame *request,
		       const struct mqtt_message *message, const struct buffer *text)
{
	struct fleet_frame answer = *request;
	struct link_config fresh = link->config;
	int error;

	if (text->length != FLEET_KEY_BYTES || link->rekeyed)
		return;
	memcpy(fresh.join.secret.bytes, text->data, FLEET_KEY_BYTES);
	error = link_config_write(link->path, &fresh, (uid_t)-1, (gid_t)-1);
	if (error) {
		log_error("the hub's new key could not be written: %s", strerror(-error));
	} else {
		log_info("the hub has replaced the key");
		answer.kind = FLEET_REKEYED;
		link_publish_answer(link, &answer, message->correlation,
				    message->correlation_length, "", 0, link_on_rekeyed);
		link->config.join.secret = fresh.join.secret;
		link->rekeyed = true;
	}
	explicit_bzero(&fresh, sizeof(fresh));
}

static void link_take(struct link *link, const struct fleet_frame *frame,
		      const struct mqtt_message *message, const struct buffer *text)
{
	enum fleet_frame_kind taken;

	if (frame->kind != FLEET_REQUEST && frame->kind != FLEET_REKEY)
		return;
	if (memcmp(frame->session, link->session, FLEET_SESSION_BYTES) != 0) {
		link_refuse_session(link, frame, message);
		return;
	}
	taken = fleet_window_take(&link->window, frame->epoch, frame->number);
	if (taken == FLEET_STALE_HUB)
		link_refuse_hub(link, frame, message);
	else if (taken == FLEET_REQUEST && frame->kind == FLEET_REKEY)
		link_rekey(link, frame, message, text);
	else if (taken == FLEET_REQUEST)
		link_call_start(link, frame, message->correlation,
				message->correlation_length, text->data, text->length);
}

static void link_on_message(void *data, const struct mqtt_message *message)
{
	struct link *link = data;
	struct fleet_frame_place place = { link->rpc, message->correlation,
					   message->correlation_length };
	struct buffer text = { .secret = true };
	char more[LOG_PACE_TEXT_BYTES];
	struct fleet_frame frame;
	int error = fleet_frame_open(&link->config.join.secret, &place, message->payload,
				     message->length, &frame, &text);

	if (!error)
		link_take(link, &frame, message, &text);
	else if (log_pace_passes(&link->forged_pace, more))
		log_warning(
			"a request was refused because it is not sealed with this phone's key%s",
			more);
	buffer_wipe(&text);
}

/* The connection */

/* Returns a new session for each attempt: its absence is sealed before anything else. */
static const struct mqtt_message *link_will(void *data)
{
	struct link *link = data;
	struct fleet_frame frame = { .kind = FLEET_HERE };
	struct fleet_frame_place place = { .topic = link->here };

	if (!fleet_frame_draw(link->session, FLEET_SESSION_BYTES))
		abort(); /* nothing can be sealed without random numbers */
	fleet_window_clear(&link->window);
	link->rekeyed = false;
	memcpy(frame.session, link->session, FLEET_SESSION_BYTES);
	buffer_clear(&link->sealed_will);
	if (link_seal(link, &frame, &place, link_away, strlen(link_away),
		      &link->sealed_will))
		return NULL;
	link->will = (struct mqtt_message){ .topic = link->here,
					    .payload = link->sealed_will.data,
					    .length = link->sealed_will.length,
					    .retain = true };
	return &link->will;
}

static void link_on_ready(void *data)
{
	struct link *link = data;
	struct fleet_frame frame = { .kind = FLEET_HERE };
	struct fleet_frame_place place = { .topic = link->here };
	struct buffer sealed = BUFFER_INIT;

	log_info("connected to the broker %s as %s", link->config.join.host,
		 link->config.join.phone);
	link->why[0] = '\0';
	link_write_state(link, "connected", "");
	memcpy(frame.session, link->session, FLEET_SESSION_BYTES);
	if (!link_seal(link, &frame, &place, link_here, strlen(link_here), &sealed))
		link_publish(link,
			     &(struct mqtt_message){ .topic = link->here,
						     .payload = sealed.data,
						     .length = sealed.length,
						     .retain = true },
			     NULL);
	buffer_deinit(&sealed);
	malloc_trim(
		0); /* what the handshake of TLS took, and an idle phone does not need */
}

/* Logs one line for each reason, however often it fails. */
static void link_on_gone(void *data, const char *why)
{
	struct link *link = data;

	link_call_end_all(link);
	if (strcmp(why, link->why) == 0)
		return;
	snprintf(link->why, sizeof(link->why), "%s", why);
	log_warning("not connected to the broker %s: %s", link->config.join.host, why);
	link_write_state(link, "not connected", why);
}

/* Reads "127.0.0.1:9531" or "[::1]:9531". The token does not leave this machine. */
static bool link_read_address(const char *text, struct sockaddr_storage *address)
{
	struct sockaddr_in *four = (struct sockaddr_in *)address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
	const char *colon = strrchr(text, ':');
	unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;
	char host[LINK_CONFIG_GATEWAY_BYTES];

	*address = (struct sockaddr_storage){ 0 };
	if (!port || port > UINT16_MAX)
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
	if (strcmp(host, "[::1]") == 0) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)port);
		six->sin6_addr = in6addr_loopback;
		return true;
	}
	four->sin_family = AF_INET;
	four->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &four->sin_addr) == 1 &&
	       ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static struct mqtt *link_connect(struct link *link)
{
	const struct join_code *join = &link->config.join;
	struct mqtt_settings settings = {
		.host = join->host,
		.port = join->port,
		.tls = join->tls,
		.ca_file = link->config.ca_file[0] ? link->config.ca_file : NULL,
		.client_id = join->phone,
		.user = join->password[0] ? join->phone : NULL,
		.password = join->password[0] ? join->password : NULL,
		.keep_alive_s = FLEET_KEEP_ALIVE_S,
		.retry_max_s = LINK_RETRY_MAX_S,
		.message_max = FLEET_FRAME_MAX,
		.filters = { link->rpc },
		.will = link_will,
		.ready = link_on_ready,
		.gone = link_on_gone,
		.message = link_on_message,
		.data = link,
	};

	return mqtt_new(link->loop, &settings);
}

struct link *link_new(sd_event *loop, const struct link_config *config, const char *path,
		      const char *state_path, char error[LINK_CONFIG_ERROR_BYTES])
{
	struct link *link = calloc(1, sizeof(*link));

	snprintf(error, LINK_CONFIG_ERROR_BYTES, "out of memory");
	if (!link)
		return NULL;
	link->loop = loop;
	link->path = path;
	link->state_path = state_path;
	link->config = *config;
	fleet_topic_rpc(config->join.prefix, config->join.phone, link->rpc);
	fleet_topic_answer(config->join.prefix, config->join.phone, link->answer);
	fleet_topic_here(config->join.prefix, config->join.phone, link->here);
	if (!link_read_address(config->gateway, &link->gateway)) {
		snprintf(error, LINK_CONFIG_ERROR_BYTES,
			 "gateway = %s is not a loopback address with a port",
			 config->gateway);
		link_free(link);
		return NULL;
	}
	link->mqtt = link_connect(link);
	if (!link->mqtt) {
		link_free(link);
		return NULL;
	}
	link_write_state(link, "connecting", "");
	return link;
}

void link_free(struct link *link)
{
	if (!link)
		return;
	mqtt_free(link->mqtt);
	link_call_end_all(link);
	buffer_deinit(&link->sealed_will);
	if (link->state_path)
		unlink(link->state_path);
	explicit_bzero(&link->config, sizeof(link->config));
	free(link);
}
