/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP side opens in this order:
 *
 *   endpoint (tools, resources, sessions) -> routes -> listening ports -> web_serve()
 *
 * Ports on loopback listen from the start.  Ports on the network listen only while a client is
 * paired: the HTTP server opens and closes them when web_review_ports() tells it whether there
 * are clients.
 */
#include "gateway/web.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "config/config.h"
#include "gateway/route.h"
#include "store/store_client.h"
#include "tools/tool_table.h"

/* Endpoint */

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
		.find_client = store_client_find_id,
	};
	return endpoint_new(&(struct endpoint_options){
		.tools = tool_table,
		.hidden_tools = &services->config->hidden_tools,
		.resources = resource_table,
		.tasks = task_table,
		.services = services,
		.changes = &web->changes.observers,
		.persistence = &web->persistence,
		.loop = services->loop,
		.elicitation_timeout_seconds = services->config->elicitation_seconds,
	});
}

/* The first modem that can dial codes or place calls appeared, or the last one went. */
static void web_on_modems(void *data, const void *event)
{
	(void)event;
	web_review_tools(data);
}

static int web_open_endpoint(struct web *web)
{
	struct services *services = web->services;

	change_source_init(&web->changes, services);
	services->changes = &web->changes;
	web->endpoint = web_new_endpoint(web);
	if (!web->endpoint)
		return -ENOMEM;
	observer_add(ussd_observers(services->ussd), &web->ussd_observer, web_on_modems,
		     web);
	observer_add(dialler_state_observers(services->dialler), &web->dialler_observer,
		     web_on_modems, web);
	return 0;
}

/* Routes */

static bool web_metrics_trusts_loopback(const struct config *config)
{
	return config->metrics_on_loopback;
}

static const struct http_route web_routes[] = {
	{ .path = "/",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &route_console_handler },
	{ .path = "/healthz",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &route_health_handler },
	{ .path = "/healthz/live",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &route_live_handler },
	{ .path = "/healthz/ready",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &route_ready_handler },
	{ .path = "/metrics",
	  .methods = HTTP_GET,
	  .scopes = CLIENT_METRICS,
	  .trusts_loopback = web_metrics_trusts_loopback,
	  .handler = &metric_table_handler },
	{ .path = "/mcp/server-card",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &route_card_handler },
	{ .path = "/.well-known/mcp/server-card.json", /* as in older drafts */
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &route_card_handler },
	{ .path = NULL },
};

_Static_assert(sizeof(web_routes) / sizeof(web_routes[0]) <= WEB_ROUTES_MAX + 1,
	       "WEB_ROUTES_MAX is too small");

void web_put_routes(struct http_route *routes, struct web *web)
{
	const struct http_route *row = web_routes;

	for (; row->path; row++, routes++) {
		*routes = *row;
		routes->data = web;
	}
	*routes = *row;
}

static void web_open_routes(struct web *web)
{
	web->routes[0] = (struct http_route){
		.path = "/mcp",
		.methods = HTTP_POST | HTTP_GET | HTTP_DELETE,
		.json_body = true,
		.useless_scopes = CLIENT_METRICS,
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
		http_server_review(web->server, web->has_clients);
	}
	if (!web->has_clients)
		web_check_clients_later(web);
}

static int web_on_client_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
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

static void web_log_address(const struct web *web, unsigned index)
{
	const struct http_server *server = web->server;
	char address[ADDRESS_TEXT_BYTES];

	http_server_address(server, index, address);
	if (http_server_listens(server, index))
		log_info("listening on %s (port %u)", address,
			 http_server_port(server, index));
	else if (http_server_is_passed(server, index))
		log_info("not answering on %s before a client is paired; the service "
			 "manager owns the socket, so connections wait",
			 address);
	else
		log_info("not listening on %s before a client is paired", address);
	if (http_server_is_passed(server, index))
		web_warn_if_not_configured(web->services->config, address);
}

int web_serve(struct web *web)
{
	const struct config *config = web->services->config;
	int error = http_server_serve(web->server);
	int64_t clients = 0;

	if (error)
		return error;
	for (unsigned i = 0; i < http_server_listeners(web->server); i++)
		web_log_address(web, i);
	store_client_count(web->services->store, &clients);
	if (config->open)
		log_warning("open: every program on this machine may send SMS");
	else if (clients == 0)
		log_warning("no client is paired, so every call is refused; "
			    "run: ofono-mcp pair NAME");
	return 0;
}

void web_close(struct web *web)
{
	struct http_server *server = web->server;

	if (!web->services)
		return;
	web->client_timer = sd_event_source_disable_unref(web->client_timer);
	web->server = NULL; /* no port opens while it closes */
	http_server_free(server);
	observer_remove(&web->ussd_observer);
	observer_remove(&web->dialler_observer);
	endpoint_free(web->endpoint);
	change_source_deinit(&web->changes);
}

void web_review_tools(struct web *web)
{
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

void web_end_sessions(struct web *web, int64_t client_id)
{
	endpoint_end_sessions(web->endpoint, client_id);
}
