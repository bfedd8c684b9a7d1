/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/front.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "config/config.h"
#include "store/store_client.h"
#include "tools/tool_table.h"

static struct endpoint *open_mcp(struct front *front)
{
	struct services *services = front->services;

	front->persistence = (struct persistence){
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
		.changes = &front->changes.observers,
		.persistence = &front->persistence,
		.loop = services->loop,
		.elicitation_timeout_seconds = services->config->elicitation_seconds,
	});
}

/* A modem that can dial codes or place calls came, or the last one went. */
static void on_modems(void *data, const void *event)
{
	(void)event;
	front_review_tools(data);
}

static int open_endpoint(struct front *front)
{
	struct services *services = front->services;

	change_source_init(&front->changes, services);
	services->changes = &front->changes;
	front->endpoint = open_mcp(front);
	if (!front->endpoint)
		return -ENOMEM;
	observer_add(ussd_observers(services->ussd), &front->ussd_watch, on_modems,
		     front);
	observer_add(dialler_state_observers(services->dialler), &front->dialler_watch,
		     on_modems, front);
	return 0;
}

static void open_routes(struct front *front)
{
	front->routes[0] = (struct http_route){
		.path = "/mcp",
		.methods = HTTP_POST | HTTP_GET | HTTP_DELETE,
		.json_body = true,
		.useless_scopes = CLIENT_METRICS,
		.handler = &endpoint_handler,
		.data = front->endpoint,
		.refusal = endpoint_write_refusal,
	};
	front->web.services = front->services;
	front->web.endpoint = front->endpoint;
	outbox_set_message_counters(front->services->outbox,
				    &front->web.message_counters);
	inbox_set_message_counters(front->services->inbox, &front->web.message_counters);
	web_routes_put(&front->routes[1], &front->web);
}

static void on_auth_failed(void *data, const char *source)
{
	audit_auth_failed(data, source);
}

static int open_ports(struct front *front, struct explanation *error_out)
{
	struct services *services = front->services;
	int error;

	front->exposure.store = services->store;
	front->auth = (struct auth){
		.open = services->config->open,
		.find = exposure_find,
		.data = &front->exposure,
		.failed = on_auth_failed,
		.failed_data = services->audit,
	};
	error = http_server_new(services->loop, services->config, front->routes,
				&front->auth, &front->server, error_out);
	front->web.server = front->server;
	if (error)
		return error;
	return exposure_init(&front->exposure, services->loop, front->server);
}

int front_open(struct front *front, struct services *services,
	       struct explanation *error_out)
{
	int error;

	front->services = services;
	error = open_endpoint(front);
	if (error)
		return error;
	open_routes(front);
	return open_ports(front, error_out);
}

/* What `pair` shows and `doctor` looks at is server.listen, whoever made the sockets. */
static void warn_of_other_address(const struct config *config, const char *address)
{
	for (size_t i = 0; i < config->listen.count; i++) {
		if (strcmp(config->listen.items[i], address) == 0)
			return;
	}
	log_warning("the service manager handed over %s, which server.listen does not "
		    "name: clients are told the addresses of server.listen",
		    address);
}

static void announce_address(const struct front *front, unsigned index)
{
	const struct http_server *server = front->server;
	char address[ADDRESS_TEXT_BYTES];

	http_server_address(server, index, address);
	if (http_server_listens(server, index))
		log_info("listening on %s (port %u)", address,
			 http_server_port(server, index));
	else if (http_server_is_passed(server, index))
		log_info("nobody is answered on %s before a client is paired: the socket "
			 "is the service manager's, so who connects waits",
			 address);
	else
		log_info("not listening on %s before a client is paired", address);
	if (http_server_is_passed(server, index))
		warn_of_other_address(front->services->config, address);
}

static void announce(struct front *front)
{
	const struct config *config = front->services->config;
	int64_t clients = 0;

	for (unsigned i = 0; i < http_server_listeners(front->server); i++)
		announce_address(front, i);
	store_client_count(front->services->store, &clients);
	if (config->open)
		log_warning("open: every program on this machine may send SMS");
	else if (clients == 0)
		log_warning("no client is paired, so every call is refused; "
			    "run: ofono-mcp pair NAME");
}

int front_serve(struct front *front)
{
	int error = http_server_serve(front->server);

	if (!error)
		announce(front);
	return error;
}

void front_close(struct front *front)
{
	if (!front->services)
		return;
	exposure_deinit(&front->exposure);
	http_server_free(front->server);
	observer_remove(&front->ussd_watch);
	observer_remove(&front->dialler_watch);
	endpoint_free(front->endpoint);
	change_source_deinit(&front->changes);
}

void front_review_tools(struct front *front)
{
	if (endpoint_review_tools(front->endpoint))
		log_error("the tools are as they were: out of memory");
}

void front_review_client(struct front *front, int64_t client_id)
{
	endpoint_review_client(front->endpoint, client_id);
	exposure_review(&front->exposure);
}

void front_cut_client(struct front *front, int64_t client_id)
{
	endpoint_review_client(front->endpoint, client_id);
	endpoint_end_streams(front->endpoint, client_id);
	http_server_cut_client(front->server, client_id);
}

void front_forget_client(struct front *front, int64_t client_id)
{
	endpoint_end_sessions(front->endpoint, client_id);
}
