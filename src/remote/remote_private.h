/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of src/remote share. */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hub/hub_phone.h"
#include "ofono/ofono.h"
#include "remote/remote.h"

enum {
	REMOTE_TIMEOUT_MS = 20 * 1000, /* of a call that the gateway answers at once */
	REMOTE_KEY_BYTES = 64,
};

struct ofono {
	struct observers observers;
	struct modem_list modems;
	struct hub_phones *phones;
	struct store *store;
	struct observer phones_observer;
	TAILQ_HEAD(remote_feed_list, remote_feed) feeds;
	sd_event *loop;
	sd_event_source *start;
	bool has_started;
};

/* A phone, as it is followed. */
struct remote_feed {
	struct ofono *ofono;
	struct hub_phone *phone;
	struct hub_call *call; /* list_changes under way */
	sd_event_source *timer;
	uint64_t pause_ms;
	bool was_read;	 /* since the phone is present */
	bool is_waiting; /* everything is read: the next answer may take its time */
	bool is_joining; /* its past is passed over; see cursor */
	char cursor[STORE_PHONE_CURSOR_BYTES];
	int64_t epoch; /* of the phone's message store; 0 before the first answer */
	TAILQ_ENTRY(remote_feed) link;
};

struct remote_modem {
	struct modem modem; /* first: both have the same address */
	struct remote_feed *feed;
	int64_t sim_id;	 /* in the phone */
	char status[16]; /* of the registration, as reported last */
	bool is_shown;	 /* by the answer that is being read */
};

static inline struct remote_modem *remote_modem_of(const struct modem *modem)
{
	return (struct remote_modem *)modem;
}

/* remote_feed.c */
struct remote_feed *remote_feed_new(struct ofono *ofono, struct hub_phone *phone);
void remote_feed_free(struct remote_feed *feed);
/* The phone can be asked now, or not. */
void remote_feed_wake(struct remote_feed *feed);

/* remote_modem.c */
void remote_modem_read_all(struct remote_feed *feed, const struct json *phone);
void remote_modem_set_present(struct remote_feed *feed, bool present);
void remote_modem_remove_all(struct remote_feed *feed);
struct modem *remote_modem_find(struct remote_feed *feed, int64_t sim_id);

/* remote.c: names of messages; see there */
void remote_write_key(const struct ofono *ofono, int64_t order_id, unsigned attempt,
		      char key[REMOTE_KEY_BYTES]);
bool remote_read_key(const struct ofono *ofono, const char *key, int64_t *order_id_out,
		     unsigned *attempt_out);
void remote_write_uuid(const struct hub_phone *phone, int64_t order_id, unsigned attempt,
		       char uuid[MESSAGE_UUID_BYTES]);
/* Reads a gateway's "state", such as "sent", and "reason". Returns false if it has none. */
bool remote_read_state(const struct json *facts, struct ofono_event *event);
/* Reports the state that was read, and what the same facts say of the delivery. */
void remote_report_state(struct ofono *ofono, const struct json *facts,
			 const struct ofono_event *event);
