/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem switch: a modem's Powered and Online, for a program of root's; in the gateway only for
 * power_modems, with a policy of its own (etc/dbus/power.conf).
 *
 * oFono answers when it is done or has given up. That the property changed is told by a
 * signal, as any change (tests/integration/test_modem.py).
 *
 * Source: oFono doc/modem-api.txt, SetProperty.
 */
#ifndef OFONO_MODEM_SWITCH_H
#define OFONO_MODEM_SWITCH_H

#include "ofono/modem.h"

enum modem_switch_property { MODEM_SWITCH_POWERED, MODEM_SWITCH_ONLINE };

enum modem_switch_answer {
	MODEM_SWITCH_DONE,
	MODEM_SWITCH_REFUSED,	  /* the bus or oFono does not let this user */
	MODEM_SWITCH_BUSY,	  /* it is being switched already */
	MODEM_SWITCH_NOT_NOW,	  /* not available, or it failed: may go later */
	MODEM_SWITCH_IMPOSSIBLE,  /* this modem cannot, or is locked down */
	MODEM_SWITCH_UNREACHABLE, /* oFono is not there */
	MODEM_SWITCH_SILENT,	  /* no answer: it may still happen */
};

struct modem_switch; /* under way */

/*
 * The callback follows the rules of bus_call(). The modem may go meanwhile. NULL: no memory.
 * Every one has ended or is stopped before ofono_free().
 */
struct modem_switch *modem_switch(
	struct modem *modem, enum modem_switch_property property, bool on,
	void (*done)(void *data, enum modem_switch_answer answer), void *data);
/* Stop listening; it may happen all the same. NULL is fine. */
void modem_switch_stop(struct modem_switch *modem_switch);

#endif
