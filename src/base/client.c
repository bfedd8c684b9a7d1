/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/client.h"

const struct client client_open = {
	.name = "open",
	.scopes = CLIENT_SCOPES_ALL & ~CLIENT_ADMIN,
	.limits = { -1, -1, -1, -1 },
};
