/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem view: the modems as JSON.
 */
#pragma once

#include "mcp/schema.h"
#include "tools/services.h"

extern const struct schema_field modem_view_fields[]; /* of one modem */

/* Writes "modems":[...], without Bluetooth phones, which the gateway ignores */
void modem_view_write(struct json_writer *writer, const struct services *services);

/* Changes if anything that modem_view_write() writes changes, except the signal strength. */
uint64_t modem_view_checksum(const struct services *services);
