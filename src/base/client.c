/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/client.h"

#include <string.h>

static const struct {
	enum client_scope scope;
	const char *name;
} client_scopes[] = {
	{ CLIENT_READ, "read" },   { CLIENT_SEND, "send" },
	{ CLIENT_CODES, "codes" }, { CLIENT_USSD, "ussd" },
	{ CLIENT_ADMIN, "admin" }, { CLIENT_METRICS, "metrics" },
	{ CLIENT_CALL, "call" },   { CLIENT_EVENTS, "events" },
	{ CLIENT_HUB, "hub" },
};

const char *client_scope_name(enum client_scope scope)
{
	for (size_t at = 0; at < sizeof(client_scopes) / sizeof(client_scopes[0]); at++) {
		if (client_scopes[at].scope == scope)
			return client_scopes[at].name;
	}
	return NULL;
}

enum client_scope client_scope_find(const char *name)
{
	for (size_t at = 0; at < sizeof(client_scopes) / sizeof(client_scopes[0]); at++) {
		if (strcmp(client_scopes[at].name, name) == 0)
			return client_scopes[at].scope;
	}
	return 0;
}

const char *client_ask_name(enum client_ask ask)
{
	switch (ask) {
	case CLIENT_ASK_NEVER:
		return "never";
	case CLIENT_ASK_NEW_RECIPIENTS:
		return "new-recipients";
	case CLIENT_ASK_ALWAYS:
		break;
	}
	return "always";
}

const struct client client_paired = {
	.scopes = CLIENT_READ | CLIENT_SEND,
	.ask = CLIENT_ASK_NEVER,
	.limits = { -1, -1, -1, -1 },
};

const struct client client_open = {
	.name = "open",
	.scopes = CLIENT_SCOPES_ALL & ~(CLIENT_ADMIN | CLIENT_EVENTS | CLIENT_HUB),
	.limits = { -1, -1, -1, -1 },
};

void client_write_scopes(unsigned wanted, char between, char text[CLIENT_SCOPES_BYTES])
{
	char *to = text;

	for (size_t at = 0; at < sizeof(client_scopes) / sizeof(client_scopes[0]); at++) {
		if (!(wanted & client_scopes[at].scope))
			continue;
		if (to != text)
			*to++ = between;
		to = stpcpy(to, client_scopes[at].name);
	}
	*to = '\0';
}

bool client_is_local(const struct client *client)
{
	return strncmp(client->name, CLIENT_LOCAL_PREFIX, strlen(CLIENT_LOCAL_PREFIX)) ==
	       0;
}

bool client_may_leak_codes(const struct client *client)
{
	const unsigned both = CLIENT_CODES | CLIENT_SEND;

	return (client->scopes & both) == both;
}
