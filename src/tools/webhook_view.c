/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/webhook_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_client.h"
#include "tools/view.h"

enum { WEBHOOK_VIEW_DIGITS_MAX = 18 };

#define WEBHOOK_VIEW_REJECTED_MS (INT64_C(24) * 60 * 60 * 1000)

bool webhook_view_read_id(const char *text, int64_t *consent_id_out)
{
	size_t digits = *text == 'w' ? strspn(text + 1, "0123456789") : 0;

	if (!digits || digits > WEBHOOK_VIEW_DIGITS_MAX || text[digits + 1])
		return false;
	*consent_id_out = strtoll(text + 1, NULL, 10);
	return *consent_id_out > 0;
}

/* A time that is 0 is left out. */
static void webhook_view_put_time(struct json_writer *writer, const char *key,
				  int64_t wall_ms)
{
	if (wall_ms)
		view_put_time(writer, key, wall_ms);
}

static void webhook_view_put_client(struct json_writer *writer, struct store *store,
				    int64_t client_id)
{
	char name[CLIENT_NAME_BYTES] = "";

	store_client_name(store, client_id, name);
	json_put_string(writer, "client", name);
}

/* The client chose both; they are canonical JSON and printable URLs, checked where they came in. */
void webhook_view_put_consent(struct json_writer *writer, struct store *store,
			      const struct store_webhook_consent *consent)
{
	char id[WEBHOOK_VIEW_ID_BYTES];

	snprintf(id, sizeof(id), "w%lld", (long long)consent->id);
	json_put_string(writer, "approval_id", id);
	json_put_string(writer, "kind", "webhook");
	webhook_view_put_client(writer, store, consent->client_id);
	view_put_line(writer, "receiver", consent->origin);
	view_put_line(writer, "type", consent->event);
	view_put_line(writer, "filter", consent->filter);
	json_put_boolean(writer, "include_text", consent->with_text);
	view_put_time(writer, "asked_at", consent->asked_ms);
	webhook_view_put_time(writer, "until", consent->until_ms);
}

void webhook_view_put_subscription(struct json_writer *writer, struct store *store,
				   const struct webhook_view *view)
{
	const struct store_webhook_row *row = view->row;

	json_put_string(writer, "id", row->name_id);
	webhook_view_put_client(writer, store, row->client_id);
	view_put_line(writer, "receiver", row->origin);
	view_put_line(writer, "type", row->event);
	view_put_line(writer, "arguments", row->arguments);
	webhook_view_put_time(writer, "created_at", row->created_ms);
	webhook_view_put_time(writer, "refreshed_at", row->refreshed_ms);
	webhook_view_put_time(writer, "until", row->expires_ms);
	webhook_view_put_time(writer, "delivered_at", row->delivered_ms);
	json_put_string(writer, "state",
			row->suspended_ms     ? "suspended"
			: view->is_delivering ? "delivering"
					      : "idle");
	webhook_view_put_time(writer, "suspended_since", row->suspended_ms);
	webhook_view_put_time(writer, "failing_since", row->failed_since_ms);
	if (*row->error)
		json_put_string(writer, "last_error", row->error);
	if (view->retry_ms)
		view_put_time(writer, "next_attempt",
			      clock_ceil_ms(clock_wall_ms() + view->retry_ms));
}

const char *webhook_view_decide(struct store *store, int64_t consent_id, bool approved,
				const char *who)
{
	int error =
		store_webhook_consent_decide(store, consent_id, approved, who,
					     clock_wall_ms() + WEBHOOK_VIEW_REJECTED_MS);

	if (!error)
		return NULL;
	if (error == STORE_E_NOT_FOUND)
		return "it is not waiting for approval";
	return error == STORE_E_FULL ? "the decision could not be written to disk; free "
				       "space and try again"
				     : "internal error; see the gateway's log";
}
