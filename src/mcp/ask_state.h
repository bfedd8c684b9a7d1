/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask state: what a client of 2026-07-28 carries for us from a question to its answer
 * (requestState), for between its requests nothing is remembered.
 *
 * It is readable and cannot be changed: an HMAC-SHA256 holds all of it together. It is good
 * for ASK_STATE_MS, also after a restart of the gateway, and only for the call that it was
 * given for. That an order is carried out once only is up to the tool (ask_order()).
 *
 * Source: MCP 2026-07-28, basic/patterns/mrtr, "Request State".
 */
#ifndef MCP_ASK_STATE_H
#define MCP_ASK_STATE_H

#include "base/arena.h"
#include "base/asking_key.h"
#include "base/json.h"

enum { ASK_STATE_MS = 10 * 60 * 1000 };

/* outcomes */
enum {
	ASK_STATE_E_FORGED = 1, /* or cut, or of another key */
	ASK_STATE_E_EXPIRED,
};

/* strings live in an arena */
struct ask_state {
	const char *order;	    /* names what the person is asked about */
	const char *call;	    /* digest: who calls what with which arguments */
	const char *question;	    /* the key of what is asked now */
	const char *seen;	    /* digest: what the person sees of it */
	const struct json *answers; /* to earlier questions: {key: {seen, content}} */
};

/* NULL: no memory. `answers` may be NULL. */
const char *ask_state_write(const struct ask_state *state, const struct asking_key *key,
			    struct arena *arena);
/* 0, -ENOMEM or ASK_STATE_E_*. */
int ask_state_read(const char *text, const struct asking_key *key, struct arena *arena,
		   struct ask_state *state_out);

#endif
