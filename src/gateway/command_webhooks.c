/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * webhooks: the subscriptions of agents whose events are posted elsewhere, and the receivers
 * that the owner approved; or ends one of them.
 *   {}                   -> items with "subscription" or "approval"; {"subscriptions": 1, ...}
 *   {"revoke": "w3"}     an approval, and every subscription that needs it
 *   {"revoke": "sub_.."} a subscription, and the approval that it used
 * Without a gateway, what is revoked is removed from the store, and no receiver is notified.
 *
 * This is also the part of approvals, approve and reject that is about receivers.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "config/webhook_url.h"
#include "gateway/command.h"
#include "store/store_client.h"
#include "tools/services.h"
#include "tools/view.h"
#include "tools/webhook_view.h"

enum { REVOKED_MAX = 64, EVENT_BYTES = 132 };

struct command_webhooks_list {
	struct control_call *call;
	enum store_webhook_consent_state state;
	unsigned consents, subscriptions;
};

static void command_webhooks_send_consent(void *data,
					  const struct store_webhook_consent *consent)
{
	struct command_webhooks_list *list = data;
	struct json_writer *writer;

	if (consent->state != list->state || list->call->is_over)
		return;
	writer = control_call_open_item(list->call);
	if (!writer)
		return;
	webhook_view_put_consent(writer, list->call->control->store, consent);
	control_call_close(list->call);
	list->consents++;
}

int command_webhooks_send_waiting(struct control_call *call, unsigned *count_out)
{
	struct command_webhooks_list list = { call, WEBHOOK_CONSENT_WAITING, 0, 0 };
	int error = store_webhook_consent_list(call->control->store, 0,
					       command_webhooks_send_consent, &list);

	*count_out = list.consents;
	return error;
}

bool command_webhooks_decide(struct control_call *call, const char *id, bool approved,
			     bool *decided_out)
{
	int64_t consent_id = 0;
	const char *who = control_call_who(call), *why;
	struct json_writer *writer;

	why = !who || !webhook_view_read_id(id, &consent_id)
		      ? "that is not an ID of " PROGRAM_NAME " approvals"
		      : webhook_view_decide(call->control->store, consent_id, approved,
					    who);
	*decided_out = !why;
	writer = control_call_open_item(call);
	if (!writer)
		return false;
	json_put_string(writer, "approval_id", id);
	json_put_boolean(writer, approved ? "approved" : "rejected", !why);
	if (why)
		json_put_string(writer, "why", why);
	control_call_close(call);
	return !call->is_over;
}

/* ---- webhooks */

static void command_webhooks_send_view(void *data, const struct webhook_view *view)
{
	struct command_webhooks_list *list = data;
	struct json_writer *writer;

	if (list->call->is_over || !(writer = control_call_open_item(list->call)))
		return;
	webhook_view_put_subscription(writer, list->call->control->store, view);
	control_call_close(list->call);
	list->subscriptions++;
}

/* Without a gateway nothing is under way. */
static void command_webhooks_send_row(void *data, const struct store_webhook_row *row,
				      const struct store_webhook_delivery *delivery)
{
	const struct webhook_view view = { .row = row, .is_delivering = delivery->body };

	command_webhooks_send_view(data, &view);
}

static void command_webhooks_list(struct control_call *call)
{
	struct command_webhooks_list list = { call, WEBHOOK_CONSENT_APPROVED, 0, 0 };
	struct services *services = call->control->services;
	struct json_writer *writer;
	int error = 0;

	if (services && services->webhooks)
		webhook_each(services->webhooks, command_webhooks_send_view, &list);
	else
		error = store_webhook_list(call->control->store,
					   command_webhooks_send_row, &list);
	if (!error)
		error = store_webhook_consent_list(call->control->store, 0,
						   command_webhooks_send_consent, &list);
	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	if (call->is_over || !(writer = control_call_open_result(call)))
		return;
	json_put_integer(writer, "subscriptions", list.subscriptions);
	json_put_integer(writer, "approvals", list.consents);
	if (services && webhook_post_clock_flaw())
		json_put_string(writer, "held", webhook_post_clock_flaw());
	control_call_close(call);
}

/* ---- revoke */

/* The subscription to end, found before anything changes. */
struct command_webhooks_target {
	const char *name_id;
	int64_t id; /* 0 if not found */
	int64_t client_id;
	char origin[WEBHOOK_ORIGIN_BYTES];
	char event[EVENT_BYTES];
	int64_t consents
		[REVOKED_MAX]; /* approved ones for this client, server and type */
	unsigned count;
};

static void command_webhooks_find_row(void *data, const struct store_webhook_row *row,
				      const struct store_webhook_delivery *delivery)
{
	struct command_webhooks_target *target = data;

	if (strcmp(row->name_id, target->name_id) != 0)
		return;
	target->id = row->id;
	target->client_id = row->client_id;
	snprintf(target->origin, sizeof(target->origin), "%s", row->origin);
	snprintf(target->event, sizeof(target->event), "%s", row->event);
}

static void command_webhooks_find_consent(void *data,
					  const struct store_webhook_consent *consent)
{
	struct command_webhooks_target *target = data;

	if (consent->state == WEBHOOK_CONSENT_APPROVED && target->count < REVOKED_MAX &&
	    strcmp(consent->origin, target->origin) == 0 &&
	    strcmp(consent->event, target->event) == 0)
		target->consents[target->count++] = consent->id;
}

/* Without a gateway nobody is notified. */
static int command_webhooks_end(struct control_call *call,
				const struct command_webhooks_target *target)
{
	const struct services *services = call->control->services;
	char client[CLIENT_NAME_BYTES] = "";

	if (services && services->webhooks)
		return webhook_end(services->webhooks, target->name_id, "revoked");
	store_client_name(call->control->store, target->client_id, client);
	return store_webhook_remove(call->control->store,
				    &(struct store_webhook_row){
					    .id = target->id,
					    .client_id = target->client_id,
					    .name_id = target->name_id,
					    .origin = target->origin,
					    .event = target->event,
				    },
				    client, "revoked");
}

static int command_webhooks_revoke_subscription(struct control_call *call,
						const char *name_id, unsigned *count_out)
{
	struct command_webhooks_target target = { .name_id = name_id };
	struct store *store = call->control->store;
	int error = store_webhook_list(store, command_webhooks_find_row, &target);

	if (!error && !target.id)
		return STORE_E_NOT_FOUND;
	if (!error)
		error = store_webhook_consent_list(
			store, target.client_id, command_webhooks_find_consent, &target);
	for (unsigned i = 0; i < target.count && !error; i++)
		error = store_webhook_consent_remove(store, target.consents[i],
						     control_call_who(call));
	*count_out = target.count;
	return error ? error : command_webhooks_end(call, &target);
}

static void command_webhooks_revoke(struct control_call *call, const char *id)
{
	const struct services *services = call->control->services;
	unsigned consents = 1;
	int64_t consent_id;
	int error;
	struct json_writer *writer;

	if (webhook_view_read_id(id, &consent_id))
		error = store_webhook_consent_remove(call->control->store, consent_id,
						     control_call_who(call));
	else
		error = command_webhooks_revoke_subscription(call, id, &consents);
	if (error == STORE_E_NOT_FOUND) {
		control_call_fail(call, "not_found",
				  "To list them: " PROGRAM_NAME " webhook",
				  "there is no webhook or approval %s", id);
		return;
	}
	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	if (services && services->webhooks) /* what was approved alone ends with it */
		webhook_review(services->webhooks);
	if (!(writer = control_call_open_result(call)))
		return;
	view_put_line(writer, "revoked", id);
	json_put_integer(writer, "approvals", consents);
	control_call_close(call);
}

static void command_webhooks_run(struct control_call *call)
{
	const char *id = control_call_argument(call, "revoke");

	if (id)
		command_webhooks_revoke(call, id);
	else
		command_webhooks_list(call);
}

const struct control_command command_webhooks = {
	.name = "webhooks",
	.run = command_webhooks_run,
};
