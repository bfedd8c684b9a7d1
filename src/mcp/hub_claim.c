/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/hub_claim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "mcp/persistence.h"

enum { HUB_CLAIM_CHARACTERS = 64 }; /* of a name; the rest is cut */

static bool hub_claim_refuse(struct tool_call *call, enum failure failure,
			     const char *message)
{
	tool_call_refuse(call, failure, message);
	return false;
}

static bool hub_claim_raise(struct tool_call *call, const struct json *epoch)
{
	const struct persistence *persistence = call->request->context->persistence;
	int64_t number;
	int error;

	if (!json_integer(epoch, &number) || number < 1)
		return hub_claim_refuse(call, FAILURE_INVALID_ARGUMENTS,
					HUB_CLAIM_EPOCH
					" must be a whole number from 1.");
	if (!persistence || !persistence->raise_hub_epoch)
		return true;
	error = persistence->raise_hub_epoch(persistence->store, call->client->id,
					     number);
	if (!error)
		return true;
	if (error == PERSISTENCE_E_STALE)
		return hub_claim_refuse(call, FAILURE_STALE_HUB,
					"A newer hub has taken over this phone.");
	log_warning("mcp: the epoch of a hub cannot be stored");
	return hub_claim_refuse(call, FAILURE_STORAGE_FULL,
				"The phone's storage does not take the hub's epoch.");
}

static bool hub_claim_check_store(struct tool_call *call, const struct json *epoch)
{
	const struct persistence *persistence = call->request->context->persistence;
	int64_t present;
	char text[20];

	if (!json_string(epoch))
		return hub_claim_refuse(call, FAILURE_INVALID_ARGUMENTS,
					HUB_CLAIM_STORE_EPOCH " must be a text.");
	if (!persistence || !persistence->find_feed_epoch)
		return true;
	if (persistence->find_feed_epoch(persistence->store, &present))
		return hub_claim_refuse(call, FAILURE_INTERNAL,
					"The epoch of the store cannot be read.");
	snprintf(text, sizeof(text), "%016" PRIx64, (uint64_t)present);
	if (strcmp(text, json_string(epoch)) == 0)
		return true;
	return hub_claim_refuse(call, FAILURE_OTHER_EPOCH,
				"The message store was restored or repaired since.");
}

bool hub_claim_admit(struct tool_call *call)
{
	const struct rpc_message *message = &call->request->message;
	const struct json *epoch = rpc_meta(message, HUB_CLAIM_EPOCH);
	const struct json *store_epoch = rpc_meta(message, HUB_CLAIM_STORE_EPOCH);
	const struct json *name = rpc_meta(message, HUB_CLAIM_ON_BEHALF_OF);

	if (name && !json_string(name))
		return hub_claim_refuse(call, FAILURE_INVALID_ARGUMENTS,
					HUB_CLAIM_ON_BEHALF_OF " must be a text.");
	if (name && *json_string(name))
		call->on_behalf_of = escape_quote(call->arena, json_string(name),
						  HUB_CLAIM_CHARACTERS);
	return (!epoch || hub_claim_raise(call, epoch)) &&
	       (!store_epoch || hub_claim_check_store(call, store_epoch));
}
