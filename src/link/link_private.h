/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a link: link.c has the connection, link_call.c the requests that run. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

#include "base/log.h"
#include "fleet/fleet_frame.h"
#include "fleet/fleet_window.h"
#include "fleet/link_config.h"
#include "link/link.h"
#include "mqtt/mqtt.h"

enum { LINK_WHY_BYTES = 192 };

struct link_call;

struct link {
	sd_event *loop;
	const char *path; /* of the configuration, to replace the key in it */
	const char *state_path;
	struct link_config config;
	struct sockaddr_storage gateway;
	struct mqtt *mqtt;
	char rpc[FLEET_TOPIC_BYTES], answer[FLEET_TOPIC_BYTES], here[FLEET_TOPIC_BYTES];
	uint8_t session[FLEET_SESSION_BYTES]; /* of this connection */
	struct fleet_window window;
	struct buffer sealed_will;
	struct mqtt_message will;
	struct link_call *calls; /* a list */
	unsigned call_count;
	bool rekeyed; /* the hub has replaced the key; the connection begins anew */
	struct log_pace forged_pace;
	char why[LINK_WHY_BYTES]; /* the last failure */
};

/* link.c: seals and publishes an answer to this request. */
void link_answer(struct link *link, const struct fleet_frame *frame,
		 const void *correlation, size_t correlation_length, const char *text,
		 size_t length);

/* link_call.c: passes an MCP request to the gateway, and its answer back. */
void link_call_start(struct link *link, const struct fleet_frame *frame,
		     const void *correlation, size_t correlation_length, const char *text,
		     size_t length);
/* Forgets all: their answers have nowhere to go. */
void link_call_end_all(struct link *link);
