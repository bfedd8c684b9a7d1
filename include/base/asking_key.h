/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asking key: the secret with which mcp knows its own questions again; the store keeps it.
 */
#ifndef BASE_ASKING_KEY_H
#define BASE_ASKING_KEY_H

#include <stdint.h>

#include "base/mac.h"

struct asking_key {
	uint8_t bytes[MAC_KEY_BYTES];
};

#endif
