/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hub broker: the hub's connection to the MQTT broker of its configuration. */
#pragma once

#include "hub/hub_phone.h"

struct hub_broker;

/* Returns the fleet's prefix on the broker. */
const char *hub_broker_prefix(const struct config *config);

/*
 * Without a configured broker there is none, and nothing can be published. Returns 0 or -errno. The
 * broker may be freed at once, or when the phones are.
 */
int hub_broker_new(struct hub_phones *phones, sd_event *loop, const struct config *config,
		   struct hub_broker **broker_out,
		   struct hub_phones_transport *transport_out);
void hub_broker_free(struct hub_broker *broker); /* NULL is fine */

/* What the configuration says about the broker. Returns 0, or -errno with the error's text. */
int hub_broker_fill_code(const struct config *config, struct join_code *code_out,
			 struct explanation *error);
