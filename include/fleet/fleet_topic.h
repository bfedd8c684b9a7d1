/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fleet topics: where the hub and the phones' links meet on the broker.
 *
 *   F/phone/P/rpc    the hub publishes requests for the phone P
 *   F/hub/answer/P   the phone P publishes its answers
 *   F/phone/P/here   the phone P publishes its presence: retained, and its will
 *
 * F is the fleet's prefix, "ofono" by default.  P is the phone's name, which is also its user
 * name at the broker, so that six lines with %u are the whole access list of any number of phones
 * (doc/fleet.md).
 */
#pragma once

#include <stdbool.h>

enum {
	FLEET_NAME_BYTES = 33,
	FLEET_PREFIX_BYTES = 33,
	FLEET_TOPIC_BYTES = 96,
	FLEET_KEEP_ALIVE_S = 240, /* of a phone */
	FLEET_EXPIRY_S = 60,	  /* of a request or an answer */
};

#define FLEET_PREFIX_DEFAULT "ofono"
/* The user name and client ID of the hub. No phone may have it. */
#define FLEET_HUB_NAME "hub"

/* May a phone be named so? 1 to 32 of a-z, 0-9 and "-", beginning with a letter or digit. */
bool fleet_topic_is_name(const char *name);
/* May a fleet have this prefix? 1 to 32 of A-Z, a-z, 0-9, "-" and "_". */
bool fleet_topic_is_prefix(const char *prefix);

/* For a prefix and name that are valid; `phone` "+" gives the filter for all phones. */
void fleet_topic_rpc(const char *prefix, const char *phone,
		     char topic[FLEET_TOPIC_BYTES]);
void fleet_topic_answer(const char *prefix, const char *phone,
			char topic[FLEET_TOPIC_BYTES]);
void fleet_topic_here(const char *prefix, const char *phone,
		      char topic[FLEET_TOPIC_BYTES]);

enum fleet_topic_kind { FLEET_TOPIC_OTHER, FLEET_TOPIC_ANSWER, FLEET_TOPIC_HERE };

/* Reads what the hub receives. The name is written unless the kind is FLEET_TOPIC_OTHER. */
enum fleet_topic_kind fleet_topic_read(const char *prefix, const char *topic,
				       char phone[FLEET_NAME_BYTES]);
