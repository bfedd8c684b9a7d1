/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elicitation key: the secret with which mcp signs the questions that clients carry for
 * it; the store keeps it over restarts.
 */
#ifndef BASE_ELICITATION_KEY_H
#define BASE_ELICITATION_KEY_H

#include <stdint.h>

#include "base/crypto.h"

struct elicitation_key {
	uint8_t bytes[MAC_KEY_BYTES];
};

#endif
