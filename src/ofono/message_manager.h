/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message manager: UseDeliveryReports of one modem, switched on whenever its MessageManager
 * appears and ofono_use_delivery_reports() was called.
 *
 * oFono loses the setting in a crash, and refuses (InProgress) while it asks the modem for
 * other settings: then the call is repeated until oFono accepts it or the interface goes. The
 * setting belongs to every program that sends, so it is never switched off, and not switched
 * on again after another program switched it off.
 */
#ifndef OFONO_MESSAGE_MANAGER_H
#define OFONO_MESSAGE_MANAGER_H

#include "ofono/modem.h"

/* Does nothing when a call is in progress, or was refused for good. */
void message_manager_use_reports(struct modem *modem);

#endif
