/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that one part records while it opens is committed to disk together, in
 * one fsync, before the gateway answers anybody. The order of opening is in phone.h;
 * phone_services_close() goes backwards.
 */
#include "gateway/phone_services.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/log.h"
#include "config/config.h"
#include "policy/routing.h"
#include "store/store.h"

enum { LOCK_TIMEOUT_MS = 1000 }; /* blocks, but the loop does not run yet */

/* The status for the service manager */

enum { QUIET_USEC = 150 * 1000 };

void phone_services_status_send(struct phone_services_status *status)
{
	const struct services *services = status->services;
	const char *notice = store_rescue_notice(services->store);
	const struct sim *sim;
	char line[sizeof(status->line)];
	unsigned ready = 0;

	TAILQ_FOREACH (sim, sims_list(services->sims), link)
		ready += sim->state == SIM_READY;
	snprintf(line, sizeof(line), "%s; %u of %u SIMs can send%s%s",
		 ofono_condition(services->ofono), ready, sims_count(services->sims),
		 notice ? "; " : "", notice ? notice : "");
	if (strcmp(line, status->line) == 0)
		return;
	strcpy(status->line, line);
	sd_notifyf(0, "STATUS=%s", line);
}

static int phone_services_status_on_quiet(sd_event_source *source, uint64_t usec,
					  void *data)
{
	phone_services_status_send(data);
	return 0;
}

/* Before the first report there is nothing to update. */
static void phone_services_status_send_later(struct phone_services_status *status)
{
	if (!*status->line)
		return;
	sd_event_source_set_time_relative(status->timer, QUIET_USEC);
	sd_event_source_set_enabled(status->timer, SD_EVENT_ONESHOT);
}

static void phone_services_status_on_sims(void *data, const void *event)
{
	phone_services_status_send_later(data);
}

static void phone_services_status_on_ofono(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == OFONO_CONDITION)
		phone_services_status_send_later(data);
}

static int phone_services_status_init(struct phone_services_status *status,
				      const struct services *services)
{
	int error = sd_event_add_time_relative(services->loop, &status->timer,
					       CLOCK_MONOTONIC, 0, 0,
					       phone_services_status_on_quiet, status);

	if (error < 0)
		return error;
	sd_event_source_set_enabled(status->timer, SD_EVENT_OFF);
	status->services = services;
	observer_add(sims_observers(services->sims), &status->sims_observer,
		     phone_services_status_on_sims, status);
	observer_add(ofono_observers(services->ofono), &status->ofono_observer,
		     phone_services_status_on_ofono, status);
	return 0;
}

static void phone_services_status_deinit(struct phone_services_status *status)
{
	observer_remove(&status->sims_observer);
	observer_remove(&status->ofono_observer);
	status->timer = sd_event_source_disable_unref(status->timer);
}

/* Opening and closing */

enum { PHONE_FOLDER_BYTES = 2 * CONFIG_TEXT_BYTES };

static void phone_services_spool_folder(const struct config *config,
					char folder[PHONE_FOLDER_BYTES])
{
	if (*config->spool_dir)
		snprintf(folder, PHONE_FOLDER_BYTES, "%s", config->spool_dir);
	else
		snprintf(folder, PHONE_FOLDER_BYTES, "%s/spool", config->state_dir);
}

static int phone_services_open_spool(struct phone_services *phone)
{
	char folder[PHONE_FOLDER_BYTES];

	phone_services_spool_folder(phone->services->config, folder);
	return spool_new(phone->services->loop, folder, phone->services->inbox,
			 &phone->spool);
}

/* Opens it only where an ofonod may write it. */
static int phone_services_open_outgoing_spool(struct phone_services *phone)
{
	char folder[PHONE_FOLDER_BYTES];

	if (ofono_sends_again_safely(phone->services->ofono))
		return 0;
	phone_services_spool_folder(phone->services->config, folder);
	return outgoing_spool_new(phone->services->loop, folder, phone->services->outbox,
				  &phone->outgoing_spool);
}

static int phone_services_open_policy(struct phone_services *phone)
{
	struct services *services = phone->services;
	const struct policy_parts parts = {
		.loop = services->loop,
		.config = services->config,
		.store = services->store,
		.ofono = services->ofono,
		.sims = services->sims,
		.outbox = services->outbox,
		.received_codes = phone->received_codes,
		.audit = services->audit,
	};

	return policy_new(&parts, &services->policy);
}

static int phone_services_open_dialler(struct services *services)
{
	const struct dialler_parts parts = {
		.loop = services->loop,
		.store = services->store,
		.sims = services->sims,
		.ofono = services->ofono,
		.limit_ms = DIALLER_TIMEOUT_MS,
	};

	return dialler_new(&parts, &services->dialler);
}

static void phone_services_open_opt_out(struct phone_services *phone)
{
	phone->opt_out = (struct opt_out){
		.config = phone->services->config,
		.store = phone->services->store,
		.outbox = phone->services->outbox,
	};
	opt_out_init(&phone->opt_out, phone->services->inbox);
	phone->services->opt_out = &phone->opt_out;
}

static int phone_services_open_approval_notice(struct phone_services *phone)
{
	struct services *services = phone->services;

	phone->approval_notice = (struct approval_notice){
		.config = services->config,
		.store = services->store,
		.outbox = services->outbox,
	};
	return approval_notice_init(&phone->approval_notice, services->loop,
				    services->inbox);
}

/* Modems and SIM cards, and what works on them directly. */
static int phone_services_open_modems(struct phone_services *phone)
{
	struct services *services = phone->services;
	const struct config *config = services->config;
	const struct ofono_parts parts = { services->loop, config, services->store };
	int error = ofono_open(&parts, &services->ofono);

	if (error == 0)
		error = sims_new(services->loop, services->ofono, services->store,
				 &services->sims);
	if (error == 0)
		sim_feed_init(&phone->sim_feed, services->sims, services->store);
	if (error == 0)
		error = ussd_new(services->loop, services->ofono, USSD_TIMEOUT_MS,
				 &services->ussd);
	if (error == 0)
		error = unlocker_new(services->ofono, services->store, config,
				     &phone->unlocker);
	if (error == 0 && config->power_modems)
		error = modem_power_new(services->loop, services->ofono, services->store,
					&phone->power);
	return error;
}

/* Incoming messages, contacts and calls. */
static int phone_services_open_inbound(struct phone_services *phone)
{
	struct services *services = phone->services;
	const struct config *config = services->config;
	int error = inbox_new(services->loop, services->store, services->sims,
			      services->ofono, &services->inbox);

	if (error == 0)
		inbox_set_config(services->inbox, config);
	if (error == 0)
		error = call_log_new(services->store, services->sims, services->ofono,
				     &services->calls);
	if (error == 0)
		error = phone_services_open_dialler(services);
	if (error == 0)
		error = alert_log_new(services->store, services->sims, services->ofono,
				      &services->alerts);
	if (error == 0)
		error = contacts_new(services->loop, config, services->sims,
				     services->ofono, &services->contacts);
	if (error == 0)
		error = phone_services_open_spool(phone);
	return error;
}

/* In a hub, routing decides which of many SIMs sends a message. */
static int phone_services_open_routing(struct services *services)
{
	int error = routing_new(services->config, services->store, services->sims,
				&services->routing);

	if (error)
		return error;
	routing_watch(services->routing, services->outbox);
	outbox_failover_set_finder(services->outbox, routing_find_other, routing_is_left,
				   services->routing);
	return 0;
}

/* Outgoing messages, and what works on all stored messages. */
static int phone_services_open_outbound(struct phone_services *phone)
{
	struct services *services = phone->services;
	const struct config *config = services->config;
	int error = outbox_new(services->loop, config, services->store, services->sims,
			       services->ofono, &services->outbox);

	if (error == 0)
		error = phone_services_open_outgoing_spool(phone);
	if (error == 0)
		error = received_codes_new(services->loop, services->store,
					   &phone->received_codes);
	if (error == 0)
		outbox_set_received_codes(services->outbox, phone->received_codes);
	services->received_codes = phone->received_codes;
	if (error == 0)
		error = phone_services_open_policy(phone);
	if (error == 0)
		outbox_set_slot_finder(services->outbox, policy_find_due_slot,
				       services->policy);
	if (error == 0 && ofono_sends_again_safely(services->ofono))
		error = phone_services_open_routing(services);
	if (error == 0)
		phone_services_open_opt_out(phone);
	if (error == 0)
		error = phone_services_open_approval_notice(phone);
	if (error == 0)
		error = scans_new(services->loop, services->store, &services->scans);
	if (error == 0)
		error = retention_new(services->loop, config, services->store,
				      &phone->retention);
	if (error == 0)
		error = indexer_new(services->loop, services->store, &phone->indexer);
	if (error == 0)
		error = phone_services_status_init(&phone->status, services);
	return error;
}

/* Call it with the message store open. */
static int phone_services_open_parts(void *data)
{
	struct phone_services *phone = data;
	struct services *services = phone->services;
	int error = audit_new(services->loop, services->store, &services->audit);

	if (error == 0)
		audit_start(services->audit, services->config);
	if (error == 0)
		error = store_feed_watch_init(&phone->feed, services->loop,
					      services->store);
	services->feed = &phone->feed;
	if (error == 0)
		error = phone_services_open_modems(phone);
	if (error == 0)
		error = phone_services_open_inbound(phone);
	if (error == 0)
		error = phone_services_open_outbound(phone);
	return error;
}

int phone_services_open(struct phone_services *phone, struct services *services,
			struct explanation *error_out)
{
	const char *folder = services->config->state_dir;
	int error, synced;

	phone->services = services;
	phone->lock = STORE_LOCK_NONE;
	error = store_lock_await(folder, LOCK_TIMEOUT_MS, &phone->lock, error_out);
	if (error == 0)
		error = store_open_or_rescue(folder, &services->store, error_out);
	if (error)
		return error;
	/* one commit for what all parts record when they open */
	error = store_sync_once(services->store, phone_services_open_parts, phone,
				&synced);
	if (synced)
		log_error("store: the disk did not confirm the records of the start");
	if (error == 0 && phone->outgoing_spool)
		outgoing_spool_start(phone->outgoing_spool);
	return error;
}

void phone_services_close(struct phone_services *phone)
{
	struct services *services = phone->services;

	if (!services)
		return;
	phone_services_status_deinit(&phone->status);
	indexer_free(phone->indexer);
	retention_free(phone->retention);
	scans_free(services->scans);
	if (services->ofono)
		ofono_flush_pending(services->ofono);
	approval_notice_deinit(&phone->approval_notice);
	opt_out_deinit(&phone->opt_out);
	policy_free(services->policy);
	routing_free(services->routing);
	outgoing_spool_free(phone->outgoing_spool);
	outbox_free(services->outbox);
	received_codes_free(phone->received_codes);
	spool_free(phone->spool);
	contacts_free(services->contacts);
	alert_log_free(services->alerts);
	dialler_free(services->dialler);
	call_log_free(services->calls);
	inbox_free(services->inbox);
	modem_power_free(phone->power);
	unlocker_free(phone->unlocker);
	ussd_free(services->ussd);
	sim_feed_deinit(&phone->sim_feed);
	sims_free(services->sims);
	ofono_free(services->ofono);
	if (services->audit)
		audit_stop(services->audit);
	audit_free(services->audit);
	store_feed_watch_deinit(&phone->feed);
	store_close(services->store);
	store_lock_release(&phone->lock);
}
