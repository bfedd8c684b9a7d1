/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phone services: everything behind the network ports, from the message store to the outbox, opened
 * in the order of dependency and closed in the opposite order.  Closing changes no row of the
 * store.
 *
 *   lock -> store -> audit -> oFono (match rules first) -> SIMs -> inbox -> spool -> outbox
 *   -> policy
 */
#pragma once

#include <systemd/sd-event.h>

#include "base/observer.h"
#include "phone/modem_power.h"
#include "phone/sim.h"
#include "phone/unlocker.h"
#include "sms/approval_notice.h"
#include "sms/opt_out.h"
#include "sms/received_code.h"
#include "sms/indexer.h"
#include "sms/outgoing_spool.h"
#include "sms/retention.h"
#include "sms/spool.h"
#include "store/store_lock.h"
#include "tools/services.h"

/*
 * The status line for the service manager (STATUS=). A burst of events makes one report: it is
 * sent a moment after the last of them, and only if the line differs.
 */
struct phone_services_status {
	const struct services *services;
	struct observer sims_observer;
	struct observer ofono_observer;
	sd_event_source *timer;
	char line[768]; /* as sent last */
};

struct phone_services {
	struct services *services; /* NULL if not opened */
	struct phone_services_status status;
	struct retention *retention;
	struct indexer *indexer;
	struct spool *spool;
	struct outgoing_spool *outgoing_spool;
	struct received_codes *received_codes;
	struct opt_out opt_out;
	struct approval_notice approval_notice;
	struct unlocker *unlocker;
	struct modem_power *power; /* NULL if the owner switches the modems */
	struct store_feed_watch feed;
	struct sim_feed sim_feed;
	struct store_lock lock; /* of the state folder */
};

/*
 * `services` holds the loop and the configuration, and receives the rest. Call
 * phone_services_close() in either case. Returns 0 or -errno, with the error's text where there is
 * more to say.
 */
int phone_services_open(struct phone_services *phone, struct services *services,
			struct explanation *error_out);
void phone_services_close(struct phone_services *phone);
/* Sends the status line now. None is sent before the first call. */
void phone_services_status_send(struct phone_services_status *status);
