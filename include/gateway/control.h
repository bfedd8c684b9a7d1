/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control: what the owner's commands work on.
 *
 * A command runs in the gateway, which receives it over the control socket.  While no gateway
 * runs, the ofono-mcp program runs those commands itself that need only the message store
 * (tests/integration/test_control.py).
 */
#ifndef GATEWAY_CONTROL_H
#define GATEWAY_CONTROL_H

#include "store/store.h"

struct config;
struct explanation;
struct control_call;
struct running;
struct services;

/* A row of the table of the owner's commands. */
struct control_command {
	const char *name;
	bool needs_gateway; /* needs more than the message store */
	bool may_be_first;  /* useful even if no gateway has ever run with this store */
	bool needs_ofono;   /* waits while the bus may still admit the gateway */
	void (*run)(struct control_call *call);
};

struct control {
	const struct config *config;
	struct store *store;
	const struct control_command *const *commands; /* ends with NULL */
	/* NULL while no gateway runs: */
	struct running *running;
	struct services *services;
};

#endif
