/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client table: paired clients, as gateway/client_view.h writes them, for a person to read.
 */
#ifndef CLI_CLIENT_TABLE_H
#define CLI_CLIENT_TABLE_H

#include "base/json.h"

/* A line for each of the array, under a head. */
void client_table_print(const struct json *clients);

/* One, in some lines. */
void client_table_print_one(const struct json *client);

#endif
