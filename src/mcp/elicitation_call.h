/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elicitation call: one tool call and its questions, and how each era transports them to
 * the user and the answers back. Private to elicitation.c, elicitation_2025.c and
 * elicitation_2026.c.
 */
#pragma once

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/arena.h"
#include "base/crypto.h"
#include "base/json.h"
#include "mcp/elicitation.h"

struct persistence;

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

enum { REQUEST_STATE_LIFETIME_MS = 10 * 60 * 1000 };

enum {
	REQUEST_STATE_E_FORGED = 1, /* altered, cut, or made with another key */
	REQUEST_STATE_E_EXPIRED,
};

/* The strings live in an arena. */
struct elicitation_2026_state {
	const char *order;	    /* see elicitation_order() */
	const char *call;	    /* digest of client, tool and arguments */
	const char *question;	    /* key of the current question */
	const char *seen;	    /* digest of what the user sees of it */
	const struct json *answers; /* to earlier questions: {key: {seen, content}} */
	bool is_repeated;	    /* see struct elicitation_call */
	int64_t age_ms;		    /* since the question was asked; only when read */
};

/* Returns NULL if memory runs out. `answers` may be NULL. */
const char *elicitation_2026_state_write(const struct elicitation_2026_state *state,
					 const struct crypto_key *key,
					 struct arena *arena);
/* Returns 0, -ENOMEM or REQUEST_STATE_E_*. */
int elicitation_2026_state_read(const char *text, const struct crypto_key *key,
				struct arena *arena,
				struct elicitation_2026_state *state_out);

LIST_HEAD(elicitation_2025_list, elicitation_2025);

/* What all calls of an endpoint share. */
struct elicitation_calls {
	/* NULL to keep everything in memory only */
	const struct persistence *persistence;
	sd_event *loop; /* NULL if calls cannot wait for answers */
	/* for all answers of a call; 0 to never ask in 2025 */
	int64_t timeout_seconds;
	struct crypto_key key;
	struct elicitation_2025_list waiting;
	/* keeps our request IDs distinct from those of an earlier process */
	uint32_t epoch;
	unsigned last_number; /* of our request IDs */
};

/* A user's answer; lives in the call's arena. */
struct elicitation_call_reply {
	const char *key;
	const char *seen; /* digest of the question that was answered */
	enum elicitation_action action;
	const struct json *content; /* unchecked; may be NULL */
	bool is_hasty; /* it came before anybody can have read the question */
	struct elicitation_call_reply *next;
};

/* Lives in the call's arena. */
struct elicitation_call {
	struct tool_call *call;
	struct elicitation_calls *calls;
	const char *order; /* see elicitation_order() */
	bool is_resumed;
	bool gave_up;	   /* an answer did not come: ask no more */
	const char *about; /* key of the last question; NULL if there is none yet */
	unsigned rounds;
	bool is_repeated; /* an answer did not fit its form: the next must */
	/* clock_boot_ms() of the first question that waits; 0 if there is none */
	int64_t asked_ms;
	struct elicitation_call_reply *replies; /* latest first */
};

/* How an era transports questions. */
struct elicitation_call_transport {
	/* Reads the answers that came with the call. Returns false if they are refused, and the
	 * request has been answered. It is NULL if calls bring no answers. */
	bool (*begin)(struct elicitation_call *elicitation);
	bool (*is_available)(const struct elicitation_call *elicitation);
	/* Returns false if the question was not sent. `seen` lives as long as the call. */
	bool (*ask)(struct elicitation_call *elicitation,
		    const struct elicitation_question *question, const char *seen);
};

extern const struct elicitation_call_transport elicitation_2025_transport;
extern const struct elicitation_call_transport elicitation_2026_transport;

/*
 * Creates the key, or loads the stored one. The first three members are set before. Returns 0 or
 * -errno.
 */
int elicitation_calls_init(struct elicitation_calls *calls);

/* Frees the writer (NULL if memory ran out) and its text, of which it makes a keyed digest. */
bool elicitation_digest(const struct elicitation_calls *calls, struct json_writer *writer,
			struct buffer *text, char digest[MAC_DIGEST_BYTES]);
/* Copies the reply. Returns false if memory runs out. */
bool elicitation_add_reply(struct elicitation_call *elicitation,
			   const struct elicitation_call_reply *reply);

/* Runs the tool again. */
void elicitation_resume(struct elicitation_call *elicitation);

/* Accepts a response to a request of ours. One that no call waits for is ignored. */
struct request;
void elicitation_2025_receive(struct request *response);
