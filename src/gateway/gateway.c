/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of start and stop.
 *
 *   the phone (gateway/phone.h) -> ports taken -> the owner's commands
 *   the bus took the match rules (gateway/readiness.h) -> HTTP answers, READY
 *
 * oFono tells of a message once: all who hear it are there before the loop turns, and
 * nobody is told that we are ready before we hear (tests/integration/test_ready.py). Who
 * connects meanwhile waits to be answered.
 *
 * A missing bus, oFono or modem is a state that calls report, never a reason to stop. On
 * SIGTERM or SIGINT: no new connections, waiting calls are answered with what is known,
 * then everything ends in the opposite order. A second signal ends at once. SIGHUP reads the
 * configuration again (gateway/reload.h).
 */
#include "gateway/gateway.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/log.h"
#include "config/config.h"
#include "gateway/advertisement.h"
#include "gateway/agent_reach.h"
#include "gateway/control_server.h"
#include "gateway/descriptors.h"
#include "gateway/front.h"
#include "gateway/owner_table.h"
#include "gateway/phone.h"
#include "gateway/readiness.h"

enum { STOP_TIMEOUT_MS = 2000 };

struct gateway {
	struct services services;
	struct config *config; /* the services' own */
	const struct config_source *source;
	struct phone phone;
	struct front front;
	struct readiness readiness;
	struct advertisement advertisement;
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
	ussd_stop(gateway->services.ussd);
	advertisement_stop(&gateway->advertisement);
	http_server_stop(gateway->front.server, STOP_TIMEOUT_MS, on_stopped, gateway);
	return 0;
}

/* What does not look at the configuration each time. */
static void apply_config(struct gateway *gateway)
{
	log_set_level(gateway->config->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	retention_review(gateway->phone.retention);
	http_server_reload_certificate(gateway->front.server);
	policy_review(gateway->services.policy);
	advertisement_review(&gateway->advertisement);
	contacts_reload(gateway->services.contacts);
	front_review_tools(&gateway->front);
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
	struct gateway *gateway = data;

	front_cut_client(&gateway->front, client_id);
}

static void on_client_forgotten(void *data, int64_t client_id)
{
	struct gateway *gateway = data;

	front_forget_client(&gateway->front, client_id);
	dialler_revoke(gateway->services.dialler, client_id);
	ussd_revoke(gateway->services.ussd, client_id);
}

static void on_client_changed(void *data, int64_t client_id)
{
	struct gateway *gateway = data;

	front_review_client(&gateway->front, client_id);
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

/* What the phone does is worth more than what its owner can tell it. */
static void open_control(struct gateway *gateway, const struct config *config)
{
	struct services *services = &gateway->services;
	struct explanation problem = { "" };

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

static void on_ready(void *data)
{
	struct gateway *gateway = data;
	int error;

	if (gateway->stopping)
		return;
	gateway->ready = true;
	store_shrink(gateway->services.store);
	malloc_trim(0);
	error = front_serve(&gateway->front);
	if (error == 0) {
		status_report_tell(&gateway->phone.status);
		sd_notify(0, "READY=1");
		advertisement_start(&gateway->advertisement, gateway->services.loop,
				    gateway->config, gateway->front.server);
		return;
	}
	log_error("cannot serve: %s", strerror(-error));
	sd_event_exit(gateway->services.loop, EXIT_FAILURE);
}

static void close_all(struct gateway *gateway)
{
	control_server_free(gateway->control_server);
	advertisement_stop(&gateway->advertisement);
	front_close(&gateway->front);
	readiness_deinit(&gateway->readiness);
	phone_close(&gateway->phone);
	sd_event_unref(gateway->services.loop);
}

static int open_all(struct gateway *gateway, struct explanation *problem)
{
	int error = open_loop(gateway);

	if (!error)
		error = descriptors_provide(gateway->config, problem);
	if (!error)
		error = phone_open(&gateway->phone, &gateway->services, problem);
	if (!error)
		error = front_open(&gateway->front, &gateway->services, problem);
	if (!error)
		error = readiness_init(&gateway->readiness, &gateway->services, on_ready,
				       gateway);
	if (!error)
		open_control(gateway, gateway->config);
	return error;
}

static void tell_why_not(const struct explanation *problem, int error)
{
	log_error("cannot start: %s", *problem->text ? problem->text : strerror(-error));
	sd_notifyf(0, "STATUS=cannot start: %s\nERRNO=%d", problem->text, -error);
}

int gateway_run(struct config *config, const struct config_source *source)
{
	struct gateway gateway = {
		.services.config = config,
		.config = config,
		.source = source,
	};
	struct explanation problem = { "" };
	int error = open_all(&gateway, &problem);
	int code = EXIT_FAILURE;

	if (error) {
		tell_why_not(&problem, error);
	} else {
		code = sd_event_loop(gateway.services.loop);
		if (code < 0) {
			log_error("the event loop broke: %s", strerror(-code));
			code = EXIT_FAILURE;
		}
	}
	close_all(&gateway);
	return code;
}
