/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairing: what an agent needs, shown once: URLs, certificate, token, lines to paste, a QR
 * code; or what Prometheus needs, for a client that has nothing but the scope `metrics`.
 */
#ifndef CLI_PAIRING_H
#define CLI_PAIRING_H

#include "cli/owner_command.h"

/* The options that `pair` and `rotate` have in common */
#define PAIRING_OPTIONS                                         \
	{ .name = "tls", .is_flag = true },                     \
	{                                                       \
		.name = "qr", .is_flag = true, .is_local = true \
	}
#define PAIRING_HELP                                                                    \
	"  --tls            with TLS: a certificate is made where there is none, and\n" \
	"                   used at once; agents with http:// URLs need new ones\n"     \
	"  --qr             a QR code also where the output is no terminal\n"

/* The result of the command `pair` or `rotate`. */
void pairing_print(const struct owner_call *call, const struct json *result);

#endif
