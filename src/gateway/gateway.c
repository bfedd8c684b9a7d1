/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start and stop.
 *
 *   phone (gateway/phone_services.h) -> ports opened -> control socket
 *   -> the bus installed our match rules -> HTTP serves, READY=1
 *
 * oFono signals an incoming message only once.  So everything that receives one exists before
 * the loop runs, and the gateway reports ready only when the match rules are installed
 * (tests/integration/test_ready.py).  Connections made earlier wait for their answers.  A bus
 * that is missing or silent delays the start by BUS_TIMEOUT_MS at most.
 *
 * A missing bus, oFono or modem is a state that tools report, never a reason to stop.
 * SIGTERM or SIGINT: no new connections, waiting calls are answered with what is known, then
 * everything closes in the opposite order.  A second signal stops at once.  SIGHUP reloads
 * the configuration (gateway/running.h).
 */
#include "gateway/gateway.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>

#include "base/log.h"
#include "config/config.h"
#include "gateway/running.h"
#include "gateway/control.h"
#include "gateway/phone_services.h"
#include "gateway/web.h"

enum {
	STOP_TIMEOUT_MS = 2000,
	BUS_TIMEOUT_MS = 3000,
	/* Besides HTTP connections: store, bus, spool, loop, timers, refused and control
	 * connections. */
	DESCRIPTORS_OWN = 96,
};

struct gateway {
	struct services services;
	struct config *config; /* the services' own */
	struct phone_services phone;
	struct web web;
	struct advertisement advertisement;
	struct running running;
	struct control control;
	/* NULL if the socket could not be opened */
	struct control_server *control_server;
	struct observer bus_observer;
	sd_event_source *bus_timer;
	bool stopping;
};

/* Files */

/*
 * Serves fewer connections, as many as the file limit allows
 * (tests/integration/test_limits.py::test_fewer_connections_are_served_with_few_descriptors).
 */
static int gateway_lower_connections(struct config *config, rlim_t allowed,
				     struct explanation *error)
{
	rlim_t served = allowed > DESCRIPTORS_OWN ? allowed - DESCRIPTORS_OWN : 0;

	if (!served)
		return explanation_set(
			error, -EMFILE,
			"this process may open only %ju files and needs at least %d: "
			"raise LimitNOFILE= of the service, or `ulimit -n`",
			(uintmax_t)allowed, DESCRIPTORS_OWN + 1);

	log_warning("max_connections is %" PRId64
		    ", but this process may open only %ju files: serving %ju "
		    "connections; raise LimitNOFILE= of the service for more",
		    config->max_connections, (uintmax_t)allowed, (uintmax_t)served);
	config->max_connections = (int64_t)served;
	return 0;
}

/*
 * Raises the soft limit of open files to what max_connections needs. A process without
 * descriptors could neither accept a client nor open its own files.
 */
static int gateway_raise_file_limit(struct config *config, struct explanation *error)
{
	rlim_t needed = (rlim_t)config->max_connections + DESCRIPTORS_OWN;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	if (limit.rlim_cur >= needed)
		return 0;
	limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	return limit.rlim_cur < needed
		       ? gateway_lower_connections(config, limit.rlim_cur, error)
		       : 0;
}

/* Signals */

static void gateway_on_stopped(void *data)
{
	struct gateway *gateway = data;

	sd_event_exit(gateway->services.loop, EXIT_SUCCESS);
}

static int gateway_on_stop_signal(sd_event_source *source,
				  const struct signalfd_siginfo *info, void *data)
{
	struct gateway *gateway = data;

	if (gateway->stopping) {
		sd_event_exit(gateway->services.loop, EXIT_SUCCESS);
		return 0;
	}
	gateway->stopping = true;
	log_info("stopping (signal %u)", info->ssi_signo);
	sd_notify(0, "STOPPING=1");
	dialler_stop(gateway->services.dialler);
	ussd_stop(gateway->services.ussd);
	advertisement_stop(&gateway->advertisement);
	http_server_stop(gateway->web.server, STOP_TIMEOUT_MS, gateway_on_stopped,
			 gateway);
	return 0;
}

static int gateway_on_reload_signal(sd_event_source *source,
				    const struct signalfd_siginfo *info, void *data)
{
	struct running_reload reload = { NULL };
	struct gateway *gateway = data;

	if (!gateway->stopping)
		running_reload_config(&gateway->running, &reload);
	return 0;
}

static int gateway_add_signals(struct gateway *gateway)
{
	static const struct {
		int number;
		sd_event_signal_handler_t handler;
	} signals[] = {
		{ SIGTERM, gateway_on_stop_signal },
		{ SIGINT, gateway_on_stop_signal },
		{ SIGHUP, gateway_on_reload_signal },
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

static int gateway_open_loop(struct gateway *gateway)
{
	int error = sd_event_default(&gateway->services.loop);

	if (error >= 0)
		error = gateway_add_signals(gateway);
	if (error >= 0) /* does nothing unless WATCHDOG_USEC is set */
		error = sd_event_set_watchdog(gateway->services.loop, true);
	return error < 0 ? error : 0;
}

/* The owner's commands */

/* Without its control socket the gateway still works, so an error here is only logged. */
static void gateway_open_control(struct gateway *gateway)
{
	struct services *services = &gateway->services;
	struct explanation problem = { "" };

	gateway->control = (struct control){
		.config = gateway->config,
		.store = services->store,
		.commands = command_table,
		.tls = http_server_tls(gateway->web.server),
		.running = &gateway->running,
		.services = services,
	};
	if (control_server_new(services->loop, &gateway->control,
			       &gateway->control_server, &problem) != 0)
		log_error("the owner's commands cannot reach this gateway: %s",
			  problem.text);
}

/* Ready */

static void gateway_stop_waiting(struct gateway *gateway)
{
	observer_remove(&gateway->bus_observer);
	gateway->bus_timer = sd_event_source_disable_unref(gateway->bus_timer);
}

static void gateway_serve(struct gateway *gateway)
{
	int error;

	gateway_stop_waiting(gateway);
	if (gateway->stopping)
		return;
	gateway->running.is_ready = true;
	store_shrink(gateway->services.store);
	malloc_trim(0);
	error = web_serve(&gateway->web);
	if (error == 0) {
		phone_services_status_send(&gateway->phone.status);
		sd_notify(0, "READY=1");
		advertisement_start(&gateway->advertisement, gateway->services.loop,
				    gateway->config, gateway->web.server);
		return;
	}
	log_error("cannot serve: %s", strerror(-error));
	sd_event_exit(gateway->services.loop, EXIT_FAILURE);
}

static void gateway_on_ofono(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == OFONO_BUS_KNOWN)
		gateway_serve(data);
}

static int gateway_on_bus_timeout(sd_event_source *source, uint64_t due_us, void *data)
{
	log_warning("the bus does not answer; ready without it");
	gateway_serve(data);
	return 0;
}

/* The bus answers in a later turn of the loop, never before this returns. */
static int gateway_wait_for_bus(struct gateway *gateway)
{
	const struct services *services = &gateway->services;
	int error = sd_event_add_time_relative(
		services->loop, &gateway->bus_timer, CLOCK_MONOTONIC,
		BUS_TIMEOUT_MS * UINT64_C(1000), 0, gateway_on_bus_timeout, gateway);

	if (error < 0)
		return error;
	observer_add(ofono_observers(services->ofono), &gateway->bus_observer,
		     gateway_on_ofono, gateway);
	return 0;
}

/* Start and stop */

static int gateway_open(struct gateway *gateway, struct explanation *problem)
{
	int error = gateway_open_loop(gateway);

	if (!error)
		error = gateway_raise_file_limit(gateway->config, problem);
	if (!error)
		error = phone_services_open(&gateway->phone, &gateway->services, problem);
	if (!error)
		error = web_open(&gateway->web, &gateway->services, problem);
	if (!error)
		error = gateway_wait_for_bus(gateway);
	if (!error)
		gateway_open_control(gateway);
	return error;
}

static void gateway_close(struct gateway *gateway)
{
	control_server_free(gateway->control_server);
	advertisement_stop(&gateway->advertisement);
	web_close(&gateway->web);
	gateway_stop_waiting(gateway);
	phone_services_close(&gateway->phone);
	sd_event_unref(gateway->services.loop);
}

static void gateway_report_failure(const struct explanation *problem, int error)
{
	log_error("cannot start: %s", *problem->text ? problem->text : strerror(-error));
	sd_notifyf(0, "STATUS=cannot start: %s\nERRNO=%d", problem->text, -error);
}

int gateway_run(struct config *config, const struct gateway_config_source *source)
{
	struct gateway gateway = {
		.services.config = config,
		.config = config,
		.running = {
			.services = &gateway.services,
			.config = config,
			.source = source,
			.web = &gateway.web,
			.advertisement = &gateway.advertisement,
			.retention = &gateway.phone.retention,
			.approval_notice = &gateway.phone.approval_notice,
		},
	};
	struct explanation problem = { "" };
	int error = gateway_open(&gateway, &problem);
	int code = EXIT_FAILURE;

	if (error) {
		gateway_report_failure(&problem, error);
	} else {
		code = sd_event_loop(gateway.services.loop);
		if (code < 0) {
			log_error("the event loop broke: %s", strerror(-code));
			code = EXIT_FAILURE;
		}
	}
	gateway_close(&gateway);
	return code;
}
