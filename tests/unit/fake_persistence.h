/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A struct persistence that keeps nothing. Tests replace the functions that they look at.
 */
#pragma once

#include <string.h>

#include "mcp/persistence.h"

static int fake_save_session(struct store *store, const struct session_record *record)
{
	return 0;
}

static int fake_remove_session(struct store *store, const char *id)
{
	return 0;
}

static int fake_list_sessions(struct store *store,
			      void (*visit)(void *visit_data,
					    const struct session_record *record),
			      void *visit_data)
{
	return 0;
}

static int fake_load_key(struct store *store, struct crypto_key *key)
{
	return 0;
}

static int fake_decline_order(struct store *store, const char *order, int64_t until_ms)
{
	return 0;
}

static bool fake_is_order_declined(struct store *store, const char *order)
{
	return false;
}

static const struct persistence fake_persistence = {
	.save_session = fake_save_session,
	.remove_session = fake_remove_session,
	.list_sessions = fake_list_sessions,
	.load_key = fake_load_key,
	.decline_order = fake_decline_order,
	.is_order_declined = fake_is_order_declined,
};
