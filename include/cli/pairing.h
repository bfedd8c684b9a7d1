/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairing: what an agent needs, shown once: URLs, token, lines to paste, a QR code.
 */
#ifndef CLI_PAIRING_H
#define CLI_PAIRING_H

#include "cli/owner_command.h"

/* The options --qr of `pair` and `rotate` */
#define PAIRING_QR                                              \
	{                                                       \
		.name = "qr", .is_flag = true, .is_local = true \
	}

/* The result of the command `pair` or `rotate`. */
void pairing_print(const struct owner_call *call, const struct json *result);

#endif
