/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that one part records while it opens is committed to disk together, in
 * one fsync, before the gateway answers anybody. The order of opening is in phone.h;
 * phone_close() goes backwards.
 */
#include "gateway/phone.h"

#include <stdio.h>

#include "base/log.h"
#include "config/config.h"
#include "store/store.h"

enum { LOCK_TIMEOUT_MS = 1000 }; /* blocks, but the loop does not run yet */

static int phone_open_spool(struct phone *phone, const struct config *config)
{
	char folder[2 * CONFIG_TEXT_BYTES];

	if (*config->spool_dir)
		snprintf(folder, sizeof(folder), "%s", config->spool_dir);
	else
		snprintf(folder, sizeof(folder), "%s/spool", config->state_dir);
	return spool_new(phone->services->loop, folder, phone->services->inbox,
			 &phone->spool);
}

static int phone_open_policy(struct services *services, const struct config *config)
{
	const struct policy_parts parts = {
		.loop = services->loop,
		.config = config,
		.store = services->store,
		.ofono = services->ofono,
		.sims = services->sims,
		.outbox = services->outbox,
	};

	return policy_new(&parts, &services->policy);
}

static int phone_open_dialler(struct services *services)
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

static void phone_open_opt_out(struct phone *phone)
{
	phone->opt_out = (struct opt_out){
		.config = phone->services->config,
		.store = phone->services->store,
		.outbox = phone->services->outbox,
	};
	opt_out_init(&phone->opt_out, phone->services->inbox);
}

/* Modems and SIM cards, and what works on them directly. */
static int phone_open_modems(struct phone *phone, const struct config *config)
{
	struct services *services = phone->services;
	int error = ofono_new(services->loop, NULL, &services->ofono);

	if (error == 0)
		error = sims_new(services->loop, services->ofono, services->store,
				 &services->sims);
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
static int phone_open_inbound(struct phone *phone, const struct config *config)
{
	struct services *services = phone->services;
	int error = inbox_new(services->loop, services->store, services->sims,
			      services->ofono, &services->inbox);

	if (error == 0)
		error = call_log_new(services->store, services->sims, services->ofono,
				     &services->calls);
	if (error == 0)
		error = phone_open_dialler(services);
	if (error == 0)
		error = alert_log_new(services->store, services->sims, services->ofono,
				      &services->alerts);
	if (error == 0)
		error = contacts_new(services->loop, config, services->sims,
				     services->ofono, &services->contacts);
	if (error == 0)
		error = phone_open_spool(phone, config);
	return error;
}

/* Outgoing messages, and what works on all stored messages. */
static int phone_open_outbound(struct phone *phone, const struct config *config)
{
	struct services *services = phone->services;
	int error = outbox_new(services->loop, config, services->store, services->sims,
			       services->ofono, &services->outbox);

	if (error == 0)
		error = phone_open_policy(services, config);
	if (error == 0)
		phone_open_opt_out(phone);
	if (error == 0)
		error = scans_new(services->loop, services->store, &services->scans);
	if (error == 0)
		error = retention_new(services->loop, config, services->store,
				      &phone->retention);
	if (error == 0)
		error = status_report_init(&phone->status, services);
	return error;
}

/* With the message store open. */
static int phone_open_parts(struct phone *phone, const struct config *config)
{
	struct services *services = phone->services;
	int error = audit_new(services->loop, services->store, &services->audit);

	if (error == 0)
		audit_start(services->audit, config);
	if (error == 0)
		error = phone_open_modems(phone, config);
	if (error == 0)
		error = phone_open_inbound(phone, config);
	if (error == 0)
		error = phone_open_outbound(phone, config);
	return error;
}

struct phone_opening {
	struct phone *phone;
	const struct config *config;
};

static int phone_open_opening(void *data)
{
	const struct phone_opening *opening = data;

	return phone_open_parts(opening->phone, opening->config);
}

/* One commit for what all parts record when they open. */
static int phone_open_in_one_commit(struct phone *phone, const struct config *config)
{
	struct phone_opening opening = { phone, config };
	int synced, error = store_sync_once(phone->services->store, phone_open_opening,
					    &opening, &synced);

	if (synced)
		log_error("store: the disk did not confirm the records of the start");
	return error;
}

int phone_open(struct phone *phone, struct services *services,
	       struct explanation *error_out)
{
	const struct config *config = services->config;
	int error;

	phone->services = services;
	phone->lock = STORE_LOCK_NONE;
	error = store_lock_await(config->state_dir, LOCK_TIMEOUT_MS, &phone->lock,
				 error_out);
	if (error == 0)
		error = store_open_or_rescue(config->state_dir, &services->store,
					     error_out);
	return error ? error : phone_open_in_one_commit(phone, config);
}

void phone_close(struct phone *phone)
{
	struct services *services = phone->services;

	if (!services)
		return;
	status_report_deinit(&phone->status);
	retention_free(phone->retention);
	scans_free(services->scans);
	if (services->ofono)
		ofono_flush_pending(services->ofono);
	opt_out_deinit(&phone->opt_out);
	policy_free(services->policy);
	outbox_free(services->outbox);
	spool_free(phone->spool);
	contacts_free(services->contacts);
	alert_log_free(services->alerts);
	dialler_free(services->dialler);
	call_log_free(services->calls);
	inbox_free(services->inbox);
	modem_power_free(phone->power);
	unlocker_free(phone->unlocker);
	ussd_free(services->ussd);
	sims_free(services->sims);
	ofono_free(services->ofono);
	if (services->audit)
		audit_stop(services->audit);
	audit_free(services->audit);
	store_close(services->store);
	store_lock_release(&phone->lock);
}
