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

#include "ofono/modem.h"

/* Nothing new when it is under way, or was refused for good. */
void report_switch_on(struct modem *modem);
/* Fine when it is not under way. */
void report_switch_stop(struct modem *modem);

#endif
