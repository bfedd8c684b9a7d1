/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client: an agent's access, as the owner granted it.
 *
 * http hashes the token of each request, and the store finds the client by it. So a change by
 * the owner applies to the next request.
 */
#pragma once

#include <stdbool.h>
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
	CLIENT_EVENTS = 1 << 7,	 /* has events delivered to a URL of its own */
	CLIENT_HUB = 1 << 8,	 /* follows the phone for a hub of many phones */
	CLIENT_SCOPES_ALL = (1 << 9) - 1,
};

/* When its messages wait for approval; stored: only append. */
enum client_ask {
	CLIENT_ASK_NEVER,
	CLIENT_ASK_NEW_RECIPIENTS, /* numbers without earlier messages */
	CLIENT_ASK_ALWAYS,
};

/*
 * The IDs of the owner, who is not a paired client, of the gateway, which texts the owner
 * itself (sms/approval_notice.h), and of all other programs of the phone that send messages
 * through oFono (sms/outbox_record.h). -2 is taken: store/store_usage.h.
 */
enum { CLIENT_OWNER = -1, CLIENT_GATEWAY = -3, CLIENT_PHONE = -4 };
#define CLIENT_OWNER_NAME   "owner"
#define CLIENT_GATEWAY_NAME "gateway"
#define CLIENT_PHONE_NAME   "phone"

/* For each limit, -1 means as configured for all clients, and 0 means no limit. */
struct client_limits {
	int64_t per_minute;
	int64_t per_hour;
	int64_t per_day;
	int64_t segments_per_month;
};

struct client {
	int64_t id; /* 0 in open mode, for anybody; CLIENT_OWNER */
	char name[CLIENT_NAME_BYTES];
	unsigned scopes; /* enum client_scope */
	enum client_ask ask;
	struct client_limits limits;
	char sims[CLIENT_SIMS_BYTES]; /* subscription_ids, separated by spaces; "" any */
	/*
	 * Phone numbers or prefixes that end with *; "" any. It comes last, because the copy of a
	 * request ends with its NUL (http/exchange.h).
	 */
	char allow[CLIENT_ALLOW_BYTES];
};

/* Returns for example "read"; NULL if there is no such scope. */
const char *client_scope_name(enum client_scope scope);
enum client_scope client_scope_find(const char *name); /* 0 if unknown */
const char *client_ask_name(enum client_ask ask);      /* "new-recipients" */

/*
 * A local client is a user of this machine who may use the control socket: it is named after the
 * user, and has no token. Revoked, it stays as a row without scopes.
 */
#define CLIENT_LOCAL_PREFIX "local:"
bool client_is_local(const struct client *client);

/* Returns whether it sees one-time codes and sends messages. */
bool client_may_leak_codes(const struct client *client);

/* The defaults of a newly paired client. */
extern const struct client client_paired;

/* The client of open mode: everything except the scopes admin, events and hub. */
extern const struct client client_open;

enum { CLIENT_SCOPES_BYTES = 56 };

/* Writes "read,send", with `between` as the separator; "" if there is none. */
void client_write_scopes(unsigned scopes, char between, char text[CLIENT_SCOPES_BYTES]);
