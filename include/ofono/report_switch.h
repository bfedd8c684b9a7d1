/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report switch: MessageManager's UseDeliveryReports of one modem, switched on whenever the
 * interface appears.
 *
 * oFono forgets it in a crash, and refuses (InProgress) while it asks the modem for other
 * settings: then it is tried again until oFono takes it or the interface goes. It belongs
 * to every program that sends, so it is never switched off, nor on again behind somebody
 * who did. Private to src/ofono.
 */
#ifndef OFONO_REPORT_SWITCH_H
#define OFONO_REPORT_SWITCH_H

#include <dbus/dbus.h>
#include <systemd/sd-event.h>

#include "ofono/modem.h"

struct report_switch {
	struct modem *modem;
	struct bus_call *call;
	sd_event_source *pause;
	unsigned refusals; /* in a row */
};

/* Nothing new when it is under way. */
void report_switch_on(struct report_switch *report_switch);
/* Fine when it is not under way. */
void report_switch_stop(struct report_switch *report_switch);

#endif
