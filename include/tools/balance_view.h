/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Balance view: balances of SIMs as JSON.
 *
 * An amount is a decimal text, as the network wrote it: a number of JSON would be rounded, and
 * how many minor units a currency has is not known here.
 */
#ifndef TOOLS_BALANCE_VIEW_H
#define TOOLS_BALANCE_VIEW_H

#include "base/json.h"
#include "mcp/schema.h"
#include "policy/balance.h"
#include "tools/services.h"

/* What was read just now: the member "balance". */
extern const struct schema_field balance_view_reading_fields[];
void balance_view_put_reading(struct json_writer *writer, const struct balance *balance,
			      int64_t read_ms);

/* What is known of each SIM that this client may use, as an array. 0 or -errno. */
extern const struct schema_field balance_view_fields[];
int balance_view_write(struct json_writer *writer, const struct services *services,
		       const struct client *client);

#endif
