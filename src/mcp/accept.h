/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accept: what kinds of answer a client takes. It is believed only where it rules one out.
 */
#ifndef MCP_ACCEPT_H
#define MCP_ACCEPT_H

#include "http/exchange.h"

/* Without the header everything is fine (RFC 9110 section 12.5.1). */
bool accept_streams(struct exchange *exchange);

#endif
