/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/client.h"

#include <string.h>

const struct client client_open = {
	.name = "open",
	.scopes = CLIENT_SCOPES_ALL & ~CLIENT_ADMIN,
	.limits = { -1, -1, -1, -1 },
};

/* In the order of the bits */
static const char *const scope_names[] = { "read", "send", "codes", "ussd", "admin" };

void client_write_scopes(unsigned scopes, char between, char text[CLIENT_SCOPES_BYTES])
{
	char *to = text;

	for (size_t i = 0; i < sizeof(scope_names) / sizeof(scope_names[0]); i++) {
		if (!(scopes & 1U << i))
			continue;
		if (to != text)
			*to++ = between;
		to = stpcpy(to, scope_names[i]);
	}
	*to = '\0';
}
