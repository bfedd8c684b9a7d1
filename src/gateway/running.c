/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a reload works:
 *
 *   source -> next configuration -> valid? -> config_adopt() copies the keys that may change
 *          -> each key that differs: log, caller, audit log -> the parts that copied a value
 *
 * systemd learns of a reload by RELOADING=1 and READY=1 around it (sd_notify(3)).
 */
#include "gateway/running.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/log.h"
#include "config/config.h"
#include "store/store_audit.h"
#include "store/store_client.h"
#include "webhook/webhook.h"

struct running_key {
	const char *section;
	const char *name;
	bool adopted;
};

struct running_reloading {
	struct running_reload *reload;
	struct config before;
	struct config next;
	struct running_key keys[CONFIG_KEY_COUNT]; /* that differ */
	unsigned count;
};

static void running_on_key_changed(void *data, const char *section, const char *name,
				   bool adopted)
{
	struct running_reloading *reloading = data;
	struct running_reload *reload = reloading->reload;

	reloading->keys[reloading->count++] =
		(struct running_key){ section, name, adopted };
	if (adopted)
		log_info("reload: %s.%s: changed", section, name);
	else
		log_warning("reload: %s.%s: changed in the file, needs a restart",
			    section, name);
	if (reload->changed)
		reload->changed(reload->data, section, name, adopted);
}

/* The caller frees it. Returns NULL if memory runs out. */
static char *running_format_value(const struct config *config,
				  const struct running_key *key)
{
	struct buffer text = BUFFER_INIT;

	config_write_value(config, key->section, key->name, &text);
	buffer_append(&text, "", 1);
	return buffer_take(&text, &(size_t){ 0 });
}

static int running_audit_key(struct store *store,
			     const struct running_reloading *reloading,
			     const struct running_key *key)
{
	char *old = running_format_value(&reloading->before, key);
	char *new = running_format_value(&reloading->next, key);
	char name[64];
	int error;

	snprintf(name, sizeof(name), "%s.%s", key->section, key->name);
	error = store_audit_record(store, AUDIT_CONFIG_CHANGED,
				   (struct audit_event_fact[]){
					   { "key", name },
					   { "adopted", NULL, key->adopted },
					   { old ? "old" : NULL, old },
					   { new ? "new" : NULL, new },
					   { NULL },
				   });
	free(old);
	free(new);
	return error;
}

static int running_audit_keys(void *data, struct store *store)
{
	const struct running_reloading *reloading = data;
	int error = 0;

	for (unsigned i = 0; !error && i < reloading->count; i++)
		error = running_audit_key(store, reloading, &reloading->keys[i]);
	return error;
}

static bool running_read_config(struct running *running, struct running_reload *reload)
{
	struct running_reloading reloading = {
		.reload = reload,
		.before = *running->config,
	};
	int error = 0;

	if (running->source->read(running->source->data, &reloading.next,
				  &reload->error) != 0) {
		log_error("reload: nothing changed: %s", reload->error.text);
		return false;
	}
	config_adopt(running->config, &reloading.next, running_on_key_changed,
		     &reloading);
	if (!reloading.count)
		log_info("reload: nothing changed");
	else
		error = store_audit_transaction(running->services->store,
						running_audit_keys, &reloading);
	if (error)
		log_warning("reload: not in the audit log: %s",
			    error < 0 ? strerror(-error) : "the disk is full");
	return true;
}

/* Updates the parts that do not read the configuration each time. */
static void running_apply_config(struct running *running)
{
	log_set_level(running->config->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	retention_review(*running->retention);
	http_server_reload_certificate(running->web->server);
	policy_review(running->services->policy);
	advertisement_review(running->advertisement);
	contacts_reload(running->services->contacts);
	approval_notice_review(running->approval_notice);
	web_review_tools(running->web);
	webhook_review(running->services->webhooks);
}

bool running_reload_config(struct running *running, struct running_reload *reload)
{
	uint64_t now_us = 0;
	bool done;

	sd_event_now(running->services->loop, CLOCK_MONOTONIC, &now_us);
	if (running->is_ready)
		sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now_us);
	done = running_read_config(running, reload);
	if (done)
		running_apply_config(running);
	reload->contacts_problem = contacts_problem(running->services->contacts);
	if (running->is_ready)
		sd_notify(0, "READY=1");
	return done;
}

/* What a client without the scope could no longer end itself. */
static void running_end_dialogues(const struct running *running, int64_t client_id)
{
	const struct services *services = running->services;
	struct client client = { .scopes = 0 }; /* of a revoked one */

	store_client_find_id(services->store, client_id, &client);
	if (!(client.scopes & CLIENT_CALL))
		dialler_revoke(services->dialler, client_id);
	if (!(client.scopes & CLIENT_USSD))
		ussd_revoke(services->ussd, client_id);
}

/* Requests end first, because they may still use what the next steps take away. */
void running_client_changed(struct running *running, int64_t client_id,
			    enum running_client_change change)
{
	if (!running)
		return;
	if (change != RUNNING_CLIENT_CHANGED)
		web_cut_client(running->web, client_id);
	if (change == RUNNING_CLIENT_REVOKED)
		endpoint_end_sessions(running->web->endpoint, client_id);
	running_end_dialogues(running, client_id);
	if (change == RUNNING_CLIENT_REVOKED || change == RUNNING_CLIENT_ROTATED)
		webhook_end_client(running->services->webhooks, client_id,
				   change == RUNNING_CLIENT_REVOKED ? "revoked"
								    : "rotated");
	else
		webhook_review(running->services->webhooks);
	web_review_client(running->web, client_id);
}

void running_review_tools(struct running *running)
{
	web_review_tools(running->web);
}

struct pairing *running_pairing(struct running *running)
{
	return &running->web->pairing;
}

void running_open_pairing(struct running *running, int64_t duration_ms)
{
	web_open_pairing(running->web, duration_ms);
}

void running_take_local(struct running *running, int fd, int64_t uid)
{
	web_take_local(running->web, fd, uid);
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
	return advertisement_describe(running->advertisement, text_out);
}
