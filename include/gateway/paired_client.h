/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paired client: an agent as the owner's commands name and show it.
 *
 *   "name", "scopes" ["read"], "sims" [1] ([]: any), "allow" ["+3620*"] ([]: any),
 *   "ask", "limits" {"per_minute": 5, ...} (null: as configured; 0: no limit), "paired"
 */
#ifndef GATEWAY_PAIRED_CLIENT_H
#define GATEWAY_PAIRED_CLIENT_H

#include "gateway/control_call.h"
#include "store/store_client.h"

/* Why an agent may not have this name, which is valid UTF-8; NULL: it may. */
const char *paired_client_name_error(const char *name);

/* Finds the client that the argument "name" names. False: the call has been answered. */
bool paired_client_find(struct control_call *call, struct store_client_row *row_out);

/* Writes the members into the open object. */
void paired_client_put(struct json_writer *writer, const struct store_client_row *row);
/* Writes the whole object as the member "client". */
void paired_client_put_member(struct json_writer *writer,
			      const struct store_client_row *row);

#endif
