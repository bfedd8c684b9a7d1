/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of start and stop.
 *
 *   the phone (daemon/phone.h) -> ports taken -> the owner's commands
 *   the bus took the match rules (daemon/readiness.h) -> HTTP answers, READY
 *
 * oFono tells of a message once: all who hear it are there before the loop turns, and
 * nobody is told that we are ready before we hear (tests/integration/test_ready.py). Who
 * connects meanwhile waits to be answered.
 *
 * A missing bus, oFono or modem is a state that calls report, never a reason to stop. On
 * SIGTERM or SIGINT: no new connections, waiting calls are answered with what is known,
 * then everything ends in the opposite order. A second signal ends at once. SIGHUP reads the
 * configuration again (daemon/reload.h).
 */
#include "daemon/gateway.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/log.h"
#include "control/control_server.h"
#include "daemon/advertisement.h"
#include "daemon/agent_reach.h"
#include "daemon/descriptors.h"
#include "daemon/exposure.h"
#include "daemon/phone.h"
#include "daemon/readiness.h"
#include "http/server.h"
#include "mcp/endpoint.h"
#include "owner/owner_table.h"
#include "resources/resource_table.h"
#include "store/store_client.h"
#include "tools/change_source.h"
#include "tools/kept_answer.h"
#include "tools/services.h"
#include "tools/task_table.h"
#include "tools/tool_table.h"
#include "web/web_route.h"

enum { STOP_TIMEOUT_MS = 2000 };

struct gateway {
	struct services services;
	struct config *config; /* the services' own */
	const struct config_source *source;
	struct auth auth;
	struct change_source changes;
	struct kept_answers kept;
	struct session_shelf shelf;
	struct asking_shelf asking_shelf;
	struct endpoint *endpoint;
	struct http_server *server;
	struct observer ussd_watch, dialler_watch;
	struct exposure exposure;
	struct advertisement advertisement;
	struct web web;
	struct http_route routes[1 + WEB_ROUTES_MAX + 1];
	struct phone phone;
	struct readiness readiness;
	struct control control;
	struct control_server *control_server; /* NULL: its socket cannot be made */
	bool ready;
	bool stopping;
};

static void on_stopped(void *data)
{
	struct gateway *gateway = data;

	sd_event_exit(gateway->services.loop, EXIT_SUCCESS);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info,
		     void *data)
{
	struct gateway *gateway = data;

	(void)source;
	if (gateway->stopping) {
		sd_event_exit(gateway->services.loop, EXIT_SUCCESS);
		return 0;
	}
	gateway->stopping = true;
	log_info("stopping (signal %u)", info->ssi_signo);
	sd_notify(0, "STOPPING=1");
	dialler_stop(gateway->services.dialler);
	advertisement_stop(&gateway->advertisement);
	http_server_stop(gateway->server, STOP_TIMEOUT_MS, on_stopped, gateway);
	return 0;
}

/* A modem that can dial codes or place calls came, or the last one went. */
static void on_modems(void *data, const void *event)
{
	const struct gateway *gateway = data;

	(void)event;
	if (endpoint_review_tools(gateway->endpoint))
		log_error("the tools are as they were: out of memory");
}

/* What does not look at the configuration each time. */
static void apply_config(struct gateway *gateway)
{
	log_set_level(gateway->config->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	retention_review(gateway->phone.retention);
	http_server_reload_certificate(gateway->server);
	policy_review(gateway->services.policy);
	advertisement_review(&gateway->advertisement);
	contacts_review(gateway->services.contacts);
	if (endpoint_review_tools(gateway->endpoint))
		log_error("reload: the tools are as they were: out of memory");
}

static bool read_config_again(struct gateway *gateway, struct control_reload *reload)
{
	uint64_t now_us = 0;
	bool done;

	sd_event_now(gateway->services.loop, CLOCK_MONOTONIC, &now_us);
	if (gateway->ready)
		sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now_us);
	done = reload_config(gateway->config, gateway->source, gateway->services.store,
			     reload);
	if (done)
		apply_config(gateway);
	reload->contacts_problem = contacts_problem(gateway->services.contacts);
	if (gateway->ready)
		sd_notify(0, "READY=1");
	return done;
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info,
		     void *data)
{
	struct control_reload reload = { NULL };
	struct gateway *gateway = data;

	(void)source;
	(void)info;
	if (!gateway->stopping)
		read_config_again(gateway, &reload);
	return 0;
}

/* For the owner's commands */

static void on_client_cut(void *data, int64_t client_id)
{
	const struct gateway *gateway = data;

	/* It hears what is different before its streams end. */
	endpoint_review_client(gateway->endpoint, client_id);
	endpoint_end_streams(gateway->endpoint, client_id);
	http_server_cut_client(gateway->server, client_id);
}

static void on_client_forgotten(void *data, int64_t client_id)
{
	const struct gateway *gateway = data;

	sessions_end_client(endpoint_sessions(gateway->endpoint), client_id);
	dialler_revoke(gateway->services.dialler, client_id);
}

/* A new one, too, and one that is gone. */
static void on_client_changed(void *data, int64_t client_id)
{
	struct gateway *gateway = data;

	endpoint_review_client(gateway->endpoint, client_id);
	exposure_review(&gateway->exposure);
}

static bool on_reload_asked(void *data, struct control_reload *reload)
{
	return read_config_again(data, reload);
}

static int on_pause(void *data, bool paused)
{
	const struct gateway *gateway = data;

	return policy_set_paused(gateway->services.policy, paused);
}

static bool on_pause_asked(void *data)
{
	const struct gateway *gateway = data;

	return policy_is_paused(gateway->services.policy);
}

static bool on_advertised(void *data, const char **text_out)
{
	struct gateway *gateway = data;

	return advertisement_told(&gateway->advertisement, text_out);
}

static const struct control_gateway control_gateway = {
	.client_cut = on_client_cut,
	.client_forgotten = on_client_forgotten,
	.client_changed = on_client_changed,
	.reload = on_reload_asked,
	.set_paused = on_pause,
	.is_paused = on_pause_asked,
	.advertised = on_advertised,
};

static int watch_signals(struct gateway *gateway)
{
	static const struct {
		int number;
		sd_event_signal_handler_t handler;
	} signals[] = {
		{ SIGTERM, on_signal },
		{ SIGINT, on_signal },
		{ SIGHUP, on_reload },
	};
	const unsigned count = sizeof(signals) / sizeof(signals[0]);
	sigset_t mask;
	int error = 0;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&mask);
	for (unsigned i = 0; i < count; i++)
		sigaddset(&mask, signals[i].number);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
		return -errno;
	for (unsigned i = 0; i < count && error >= 0; i++)
		error = sd_event_add_signal(gateway->services.loop, NULL,
					    signals[i].number, signals[i].handler,
					    gateway);
	return error < 0 ? error : 0;
}

static int open_loop(struct gateway *gateway)
{
	int error = sd_event_default(&gateway->services.loop);

	if (error >= 0)
		error = watch_signals(gateway);
	if (error >= 0) /* does nothing unless WATCHDOG_USEC asks for it */
		error = sd_event_set_watchdog(gateway->services.loop, true);
	return error < 0 ? error : 0;
}

static void on_auth_failed(void *data, const char *source)
{
	audit_auth_failed(data, source);
}

/* What the endpoint keeps beyond a restart. */
static void open_shelves(struct gateway *gateway)
{
	gateway->shelf = (struct session_shelf){
		.put = store_session_put,
		.remove = store_session_remove,
		.list = store_sessions_list,
		.data = gateway->services.store,
	};
	gateway->asking_shelf = (struct asking_shelf){
		.key = store_asking_key,
		.close = store_asking_close,
		.is_closed = store_asking_is_closed,
		.data = gateway->services.store,
	};
}

static int open_endpoint(struct gateway *gateway, const struct config *config)
{
	open_shelves(gateway);
	change_source_init(&gateway->changes, &gateway->services);
	gateway->services.changes = &gateway->changes;
	gateway->services.kept = &gateway->kept;
	gateway->endpoint = endpoint_new(&(struct endpoint_offer){
		.tools = tool_table,
		.hidden_tools = &config->hidden_tools,
		.resources = resource_table,
		.tasks = task_table,
		.services = &gateway->services,
		.changes = &gateway->changes.observers,
		.shelf = &gateway->shelf,
		.asking = { &gateway->asking_shelf, gateway->services.loop,
			    config->ask_seconds },
		.find_client = store_client_find_id,
		.clients = gateway->services.store,
	});
	if (!gateway->endpoint)
		return -ENOMEM;
	observer_add(ussd_observers(gateway->services.ussd), &gateway->ussd_watch,
		     on_modems, gateway);
	observer_add(dialler_use_observers(gateway->services.dialler),
		     &gateway->dialler_watch, on_modems, gateway);
	return 0;
}

static void open_routes(struct gateway *gateway)
{
	gateway->routes[0] = (struct http_route){
		.path = "/mcp",
		.methods = HTTP_POST | HTTP_GET | HTTP_DELETE,
		.json_body = true,
		.handler = &endpoint_handler,
		.data = gateway->endpoint,
		.refusal = endpoint_refusal,
	};
	gateway->web.services = &gateway->services;
	gateway->web.endpoint = gateway->endpoint;
	outbox_set_tally(gateway->services.outbox, &gateway->web.tally);
	inbox_set_tally(gateway->services.inbox, &gateway->web.tally);
	web_routes_put(&gateway->routes[1], &gateway->web);
}

static int open_network(struct gateway *gateway, const struct config *config,
			struct config_error *error_out)
{
	int error;

	gateway->exposure.store = gateway->services.store;
	gateway->auth = (struct auth){
		.open = config->open,
		.find = exposure_find,
		.data = &gateway->exposure,
		.failed = on_auth_failed,
		.failed_data = gateway->services.audit,
	};
	error = open_endpoint(gateway, config);
	if (error < 0)
		return error;
	open_routes(gateway);
	error = http_server_new(gateway->services.loop, config, gateway->routes,
				&gateway->auth, &gateway->server, error_out);
	gateway->web.server = gateway->server;
	return error;
}

/* What the phone does is worth more than what its owner can tell it. */
static void open_control(struct gateway *gateway, const struct config *config)
{
	struct services *services = &gateway->services;
	struct config_error problem = { "" };

	gateway->control = (struct control){
		.config = config,
		.store = services->store,
		.loop = services->loop,
		.reach = &agent_reach,
		.sims = services->sims,
		.outbox = services->outbox,
		.ofono = services->ofono,
		.gateway = &control_gateway,
		.gateway_data = gateway,
		.more = owner_table,
		.services = services,
	};
	if (control_server_new(services->loop, &gateway->control,
			       &gateway->control_server, &problem) != 0)
		log_error("the owner's commands do not reach this gateway: %s",
			  problem.text);
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

static void announce_address(const struct gateway *gateway, unsigned index)
{
	const struct http_server *server = gateway->server;
	char address[ADDRESS_TEXT_BYTES];

	http_server_address(server, index, address);
	if (http_server_listens(server, index))
		log_info("listening on %s (port %u)", address,
			 http_server_port(server, index));
	else if (http_server_is_handed(server, index))
		log_info("nobody is answered on %s before a client is paired: the socket "
			 "is the service manager's, so who connects waits",
			 address);
	else
		log_info("not listening on %s before a client is paired", address);
	if (http_server_is_handed(server, index))
		warn_of_other_address(gateway->services.config, address);
}

static void announce(struct gateway *gateway)
{
	const struct config *config = gateway->services.config;
	int64_t clients = 0;

	for (unsigned i = 0; i < http_server_listeners(gateway->server); i++)
		announce_address(gateway, i);
	store_client_count(gateway->services.store, &clients);
	if (config->open)
		log_warning("open: every program on this machine may send SMS");
	else if (clients == 0)
		log_warning("no client is paired, so every call is refused; "
			    "run: ofono-mcp pair NAME");
	sd_notify(0, "READY=1");
}

static void on_ready(void *data)
{
	struct gateway *gateway = data;
	int error;

	if (gateway->stopping)
		return;
	gateway->ready = true;
	store_shrink(gateway->services.store);
	malloc_trim(0);
	error = http_server_serve(gateway->server);
	if (error == 0) {
		announce(gateway);
		advertisement_start(&gateway->advertisement, gateway->services.loop,
				    gateway->config, gateway->server);
		return;
	}
	log_error("cannot serve: %s", strerror(-error));
	sd_event_exit(gateway->services.loop, EXIT_FAILURE);
}

static void close_all(struct gateway *gateway)
{
	control_server_free(gateway->control_server);
	advertisement_stop(&gateway->advertisement);
	exposure_deinit(&gateway->exposure);
	http_server_free(gateway->server);
	observer_remove(&gateway->ussd_watch);
	observer_remove(&gateway->dialler_watch);
	endpoint_free(gateway->endpoint);
	readiness_deinit(&gateway->readiness);
	change_source_deinit(&gateway->changes);
	kept_answers_deinit(&gateway->kept);
	phone_close(&gateway->phone);
	sd_event_unref(gateway->services.loop);
}

int gateway_run(struct config *config, const struct config_source *source)
{
	struct gateway gateway = {
		.services.config = config,
		.config = config,
		.source = source,
	};
	struct config_error problem = { "" };
	int error = open_loop(&gateway);
	int code = EXIT_FAILURE;

	if (error == 0)
		error = descriptors_provide(config, &problem);
	if (error == 0)
		error = phone_open(&gateway.phone, &gateway.services, &problem);
	if (error == 0)
		error = open_network(&gateway, config, &problem);
	if (error == 0)
		error = exposure_init(&gateway.exposure, gateway.services.loop,
				      gateway.server);
	if (error == 0)
		error = readiness_init(&gateway.readiness, &gateway.services, on_ready,
				       &gateway);
	if (error == 0)
		open_control(&gateway, config);
	if (error != 0) {
		log_error("cannot start: %s",
			  *problem.text ? problem.text : strerror(-error));
		sd_notifyf(0, "STATUS=cannot start: %s\nERRNO=%d", problem.text, -error);
	} else {
		error = sd_event_loop(gateway.services.loop);
		if (error < 0)
			log_error("the event loop broke: %s", strerror(-error));
		else
			code = error;
	}
	close_all(&gateway);
	return code;
}
