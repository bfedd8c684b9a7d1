/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Agent reach: under which URLs agents reach the gateway, and by which certificate they know
 * it.
 *
 *   "urls": ["https://192.0.2.7:9531/mcp", "http://127.0.0.1:9531/mcp"],
 *   "tls": {"fingerprint": "AB:CD:...", "certificate": "/var/lib/ofono-mcp/tls/cert.pem"}
 *
 * The same in the gateway and while none runs: what is told is what is used
 * (tests/integration/test_tls_pairing.py).
 */
#ifndef GATEWAY_AGENT_REACH_H
#define GATEWAY_AGENT_REACH_H

#include "gateway/control.h"

extern const struct control_reach agent_reach;

#endif
