/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP side opens in this order:
 *
 *   endpoint (tools, resources, sessions) -> routes -> listening ports -> web_serve()
 *
 * Ports on loopback listen from the start.  Ports on the network listen only while a client is
 * paired, or may ask to be: the HTTP server opens and closes them when web_review_ports() tells it.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "config/config.h"
#include "gateway/command.h"
#include "gateway/web.h"
#include "http_client/http_client.h"
#include "store/store_audit.h"
#include "store/store_client.h"
#include "store/store_feed.h"
#include "tools/tool_table.h"
#include "webhook/webhook.h"

/* Webhooks */

static void web_on_network(void *data)
{
	const struct web *web = data;

	webhook_network_changed(web->services->webhooks);
}

static int web_open_webhooks(struct web *web)
{
	struct services *services = web->services;
	int error;

	web->words = (struct event_subscribe_words){ .types = event_table,
						     .services = services };
	event_subscribe_init_words(&web->words);
	error = store_feed_epoch(services->store, &web->words.epoch);
	if (error)
		return error;
	web->http_client = http_client_new(services->loop);
	if (!web->http_client)
		return -ENOMEM;
	error = webhook_new(
		&(struct webhook_parts){
			.loop = services->loop,
			.config = services->config,
			.store = services->store,
			.http = web->http_client,
			.feed = &services->feed->observers,
			.source = &web->words.source,
		},
		&services->webhooks);
	if (error)
		return error;
	error = network_watch_init(&web->network_watch, services->loop, web_on_network,
				   web);
	/* Without it, a suspended delivery waits for its next attempt, an hour at most. */
	if (error)
		log_warning("webhook: changes of the network go unnoticed: error %d",
			    -error);
	return 0;
}

/* Endpoint */

static int web_raise_hub_epoch(struct store *store, int64_t client_id, int64_t epoch)
{
	int error = store_client_raise_epoch(store, client_id, epoch);

	if (error == STORE_E_ILLEGAL)
		return PERSISTENCE_E_STALE;
	return error ? -EIO : 0;
}

static struct endpoint *web_new_endpoint(struct web *web)
{
	struct services *services = web->services;

	web->persistence = (struct persistence){
		.store = services->store,
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
		.raise_hub_epoch = web_raise_hub_epoch,
		.act_for = store_audit_act_for,
		.find_client = store_client_find_id,
	};
	return endpoint_new(&(struct endpoint_options){
		.tools = tool_table,
		.hidden_tools = &services->config->hidden_tools,
		.resources = resource_table,
		.tasks = task_table,
		.events = event_table,
		.services = services,
		.webhooks = services->webhooks,
		.changes = &web->changes.observers,
		.feed = &services->feed->observers,
		.persistence = &web->persistence,
		.loop = services->loop,
		.elicitation_timeout_seconds = services->config->elicitation_seconds,
	});
}

/* The first modem that can dial codes or place calls appeared, or the last one went. */
static void web_on_modems(void *data, const void *event)
{
	web_review_tools(data);
}

/* Which oFono runs decides what texts it can send. */
static void web_on_ofono(void *data, const void *event)
{
	struct web *web = data;
	enum ofono_line line = ofono_line(web->services->ofono);

	if (line == web->ofono_line)
		return;
	web->ofono_line = line;
	web_review_tools(web);
}

static int web_open_endpoint(struct web *web)
{
	struct services *services = web->services;
	int error;

	change_source_init(&web->changes, services);
	services->changes = &web->changes;
	error = web_open_webhooks(web);
	if (error)
		return error;
	web->endpoint = web_new_endpoint(web);
	if (!web->endpoint)
		return -ENOMEM;
	observer_add(ussd_observers(services->ussd), &web->ussd_observer, web_on_modems,
		     web);
	observer_add(dialler_state_observers(services->dialler), &web->dialler_observer,
		     web_on_modems, web);
	web->ofono_line = ofono_line(services->ofono);
	observer_add(ofono_observers(services->ofono), &web->ofono_observer, web_on_ofono,
		     web);
	return 0;
}

/* Routes */

static bool web_metrics_trusts_loopback(const struct config *config)
{
	return config->metrics_on_loopback;
}

static const struct {
	const char *path;
	const struct exchange_handler *handler;
	unsigned scopes;	/* 0 if it is public */
	unsigned other_methods; /* besides GET */
	bool reads_cookie;
} web_routes[] = {
	{ "/", &route_console_handler },
	{ "/healthz", &route_health_handler },
	{ "/healthz/live", &route_live_handler },
	{ "/healthz/ready", &route_ready_handler },
	{ "/pair", &pair_page_handler, .other_methods = HTTP_POST },
	{ "/pair/wait", &pair_page_wait_handler, .reads_cookie = true },
	{ "/metrics", &metric_handler, CLIENT_METRICS },
	{ "/mcp/server-card", &route_card_handler },
	/* as in older drafts */
	{ "/.well-known/mcp/server-card.json", &route_card_handler },
};

_Static_assert(sizeof(web_routes) / sizeof(web_routes[0]) <= WEB_ROUTES_MAX,
	       "WEB_ROUTES_MAX is too small");

void web_put_routes(struct http_server_route *routes, struct web *web)
{
	for (size_t at = 0; at < sizeof(web_routes) / sizeof(web_routes[0]); at++)
		*routes++ = (struct http_server_route){
			.path = web_routes[at].path,
			.methods = HTTP_GET | web_routes[at].other_methods,
			.public = !web_routes[at].scopes,
			.reads_cookie = web_routes[at].reads_cookie,
			.scopes = web_routes[at].scopes,
			.trusts_loopback = web_metrics_trusts_loopback,
			.handler = web_routes[at].handler,
			.data = web,
		};
	*routes = (struct http_server_route){ .path = NULL };
}

static void web_open_routes(struct web *web)
{
	web->routes[0] = (struct http_server_route){
		.path = "/mcp",
		.methods = HTTP_POST | HTTP_GET | HTTP_DELETE,
		.json_body = true,
		.useless_scopes = CLIENT_METRICS | CLIENT_HUB,
		.handler = &endpoint_handler,
		.data = web->endpoint,
		.refusal = endpoint_write_refusal,
	};
	outbox_set_message_counters(web->services->outbox, &web->message_counters);
	inbox_set_message_counters(web->services->inbox, &web->message_counters);
	web_put_routes(&web->routes[1], web);
}

/* Ports */

static void web_check_clients_later(struct web *web)
{
	int error = sd_event_source_set_time_relative(
		web->client_timer, (uint64_t)WEB_CLIENT_CHECK_MS * 1000);

	if (error >= 0)
		error = sd_event_source_set_enabled(web->client_timer, SD_EVENT_ONESHOT);
	if (error < 0)
		log_error("web: timer: error %d", -error);
}

/* Returns whether the network may ask to be paired before the first client is. */
static bool web_asks_to_pair(const struct web *web)
{
	enum config_pair_page when = config_pair_page(web->services->config);

	return when == CONFIG_PAIR_PAGE_ASK ||
	       (when == CONFIG_PAIR_PAGE_AUTO && pairing_needs_network(&web->pairing));
}

/* Opens or closes the network's ports. If the store fails, they stay as they are. */
static void web_review_ports(struct web *web)
{
	int64_t count = 0;

	if (!web->server)
		return;
	if (!web->client_timer) { /* only loopback: but there may be a new certificate */
		http_server_review(web->server, false);
		return;
	}
	if (store_client_count(web->services->store, &count) == 0) {
		web->has_clients = count > 0;
		http_server_review(web->server,
				   web->has_clients || web_asks_to_pair(web));
	}
	if (!web->has_clients)
		web_check_clients_later(web);
}

void web_open_pairing(struct web *web, int64_t duration_ms)
{
	pairing_open_for(&web->pairing, duration_ms);
	web_review_ports(web);
}

static int web_on_client_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	web_review_ports(data);
	return 0;
}

/* A refused token may mean that another process revoked the last client. */
static bool web_find_client(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
			    struct client *client_out)
{
	struct web *web = data;

	if (store_client_find(web->services->store, hash, client_out))
		return true;
	if (web->has_clients)
		web_review_ports(web);
	return false;
}

static bool web_find_local(void *data, const char *name, struct client *client_out)
{
	struct web *web = data;

	return paired_client_find_local(web->services->store, name, client_out);
}

static void web_on_auth_failed(void *data, const char *source)
{
	audit_auth_failed(data, source);
}

static int web_open_ports(struct web *web, struct explanation *error_out)
{
	struct services *services = web->services;
	int error;

	web->auth = (struct auth){
		.open = services->config->open,
		.find = web_find_client,
		.find_local = web_find_local,
		.data = web,
		.failed = web_on_auth_failed,
		.failed_data = services->audit,
	};
	error = http_server_new(services->loop, services->config, web->routes, &web->auth,
				&web->server, error_out);
	if (error || !http_server_has_network(web->server))
		return error;
	error = sd_event_add_time(services->loop, &web->client_timer, CLOCK_MONOTONIC,
				  UINT64_MAX, 100 * 1000, web_on_client_timer, web);
	if (error < 0)
		return error;
	web_review_ports(web);
	return 0;
}

int web_open(struct web *web, struct services *services, struct explanation *error_out)
{
	int error;

	web->services = services;
	services->pairing = &web->pairing;
	web->has_commands = services->config->agent.owner_numbers.count;
	error = web_open_endpoint(web);
	if (error)
		return error;
	web_open_routes(web);
	return web_open_ports(web, error_out);
}

/* `pair` and `doctor` use server.listen, even if systemd passed other sockets. */
static void web_warn_if_not_configured(const struct config *config, const char *address)
{
	for (size_t i = 0; i < config->listen.count; i++) {
		if (strcmp(config->listen.items[i], address) == 0)
			return;
	}
	log_warning("the service manager passed a socket on %s, which server.listen does "
		    "not list: clients learn the addresses in server.listen",
		    address);
}

static void web_log_address(const struct web *web,
			    const struct http_server_listener *listener)
{
	char address[ADDRESS_TEXT_BYTES];

	address_format(&listener->address, address);
	if (listener->open)
		log_info("listening on %s (port %u)", address, listener->port);
	else if (listener->passed)
		log_info("not answering on %s before a client is paired; the service "
			 "manager owns the socket, so connections wait",
			 address);
	else
		log_info("not listening on %s before a client is paired", address);
	if (listener->passed)
		web_warn_if_not_configured(web->services->config, address);
}

int web_serve(struct web *web)
{
	const struct config *config = web->services->config;
	int error = http_server_serve(web->server);
	struct http_server_listener listener;
	int64_t clients = 0;

	if (error)
		return error;
	for (unsigned at = 0; http_server_listener(web->server, at, &listener); at++)
		web_log_address(web, &listener);
	store_client_count(web->services->store, &clients);
	if (config->open)
		log_warning("open: every program on this machine may send SMS");
	else if (clients == 0)
		log_warning("no client is paired, so every call is refused; "
			    "run: " PROGRAM_NAME " pair NAME");
	return 0;
}

void web_close(struct web *web)
{
	struct http_server *server = web->server;

	if (!web->services)
		return;
	web->client_timer = sd_event_source_disable_unref(web->client_timer);
	web->server = NULL; /* no port opens while it closes */
	pairing_deinit(&web->pairing);
	http_server_free(server);
	observer_remove(&web->ussd_observer);
	observer_remove(&web->dialler_observer);
	observer_remove(&web->ofono_observer);
	endpoint_free(web->endpoint);
	network_watch_deinit(&web->network_watch);
	webhook_free(web->services->webhooks);
	web->services->webhooks = NULL;
	http_client_free(web->http_client);
	change_source_deinit(&web->changes);
}

void web_take_local(struct web *web, int fd, int64_t uid)
{
	char name[CLIENT_NAME_BYTES];

	if (!web->server) {
		close(fd);
		return;
	}
	paired_client_local_name(uid, name);
	http_server_take_local(web->server, fd, name);
}

void web_review_tools(struct web *web)
{
	bool has_commands = web->services->config->agent.owner_numbers.count;

	if (has_commands != web->has_commands)
		endpoint_report_events(web->endpoint, 0);
	web->has_commands = has_commands;
	if (endpoint_review_tools(web->endpoint))
		log_error("out of memory: the list of tools stays as it was");
}

void web_review_client(struct web *web, int64_t client_id)
{
	endpoint_review_client(web->endpoint, client_id);
	web_review_ports(web);
}

void web_cut_client(struct web *web, int64_t client_id)
{
	endpoint_review_client(web->endpoint, client_id);
	endpoint_end_streams(web->endpoint, client_id);
	http_server_cut_client(web->server, client_id);
}
