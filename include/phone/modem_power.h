/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem power: sets Powered, then Online, of every modem when it appears, which upstream
 * oFono leaves to its clients.
 *
 * Once for each appearance: whoever switches a modem off or into flight mode later has the
 * last word, over restarts of the gateway, too (tests/integration/test_power_modems.py). The
 * bus lets root do it, and the gateway's user only with etc/dbus/power.conf.
 */
#ifndef PHONE_MODEM_POWER_H
#define PHONE_MODEM_POWER_H

#include "ofono/ofono.h"
#include "store/store.h"

struct modem_power;

/* Of the modems that are there, and of those that come. 0 or -ENOMEM. */
int modem_power_new(sd_event *loop, struct ofono *ofono, struct store *store,
		    struct modem_power **power_out);
/* The modems stay as they are. NULL is fine. */
void modem_power_free(struct modem_power *power);

#endif
