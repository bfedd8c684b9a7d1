/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hub claim: what a hub of many phones says of itself in _meta of a tools/call. Believed only
 * from a client with the scope hub.
 */
#pragma once

#include "mcp/tool.h"

/*
 * A whole number from 1 that grows with each start of the hub. A call with a lower one than the
 * highest that this client ever used is refused (stale_hub), so that a hub whose message store
 * was copied or restored, and one that was declared dead, cannot act beside its successor.
 */
#define HUB_CLAIM_EPOCH "ofono-mcp/hub_epoch"
/*
 * A text: the epoch of list_changes for which the call was made. A call that was delayed until
 * the message store was restored or repaired is refused (other_epoch): the store may have
 * forgotten that the message was sent.
 */
#define HUB_CLAIM_STORE_EPOCH "ofono-mcp/store_epoch"
/* A text: whom it calls for. In the audit log and in the history of messages. */
#define HUB_CLAIM_ON_BEHALF_OF "ofono-mcp/on_behalf_of"

/* Returns false if the call has been refused. */
bool hub_claim_admit(struct tool_call *call);
