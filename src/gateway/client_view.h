/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client view: a paired client as JSON, as every command shows it.
 *
 *   "name", "scopes" ["read"], "sims" [1] (none: any), "allow" ["+3620*"] (none: any),
 *   "ask", "limits" {"per_minute": 5, ...} (null: as configured; 0: none), "paired"
 */
#ifndef GATEWAY_CLIENT_VIEW_H
#define GATEWAY_CLIENT_VIEW_H

#include "base/json.h"
#include "store/store_client.h"

/* The members, into an object that is open. */
void client_view_put(struct json_writer *writer, const struct store_client_row *row);
/* All of them as its member "client". */
void client_view_put_whole(struct json_writer *writer,
			   const struct store_client_row *row);

#endif
