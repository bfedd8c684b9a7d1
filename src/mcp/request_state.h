/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request state: the requestState that a client of 2026-07-28 carries from a question to
 * its answer, because the server remembers nothing between requests.
 *
 * Clients can read it but not change it: an HMAC-SHA256 covers all of it. It is valid for
 * REQUEST_STATE_LIFETIME_MS, across restarts of the gateway, and only for the call that
 * it was issued for. Acting only once per order is the tool's task (elicitation_order()).
 *
 * Source: MCP 2026-07-28, basic/patterns/mrtr, "Request State".
 */
#ifndef MCP_REQUEST_STATE_H
#define MCP_REQUEST_STATE_H

#include "base/arena.h"
#include "base/elicitation_key.h"
#include "base/json.h"

enum { REQUEST_STATE_LIFETIME_MS = 10 * 60 * 1000 };

enum {
	REQUEST_STATE_E_FORGED = 1, /* altered, cut, or made with another key */
	REQUEST_STATE_E_EXPIRED,
};

/* The strings live in an arena. */
struct request_state {
	const char *order;	    /* see elicitation_order() */
	const char *call;	    /* digest of client, tool and arguments */
	const char *question;	    /* key of the current question */
	const char *seen;	    /* digest of what the user sees of it */
	const struct json *answers; /* to earlier questions: {key: {seen, content}} */
};

/* NULL: no memory. `answers` may be NULL. */
const char *request_state_write(const struct request_state *state,
				const struct elicitation_key *key, struct arena *arena);
/* 0, -ENOMEM or REQUEST_STATE_E_*. */
int request_state_read(const char *text, const struct elicitation_key *key,
		       struct arena *arena, struct request_state *state_out);

#endif
