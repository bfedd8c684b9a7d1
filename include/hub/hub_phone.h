/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub phones: the phones that joined this hub, whether they are present, and calls of the tools
 * of their gateways through the broker.
 *
 * The hub pulls: a phone only announces that it is present. That is a hint, because a broker can
 * repeat old announcements; an answer confirms it. Each request and answer is sealed with the
 * phone's key (fleet/fleet_frame.h).
 *
 *   absent <--> present     by the link's announcement, its will, or an answer
 *
 * An unused code's secret is replaced at the first contact: the new key is on disk, then the link
 * gets it (FLEET_REKEY), and when something arrives that is sealed with it, the old one is
 * forgotten.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/json.h"
#include "base/observer.h"
#include "fleet/join_code.h"
#include "mqtt/mqtt.h"
#include "store/store_phone.h"

struct config;
struct explanation;
struct hub_call;
struct hub_phones;
struct store;

/* A cursor: begin behind what happened before the phone joined. */
#define HUB_PHONE_CURSOR_NEW "new"

struct hub_phone {
	struct store_phone_row row; /* name, key, times, cursor */
	bool is_present;
	bool is_stale;	    /* it refuses this hub, because it has seen a newer one */
	int64_t present_ms; /* wall clock: since when, or until when */
	/* private to src/hub */
	struct hub_phones *phones;
	uint8_t session[FLEET_SESSION_BYTES];
	bool has_session;
	uint64_t number;	 /* of the last request in this session */
	struct hub_call *asking; /* for its key or its presence; NULL if not */
	TAILQ_HEAD(hub_call_list, hub_call) calls;
	unsigned call_count;
	TAILQ_ENTRY(hub_phone) link;
};

TAILQ_HEAD(hub_phone_list, hub_phone);

enum hub_phone_event_type {
	HUB_PHONE_ADDED,   /* enrolled */
	HUB_PHONE_PRESENT, /* or in a new session: calls may work now */
	HUB_PHONE_ABSENT,  /* or it became is_stale */
	HUB_PHONE_REMOVED, /* revoked; freed after the event */
	HUB_PHONES_BROKER, /* hub_phones_condition() differs; .phone is NULL */
};

struct hub_phone_event {
	enum hub_phone_event_type type;
	struct hub_phone *phone;
};

/* How requests leave: the broker, or a test. */
struct hub_phones_transport {
	/* Works like mqtt_publish(). */
	int (*publish)(void *data, const struct mqtt_message *message,
		       void (*done)(void *done_data, enum mqtt_outcome outcome),
		       void *done_data);
	void *data;
};

struct hub_phones_parts {
	sd_event *loop;
	const struct config *config;
	struct store *store;
	const struct hub_phones_transport
		*transport; /* NULL means the broker of the configuration */
};

/* Reads the phones and begins a new epoch. Returns 0 or -errno. */
int hub_phones_new(const struct hub_phones_parts *parts, struct hub_phones **phones_out);
/* Call it when all calls have ended or are stopped. NULL is fine. */
void hub_phones_free(struct hub_phones *phones);

/* Events are struct hub_phone_event. */
struct observers *hub_phones_observers(struct hub_phones *phones);
struct hub_phone_list *hub_phones_list(struct hub_phones *phones); /* in order of name */
struct hub_phone *hub_phones_find(struct hub_phones *phones,
				  const char *name); /* NULL if there is none */
/* For people: "connected to the broker at HOST", or why not. */
const char *hub_phones_condition(const struct hub_phones *phones);
bool hub_phones_is_connected(const struct hub_phones *phones);
uint64_t hub_phones_calls(const struct hub_phones *phones); /* requests since the start */
/* Returns the ID of this hub's message store, which never changes: 16 hex digits. */
const char *hub_phones_id(const struct hub_phones *phones);
uint64_t hub_phones_epoch(const struct hub_phones *phones);

/*
 * Enrols a phone, or makes a new code for one that has never joined. `password` is its password at
 * the broker, "" for none. Fills the code. Returns 0, -EEXIST if it has joined, STORE_E_FULL, or
 * -errno with the error's text.
 */
int hub_phones_enrol(struct hub_phones *phones, const char *name, const char *password,
		     struct join_code *code_out, struct explanation *error);
/* Forgets the phone: its key opens nothing any more. Returns 0, STORE_E_FULL or -errno. */
int hub_phones_revoke(struct hub_phones *phones, struct hub_phone *phone);

/* The broker delivered this; called by the transport of a test. */
void hub_phones_receive(struct hub_phones *phones, const struct mqtt_message *message);
/* The connection to the broker is there, or has gone. */
void hub_phones_set_connected(struct hub_phones *phones, bool connected, const char *why);

/* Stores how far the phone was followed. Returns 0, STORE_E_FULL or -errno. */
int hub_phones_advance(struct hub_phone *phone, const char *cursor);

/*
 * Hub call: one call of a tool of a phone's gateway.
 */

enum hub_call_outcome {
	HUB_CALL_ANSWERED, /* .result or .error_code */
	HUB_CALL_ABSENT,   /* it certainly did not reach the phone's gateway */
	HUB_CALL_SILENT,   /* no answer: the gateway may or may not have it */
};

struct hub_call_answer {
	enum hub_call_outcome outcome;
	const struct json *result; /* structuredContent of a success; else NULL */
	/* Of a refusal, such as "not_registered", or of JSON-RPC: "rpc_error"; else NULL. */
	const char *error_code;
	const struct json *facts; /* of a refusal by the tool; else NULL */
};

/* What a call says beside its arguments. */
struct hub_call_facts {
	const char *
		on_behalf; /* whose wish it is, for the phone's audit log; NULL: the hub's */
	/* The phone refuses with "other_epoch" if its message store was replaced since; 0: any. */
	int64_t store_epoch;
};

/*
 * Calls the tool with these arguments, a JSON object; it is copied. `facts` may be NULL. The callback runs exactly once, later, not
 * after hub_call_stop(); the answer lasts as long as it. Returns NULL if memory runs out, and
 * nothing was sent.
 */
struct hub_call *hub_call_new(
	struct hub_phone *phone, const char *tool, const struct buffer *arguments,
	const struct hub_call_facts *facts, unsigned timeout_ms,
	void (*done)(void *data, const struct hub_call_answer *answer), void *data);
/* After this the callback does not run; the phone may do it all the same. NULL is fine. */
void hub_call_stop(struct hub_call *call);
