/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remote: the door to the radio of ofono-mcp-hub (ofono/ofono.h). Its modems are the SIMs of the
 * phones that joined; what oFono does for a gateway, the gateways of the phones do for the hub.
 */
#pragma once

struct hub_phone;
struct hub_phones;
struct modem;
struct ofono;

struct hub_phones *remote_phones(const struct ofono *ofono);
/* Returns the phone that has this SIM. */
struct hub_phone *remote_phone_of(const struct modem *modem);
/* Returns the SIM's ID in that phone. */
long long remote_sim_of(const struct modem *modem);
