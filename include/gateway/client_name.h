/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client name: what the owner calls an agent.
 */
#ifndef GATEWAY_CLIENT_NAME_H
#define GATEWAY_CLIENT_NAME_H

#include "gateway/control_call.h"
#include "store/store_client.h"

/* Of valid UTF-8. NULL: a client may be called that; else what is wrong with it. */
const char *client_name_flaw(const char *name);

/* The client that the argument "name" names. False: none, and that has been answered. */
bool client_name_find(struct control_call *call, struct store_client_row *row_out);

#endif
