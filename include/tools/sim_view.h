/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM view: SIM cards, their voicemail and their balances, and the modems as JSON.
 *
 * An amount is a string, as the network wrote it: a JSON number would be rounded, and the
 * gateway does not know how many decimals a currency has.
 */
#pragma once

#include "base/json.h"
#include "mcp/schema.h"
#include "phone/sim.h"
#include "policy/policy.h"
#include "tools/services.h"

enum sim_view_detail {
	SIM_VIEW_BRIEF, /* the four members that the original app has, nothing else */
	SIM_VIEW_STATE, /* which SIM, and whether it can send */
	SIM_VIEW_FULL,
};

extern const struct schema_field sim_view_fields[]; /* of one SIM, in full */

/* Writes {"count":N,"subscriptions":[...]} */
void sim_view_write(struct json_writer *writer, const struct sims *sims,
		    enum sim_view_detail detail);

extern const struct schema_field sim_view_voicemail_fields[]; /* of one SIM */

/* Writes an array with the voicemail of each SIM, or of those where some waits, ordered by slot. */
void sim_view_put_voicemail(struct json_writer *writer, const char *key,
			    const struct sims *sims, bool waiting_only);

extern const struct schema_field sim_view_balance_fields[]; /* of one SIM */

/*
 * Writes an array with the last balance of each SIM that this client may use. Returns 0 or -errno.
 */
int sim_view_write_balances(struct json_writer *writer, const struct services *services,
			    const struct client *client);

extern const struct schema_field sim_view_reading_fields[];

/* Writes "balance": one that was just read. */
void sim_view_put_reading(struct json_writer *writer, const struct balance *balance,
			  int64_t read_ms);

extern const struct schema_field sim_view_modem_fields[]; /* of one modem */

/* Writes "modems":[...], without Bluetooth phones, which the gateway ignores */
void sim_view_put_modems(struct json_writer *writer, const struct services *services);

/* Changes if anything that sim_view_put_modems() writes changes, except the signal strength. */
uint64_t sim_view_modem_checksum(const struct services *services);
