/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phone: everything behind the network ports, from the message store to the outbox, opened
 * in the order of dependency and closed in the opposite order.  Closing changes no row of the
 * store.
 *
 *   lock -> store -> audit -> oFono (match rules first) -> SIMs -> inbox -> spool -> outbox
 *   -> policy
 */
#ifndef GATEWAY_PHONE_H
#define GATEWAY_PHONE_H

#include "gateway/status_report.h"
#include "phone/modem_power.h"
#include "phone/unlocker.h"
#include "sms/opt_out.h"
#include "sms/retention.h"
#include "sms/spool.h"
#include "store/store_lock.h"
#include "tools/services.h"

struct phone {
	struct services *services; /* NULL: not opened */
	struct status_report status;
	struct retention *retention;
	struct spool *spool;
	struct opt_out opt_out;
	struct unlocker *unlocker;
	struct modem_power *power; /* NULL: the owner switches the modems */
	struct store_lock lock;	   /* of the state folder */
};

/*
 * `services` holds the loop and the configuration, and receives the rest. Call phone_close()
 * in either case. 0 or -errno, with the error's text where there is more to say.
 */
int phone_open(struct phone *phone, struct services *services,
	       struct explanation *error_out);
void phone_close(struct phone *phone);

#endif
