/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem power: sets Powered, then Online, of every modem that appears. Upstream oFono leaves
 * that to its clients.
 *
 * Each modem is switched on once for each appearance: when somebody switches it off or into
 * flight mode later, it stays so, also when the gateway restarts
 * (tests/integration/test_power_modems.py). The bus allows SetProperty to root, and to the
 * gateway's user only with etc/dbus/power.conf.
 */
#pragma once

#include "ofono/ofono.h"
#include "store/store.h"

struct modem_power;

/* Switches on the present modems and those that appear later. Returns 0 or -ENOMEM. */
int modem_power_new(sd_event *loop, struct ofono *ofono, struct store *store,
		    struct modem_power **power_out);
/* Leaves the modems as they are. NULL is fine. */
void modem_power_free(struct modem_power *power);
