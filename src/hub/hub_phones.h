/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hub phones, as hub_call.c sees them. */
#pragma once

#include "hub/hub_phone.h"

/* Members of a request's _meta for the gateway (doc/protocol.md). */
#define HUB_CALL_META_EPOCH  "ofono-mcp/hub_epoch"
#define HUB_CALL_META_BEHALF "ofono-mcp/on_behalf_of"
#define HUB_CALL_META_STORE  "ofono-mcp/store_epoch"

const char *hub_phones_prefix(const struct hub_phones *phones);
sd_event *hub_phones_loop(const struct hub_phones *phones);
/* Reads the key in use, or the one that is to replace it. */
void hub_phones_read_key(const struct hub_phone *phone, bool next,
			 struct fleet_frame_key *key_out);
int hub_phones_publish(struct hub_phones *phones, const struct mqtt_message *message,
		       void (*done)(void *data, enum mqtt_outcome outcome), void *data);
void hub_phones_count_call(struct hub_phones *phones);
void hub_phones_set_absent(struct hub_phone *phone);
