/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gateway of src/gateway/gateway.c in one process with a fuzz target: real from the
 * socket to the message store, on a port of its own, with the fake oFono of
 * tests/unit/fake_ofono.h behind it.
 *
 * It lives from one input to the next and is replaced when it has taken in much, so that
 * an input rarely depends on earlier ones. */
#pragma once

#include <time.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json_reader.h"
#include "base/log.h"
#include "fuzz.h"
#include "gateway/paired_client.h"
#include "gateway/control.h"
#include "gateway/running.h"
#include "http/http_server.h"
#include "mcp/endpoint.h"
#include "ofono/modem_call.h"
#include "store/store_client.h"
#include "tools/change_source.h"
#include "tools/services.h"
#include "tools/tool_table.h"

/* Within the gateway's own code; a fake always finds memory. */
static inline void *spared_calloc(size_t count, size_t size)
{
	void *data;

	if (fuzz_starve)
		fuzz_starve(false);
	data = calloc(count, size);
	if (fuzz_starve)
		fuzz_starve(true);
	return data;
}

#define calloc spared_calloc
#include "../unit/fake_calls.h"
#include "../unit/fake_ofono.h"
#include "config/config.h"
#undef calloc

enum {
	GATEWAY_INPUTS_MOST = 250, /* then it is replaced */
	GATEWAY_MESSAGES_MOST = 60,
	GATEWAY_TURNS_MOST = 2000, /* in one step; the work ends long before */
	GATEWAY_WAITS_MOST = 500,  /* of 10 ms at most */
};

/* Their tokens are their names. */
static const struct client gateway_clients[] = {
	{ .name = "all", .scopes = CLIENT_SCOPES_ALL, .limits = { 0, 0, 0, 0 } },
	{ .name = "reader", .scopes = CLIENT_READ, .limits = { -1, -1, -1, -1 } },
	{ .name = "asker",
	  .scopes = CLIENT_READ | CLIENT_SEND,
	  .ask = CLIENT_ASK_ALWAYS,
	  .limits = { -1, -1, -1, -1 } },
};

static struct gateway {
	char folder[256];
	sd_event *loop;
	struct config config;
	struct services services;
	struct auth auth;
	struct store_feed_watch feed;
	struct change_source changes;
	struct persistence persistence;
	struct endpoint *endpoint;
	struct web web;
	struct http_server_route routes[1 + WEB_ROUTES_MAX + 1];
	struct http_server *server;
	struct running running;
	struct control control;
	unsigned inputs;
} gateway;

/* ---- what fake_ofono.h leaves out */

void ofono_retry(struct ofono *ofono)
{
}

const char *ofono_condition(const struct ofono *ofono)
{
	return "oFono answers";
}

uint64_t ofono_calls_sent(const struct ofono *ofono)
{
	return 0;
}

bool ofono_has_bus(const struct ofono *ofono)
{
	return true;
}

bool ofono_is_available(const struct ofono *ofono)
{
	return true;
}

bool ofono_is_settled(const struct ofono *ofono)
{
	return true;
}

bool ofono_is_refused(const struct ofono *ofono)
{
	return false;
}

bool ofono_may_be_allowed_soon(const struct ofono *ofono)
{
	return false;
}

void ofono_retry_now(struct ofono *ofono)
{
}

bool sim_unlock_pin_is_valid(const char *pin)
{
	return strlen(pin) >= 4;
}

bool sim_unlock_puk_is_valid(const char *puk)
{
	return strlen(puk) == 8;
}

const char *sim_unlock_outcome_name(enum sim_unlock_outcome outcome)
{
	return "impossible";
}

struct sim_unlock *sim_unlock(struct modem *modem, const struct sim_unlock_codes *codes,
			      void (*done)(void *data, enum sim_unlock_outcome outcome),
			      void *data)
{
	return NULL;
}

void sim_unlock_stop(struct sim_unlock *unlock)
{
}

struct ussd_call *ussd_call_initiate(struct modem *modem, const char *code, int limit_ms,
				     void (*done)(void *data,
						  const struct ussd_call_result *result),
				     void *data)
{
	return NULL;
}

struct ussd_call *ussd_call_respond(struct modem *modem, const char *reply, int limit_ms,
				    void (*done)(void *data,
						 const struct ussd_call_result *result),
				    void *data)
{
	return ussd_call_initiate(modem, reply, limit_ms, done, data);
}

void ussd_call_stop(struct ussd_call *call)
{
}

void ussd_call_cancel(struct modem *modem)
{
}

/* ---- the owner's side */

/* Replaces running.c and agent_url.c, which the linker then leaves in the archive. */

void running_client_changed(struct running *running, int64_t client_id,
			    enum running_client_change change)
{
	endpoint_review_client(gateway.endpoint, client_id);
	if (change != RUNNING_CLIENT_CHANGED) {
		endpoint_end_streams(gateway.endpoint, client_id);
		http_server_cut_client(gateway.server, client_id);
	}
	if (change == RUNNING_CLIENT_REVOKED)
		endpoint_end_sessions(gateway.endpoint, client_id);
	endpoint_review_client(gateway.endpoint, client_id);
}

struct pairing *running_pairing(struct running *running)
{
	return &gateway.web.pairing;
}

void running_open_pairing(struct running *running, int64_t duration_ms)
{
	pairing_open_for(&gateway.web.pairing, duration_ms);
}

bool running_reload_config(struct running *running, struct running_reload *reload)
{
	return true;
}

int running_set_paused(struct running *running, bool paused)
{
	return policy_set_paused(running->services->policy, paused);
}

bool running_is_paused(const struct running *running)
{
	return policy_is_paused(running->services->policy);
}

bool running_describe_advertisement(struct running *running, const char **text_out)
{
	*text_out = "off";
	return false;
}

int agent_url_secure(const struct control *of, bool wanted, struct explanation *error)
{
	return 0;
}

void agent_url_write(const struct control *of, struct json_writer *writer)
{
	json_put_string(writer, "url", "http://here/mcp");
}

/* ---- start and stop */

/* The second client writes in many inputs. */
#define GATEWAY_CONTACTS                                               \
	"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bela \xe2\x80\xae\r\n"       \
	"TEL:+36301112222\r\nEND:VCARD\r\n"                            \
	"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna\r\nTEL:06301234567\r\n" \
	"TEL:+36201234567\r\nEND:VCARD\r\n"

/* With a Hungarian SIM: the meaning of a number depends on the country. */
static inline void gateway_add_modem(void)
{
	struct modem *modem = fake_modem_add("/sim0");

	fake_card(modem, "8936201234567890", "216301234567890");
	fake_ready(modem);
	modem->interfaces |= MODEM_VOICE_CALL_MANAGER;
	strcpy(modem->emergency_numbers, "112 911");
	fake_changed(modem);
	modem->interfaces |= MODEM_PHONEBOOK;
	observers_notify(&fake_ofono.observers, &(struct ofono_event){
							.type = PHONEBOOK_READ,
							.modem = modem,
							.text = GATEWAY_CONTACTS,
						});
}

static inline void gateway_configure(struct config *config)
{
	config_defaults(config);
	config->listen.count = 1;
	strcpy(config->listen.items[0], "127.0.0.1:0");
	config->reserve_mib = 0;
	config->policy.client = config->policy.sim = (struct client_limits){ 0, 0, 0, 0 };
	strcpy(config->stop_confirmation, "No more of these.");
	config->policy.calls.place = true;
}

static inline void gateway_add_clients(void)
{
	for (size_t at = 0; at < sizeof(gateway_clients) / sizeof(gateway_clients[0]);
	     at++) {
		const struct client *client = &gateway_clients[at];
		uint8_t hash[CLIENT_HASH_BYTES];
		int64_t id;

		crypto_hash_token(client->name, strlen(client->name), hash);
		FUZZ_CHECK(store_client_add(gateway.services.store, client, hash, &id) ==
			   0);
	}
}

enum { USSD_MS = 1000 };

static inline void gateway_open_phone(void)
{
	struct services *services = &gateway.services;
	struct explanation error = { "" };
	char folder[300];

	snprintf(folder, sizeof(folder), "%s/state", gateway.folder);
	FUZZ_CHECK(store_open(folder, &services->store, &error) == 0);
	FUZZ_CHECK(store_feed_watch_init(&gateway.feed, services->loop,
					 services->store) == 0);
	services->feed = &gateway.feed;
	FUZZ_CHECK(audit_new(services->loop, services->store, &services->audit) == 0);
	FUZZ_CHECK(ussd_new(services->loop, services->ofono, USSD_MS, &services->ussd) ==
		   0);
	FUZZ_CHECK(sims_new(services->loop, services->ofono, services->store,
			    &services->sims) == 0);
	FUZZ_CHECK(call_log_new(services->store, services->sims, services->ofono,
				&services->calls) == 0);
	FUZZ_CHECK(dialler_new(&(struct dialler_parts){ services->loop, services->store,
							services->sims, services->ofono,
							DIALLER_TIMEOUT_MS },
			       &services->dialler) == 0);
	FUZZ_CHECK(alert_log_new(services->store, services->sims, services->ofono,
				 &services->alerts) == 0);
	FUZZ_CHECK(contacts_new(services->loop, services->config, services->sims,
				services->ofono, &services->contacts) == 0);
	FUZZ_CHECK(inbox_new(services->loop, services->store, services->sims,
			     services->ofono, &services->inbox) == 0);
	FUZZ_CHECK(outbox_new(services->loop, services->config, services->store,
			      services->sims, services->ofono, &services->outbox) == 0);
	FUZZ_CHECK(policy_new(&(struct policy_parts){ services->loop, services->config,
						      services->store, services->ofono,
						      services->sims, services->outbox },
			      &services->policy) == 0);
	FUZZ_CHECK(scans_new(services->loop, services->store, &services->scans) == 0);
}

static inline void gateway_open_endpoint(void)
{
	struct store *store = gateway.services.store;

	gateway.persistence = (struct persistence){
		.store = store,
		.save_session = store_session_put,
		.remove_session = store_session_remove,
		.list_sessions = store_session_list,
		.load_key = store_session_elicitation_key,
		.decline_order = store_session_decline_elicitation,
		.is_order_declined = store_session_is_declined,
		.read_feed = store_feed_read,
		.find_feed_bounds = store_feed_bounds,
		.find_feed_epoch = store_feed_epoch,
		.skip_older_feed = store_feed_skip_older,
		.find_client = store_client_find_id,
	};
	change_source_init(&gateway.changes, &gateway.services);
	gateway.services.changes = &gateway.changes;
	gateway.endpoint = endpoint_new(&(struct endpoint_options){
		.tools = tool_table,
		.hidden_tools = &gateway.config.hidden_tools,
		.resources = resource_table,
		.tasks = task_table,
		.events = event_table,
		.services = &gateway.services,
		.changes = &gateway.changes.observers,
		.feed = &gateway.feed.observers,
		.persistence = &gateway.persistence,
		.loop = gateway.loop,
		.elicitation_timeout_seconds = gateway.config.elicitation_seconds,
	});
	FUZZ_CHECK(gateway.endpoint);
}

static inline void gateway_open_server(void)
{
	struct explanation error = { "" };

	gateway.auth = (struct auth){ .find = store_client_find,
				      .data = gateway.services.store };
	gateway.routes[0] = (struct http_server_route){
		.path = "/mcp",
		.methods = HTTP_POST | HTTP_GET | HTTP_DELETE,
		.json_body = true,
		.handler = &endpoint_handler,
		.data = gateway.endpoint,
		.refusal = endpoint_write_refusal,
	};
	gateway.web = (struct web){
		.services = &gateway.services,
		.endpoint = gateway.endpoint,
	};
	outbox_set_message_counters(gateway.services.outbox,
				    &gateway.web.message_counters);
	inbox_set_message_counters(gateway.services.inbox, &gateway.web.message_counters);
	web_put_routes(&gateway.routes[1], &gateway.web);
	FUZZ_CHECK(http_server_new(gateway.loop, &gateway.config, gateway.routes,
				   &gateway.auth, &gateway.server, &error) == 0);
	gateway.web.server = gateway.server;
	FUZZ_CHECK(http_server_serve(gateway.server) == 0);
}

static inline void gateway_open_control(void)
{
	gateway.running.services = &gateway.services;
	gateway.control = (struct control){
		.config = &gateway.config,
		.store = gateway.services.store,
		.commands = command_table,
		.running = &gateway.running,
		.services = &gateway.services,
	};
}

static int64_t gateway_monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The same day in every run, because an input may name a time: 2050-01-01T12:00:00Z,
 * which the loop's own clock never reaches. */
static int64_t gateway_wall_ms(void)
{
	static int64_t began_ms;

	if (!began_ms)
		began_ms = gateway_monotonic_ms();
	return INT64_C(2524651200000) + gateway_monotonic_ms() - began_ms;
}

static const struct clock_source gateway_clock = {
	.monotonic_ms = gateway_monotonic_ms,
	.wall_ms = gateway_wall_ms,
};

static inline void gateway_open(void)
{
	log_set_level(0);
	clock_set_source(&gateway_clock);
	if (!gateway.loop)
		FUZZ_CHECK(sd_event_new(&gateway.loop) >= 0);
	fuzz_folder(gateway.folder, sizeof(gateway.folder));
	gateway_configure(&gateway.config);
	gateway.services = (struct services){
		.loop = gateway.loop,
		.config = &gateway.config,
		.ofono = &fake_ofono,
	};
	fake_init();
	gateway_open_phone();
	gateway_add_clients();
	gateway_open_endpoint();
	gateway_open_server();
	gateway_open_control();
	gateway_add_modem();
	FUZZ_TRY(endpoint_review_tools(gateway.endpoint));
}

static inline void gateway_remove_files(void)
{
	static const char *const names[] = { "state/gateway.db", "state/gateway.db-wal",
					     "state/gateway.db-shm", "state", "" };
	char path[400];

	for (size_t at = 0; at < sizeof(names) / sizeof(names[0]); at++) {
		snprintf(path, sizeof(path), "%s/%s", gateway.folder, names[at]);
		remove(path);
	}
}

static inline void gateway_close(void)
{
	struct services *services = &gateway.services;

	http_server_free(gateway.server);
	endpoint_free(gateway.endpoint);
	change_source_deinit(&gateway.changes);
	scans_free(services->scans);
	policy_free(services->policy);
	outbox_free(services->outbox);
	inbox_free(services->inbox);
	alert_log_free(services->alerts);
	contacts_free(services->contacts);
	dialler_free(services->dialler);
	call_log_free(services->calls);
	sims_free(services->sims);
	ussd_free(services->ussd);
	audit_free(services->audit);
	store_feed_watch_deinit(&gateway.feed);
	store_close(services->store);
	fake_deinit();
	gateway_remove_files();
	gateway.inputs = 0;
	gateway.server = NULL;
}

/* ---- for targets */

static inline bool gateway_turn(void)
{
	unsigned turns = 0;
	int result;

	do {
		FUZZ_TRY(result = sd_event_run(gateway.loop, 0));
		FUZZ_CHECK(result >= 0 || fuzz_starve);
		FUZZ_CHECK(++turns < GATEWAY_TURNS_MOST);
	} while (result != 0);
	return turns > 1;
}

/* Call it at the end of every input, when all connections are closed. */
static inline void gateway_rest(void)
{
	int64_t newest = 0;

	gateway_turn();
	/* The kernel may take its time to report that a peer has left. */
	for (unsigned waits = 0; http_server_connections(gateway.server); waits++) {
		FUZZ_CHECK(waits < GATEWAY_WAITS_MOST);
		sd_event_run(gateway.loop, 10 * 1000);
	}
	store_message_newest(gateway.services.store, &newest);
	if (++gateway.inputs < GATEWAY_INPUTS_MOST && newest < GATEWAY_MESSAGES_MOST &&
	    !fuzz_starve)
		return;
	gateway_close();
	gateway_open();
}

/* Whatever it received, the gateway's output is JSON. */
static inline void fuzz_check_json(const char *text, size_t length)
{
	struct arena *arena = arena_new(8 << 20);
	const struct json *root = NULL;

	FUZZ_CHECK(arena && json_reader_read(arena, text, length, &root) == 0);
	arena_free(arena);
}

/* It reported this message, so it knows it. */
static inline void gateway_check_message(int64_t id)
{
	struct arena *arena = arena_new(8 << 20);
	struct message message;

	FUZZ_CHECK(store_message_get(gateway.services.store, id, arena, &message) == 0);
	arena_free(arena);
}

/* ---- events at the phone */

/* Reports an unlisted message if none is listed, as src/ofono does. */
static inline struct modem *gateway_modem(void)
{
	static struct modem nobody = { .ofono = &fake_ofono };
	struct modem *modem = TAILQ_FIRST(&fake_ofono.modems);

	return modem ? modem : &nobody;
}

static inline void gateway_receive(const char *sender, const char *text)
{
	struct ofono_event event = {
		.type = MESSAGE_RECEIVED,
		.modem = gateway_modem(),
		.sender = sender,
		.text = text,
		.sent_time = "2026-11-21T08:30:00+0100",
		.local_sent_time = "2026-11-21T08:30:00+0100",
	};

	FUZZ_TRY(observers_notify(&fake_ofono.observers, &event));
}

#define GATEWAY_UUID "0123456789ABCDEF0123456789ABCDEF01234567"

/* The outcome of the oldest SendMessage. */
static inline void gateway_answer(enum message_send_outcome outcome)
{
	struct message_send *send = TAILQ_FIRST(&fake_sends);

	if (send)
		FUZZ_TRY(fake_answer(send, outcome,
				     outcome == SEND_ACCEPTED
					     ? GATEWAY_UUID
					     : "org.ofono.Error.Failed"));
}

static inline void gateway_tell_state(enum ofono_message_state state)
{
	FUZZ_TRY(fake_message_state(gateway_modem(), GATEWAY_UUID, state));
}
