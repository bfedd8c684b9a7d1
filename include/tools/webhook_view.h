/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhook view: subscriptions and consents of webhooks, as the owner sees them. No secret, and
 * of the URL only the server: its path may be one.
 */
#pragma once

#include "base/json.h"
#include "store/store_webhook.h"
#include "webhook/webhook.h"

struct services;

enum { WEBHOOK_VIEW_ID_BYTES = 24 }; /* "w3" */

/* Reads "w3". Returns false if it is not the ID of a consent. */
bool webhook_view_read_id(const char *text, int64_t *consent_id_out);

/* Writes the members of a consent that waits, or was given. */
void webhook_view_put_consent(struct json_writer *writer, struct store *store,
			      const struct store_webhook_consent *consent);
/* Writes the members of a subscription. */
void webhook_view_put_subscription(struct json_writer *writer, struct store *store,
				   const struct webhook_view *view);

/*
 * Decides on a consent that waits, and returns why it cannot, as a clause, or NULL if it is
 * decided. `who` is for example "owner (uid 0)".
 */
const char *webhook_view_decide(struct store *store, int64_t consent_id, bool approved,
				const char *who);
