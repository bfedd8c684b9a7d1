/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client table: prints paired clients (gateway/paired_client.h) for people.
 */
#ifndef CLI_CLIENT_TABLE_H
#define CLI_CLIENT_TABLE_H

#include "base/json.h"

/* One row for each client of the array, under a header. */
void client_table_print(const struct json *clients);

/* One client, in several lines. */
void client_table_print_one(const struct json *client);

#endif
