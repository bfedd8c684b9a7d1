/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client: an agent's access, as the owner granted it.
 *
 * http hashes the token of each request, and the store finds the client by it. So a change by
 * the owner applies to the next request.
 */
#ifndef BASE_CLIENT_H
#define BASE_CLIENT_H

#include <stdint.h>

enum {
	CLIENT_HASH_BYTES = 32, /* SHA-256 of the token */
	CLIENT_NAME_BYTES = 64,
	CLIENT_SIMS_BYTES = 64,
	CLIENT_ALLOW_BYTES = 512,
};

/* Bits of client.scopes; stored: only append. */
enum client_scope {
	CLIENT_READ = 1 << 0,
	CLIENT_SEND = 1 << 1,
	CLIENT_CODES = 1 << 2, /* sees one-time codes */
	CLIENT_USSD = 1 << 3,
	CLIENT_ADMIN = 1 << 4,	 /* decides on approvals in place of the owner */
	CLIENT_METRICS = 1 << 5, /* reads /metrics */
	CLIENT_CALL = 1 << 6,	 /* places calls */
	CLIENT_SCOPES_ALL = (1 << 7) - 1,
};

/* When its messages wait for approval; stored: only append. */
enum client_ask {
	CLIENT_ASK_NEVER,
	CLIENT_ASK_NEW_RECIPIENTS, /* numbers without earlier messages */
	CLIENT_ASK_ALWAYS,
};

/* The ID of the owner, who is not a paired client. */
enum { CLIENT_OWNER = -1 };
#define CLIENT_OWNER_NAME "owner"

/* Each: -1: as configured for all clients; 0: no limit. */
struct client_limits {
	int64_t per_minute;
	int64_t per_hour;
	int64_t per_day;
	int64_t segments_per_month;
};

struct client {
	int64_t id; /* 0: open mode, anybody; CLIENT_OWNER */
	char name[CLIENT_NAME_BYTES];
	unsigned scopes; /* enum client_scope */
	enum client_ask ask;
	struct client_limits limits;
	char sims[CLIENT_SIMS_BYTES]; /* subscription_ids, separated by spaces; "" any */
	char allow
		[CLIENT_ALLOW_BYTES]; /* phone numbers or prefixes that end with *; "" any */
};

/* "read"; NULL: no such scope. */
const char *client_scope_name(enum client_scope scope);
enum client_scope client_scope_find(const char *name); /* 0: unknown */
const char *client_ask_name(enum client_ask ask);      /* "new-recipients" */

/* The defaults of a newly paired client. */
extern const struct client client_paired;

/* The client of open mode: everything except the scope admin. */
extern const struct client client_open;

enum { CLIENT_SCOPES_BYTES = 48 };

/* "read,send", with `between` as the separator; "" none. */
void client_write_scopes(unsigned scopes, char between, char text[CLIENT_SCOPES_BYTES]);

#endif
