/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: what several files of the owner's commands share: permissions as typed, which card to
 * unlock, and commands that run a tool.
 */
#pragma once

#include "base/client.h"
#include "gateway/control.h"
#include "mcp/tool.h"
#include "ofono/modem.h"
#include "ofono/ofono.h"

/*
 * Permissions: what a client may do, as the owner gives it to `pair` and `change`.
 * Each argument is a string, as typed:
 *
 *   scope "read,send"   sim "1,2" or "any"   allow "+36201234567,+3630*" or "any"
 *   ask "always", "new-recipients", "never"
 *   per_minute, per_hour, per_day, segments_per_month: a number, "none" or "default"
 */

/*
 * Sets those of `client`'s permissions that are given. Returns false if one is invalid, and the
 * call has been answered; `client` is undefined then.
 */
bool paired_client_apply_permissions(struct control_call *call, struct client *client);

/* Returns true if at least one is given. */
bool paired_client_permissions_are_given(const struct control_call *call);

/* Returns true if `after` may not see something that `before` may see. */
bool paired_client_permissions_narrow(const struct client *before,
				      const struct client *after);

/*
 * Users of this machine: agents, without a token.
 *
 * The control socket also speaks HTTP.  Its group is the permission: who may connect may pair any
 * agent, so it needs no token to be one.  The kernel says which user it is (SO_PEERCRED), and the
 * client is named after that user, "local:anna".  It is created with the first request, with the
 * permissions of a newly paired client, and the owner sees, changes and revokes it like any other.
 * Nothing that listens on TCP leads here (tests/integration/test_local_client.py).
 */

/* Writes "local:anna", or "local:1000" if the user has no name that an agent may have. */
void paired_client_local_name(int64_t uid, char name[CLIENT_NAME_BYTES]);

/*
 * Finds the client, or adds it. Returns false if it was revoked, or the store failed, which is
 * logged.
 */
bool paired_client_find_local(struct store *store, const char *name,
			      struct client *client_out);

/* Adds it, with these permissions. Returns 0, STORE_E_* or -errno. */
int paired_client_add_local(struct store *store, struct client *client);

/*
 * Locked SIM: which card the owner wants to unlock, and whether one of its tries may be used.
 */

struct locked_sim {
	struct modem *modem; /* valid until the next event of the loop */
	enum modem_sim_lock lock;
	unsigned tries;	  /* left; 0 if the modem does not report it */
	const char *name; /* "SIM 1 in /sim0"; in the call's arena */
};

/*
 * Finds the card by the argument "modem" (described before), else by "sim" (a subscription_id or
 * the path of a modem), else takes the only locked card.  It must need what "puk" says the owner
 * will enter. Returns false if the call has been answered.
 */
bool locked_sim_find(struct control_call *call, struct locked_sim *sim_out);

/*
 * Returns true if a try may be used. The last one, or one of an unknown number, needs "force".
 * Returns false if the call has been answered.
 */
bool locked_sim_may_try(struct control_call *call, const struct locked_sim *sim);

/* "3 tries are left" */
const char *locked_sim_tries(struct arena *arena, unsigned tries);

/*
 * Tool command: a command of the owner that runs a tool.  It takes the tool's arguments, and
 * its result is what the tool gives agents as structuredContent
 * (tests/integration/test_owner_tools.py).
 *
 * The owner is a client with every scope and every SIM, without limits, whose messages need no
 * approval.  What the configuration forbids to everybody it also forbids to the owner: sending
 * while paused, premium numbers, more than the SIM's limits.
 */

/*
 * Receivers of webhooks, among the approvals. send_waiting() sends an item for each that waits, and
 * returns 0 or -errno. decide() sends an item with the outcome, and returns false if the call is
 * over.
 */
int command_webhooks_send_waiting(struct control_call *call, unsigned *count_out);
bool command_webhooks_decide(struct control_call *call, const char *id, bool approved,
			     bool *decided_out);

extern const struct client tool_command_owner;

/* Returns the ID of a SIM that the text spells; 0 if it is no ID. */
int64_t command_pools_read_id(const char *text);

/* Runs the tool and answers the call. */
void tool_command_run(struct control_call *control_call, const struct tool *tool);

/* Sends an item for each computer that asks to be paired. Returns false if the call is over. */
bool command_clients_send_waiting(struct control_call *call, unsigned *count_out);

/*
 * Tails: commands that answer with items until the owner's program ends. Each one occupies a
 * connection of the control socket, so there are RUNNING_TAILS_MAX at most. One that does not read
 * is closed like any connection (gateway/control.h).
 */

/*
 * Returns so many bytes of the call's arena, which are zero; or NULL, and the call has been
 * answered. `forget` gets them when the call ends.
 */
void *command_tail_begin(struct control_call *call, size_t bytes,
			 void (*forget)(void *data));
/* Call it after sending items: an item that could not be sent has ended the call. */
void command_tail_end_if_over(struct control_call *call);

/*
 * Agent command: the owner's numbers for commands by SMS.
 */

/* Writes "numbers", each with its state, "needs_code" and "approvals". Returns 0 or -errno. */
int command_agent_write_numbers(struct json_writer *writer,
				const struct control *control);
