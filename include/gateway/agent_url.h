/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Agent URL: under which URLs agents reach the gateway.
 *
 * For each address that is listened on; for all addresses at once those of the interfaces
 * that are served (http/network_interface.h), so never one of mobile data, and HOST.local.
 * What other machines reach comes first
 * (tests/integration/test_owner_commands.py::test_all_addresses_but_those_of_mobile_data).
 */
#ifndef GATEWAY_AGENT_URL_H
#define GATEWAY_AGENT_URL_H

#include "base/json.h"

struct config;

/* What all of them end with. */
#define AGENT_URL_PATH "/mcp"

/*
 * As the elements of an array that is open. With `tls` those of the network are https, and
 * those of loopback where config->tls_loopback says so.
 */
void agent_url_write_all(const struct config *config, bool tls,
			 struct json_writer *writer);

/* May programs of other machines reach it? */
bool agent_url_is_for_others(const char *url);

#endif
