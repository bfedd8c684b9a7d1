/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Services: everything that tools work with. src/gateway fills it in, and each tool call and
 * resource call has a pointer to it.
 */
#pragma once

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "ofono/ofono.h"
#include "phone/call_log.h"
#include "phone/contact.h"
#include "phone/dialler.h"
#include "phone/sim.h"
#include "phone/ussd.h"
#include "policy/audit.h"
#include "policy/policy.h"
#include "sms/alert_log.h"
#include "sms/inbox.h"
#include "sms/outbox.h"
#include "sms/scan.h"
#include "store/store.h"
#include "store/store_feed.h"

struct config;
struct pairing;
struct received_codes;
struct routing;
struct webhooks;
struct tool_wait;
struct change_source;

struct services {
	sd_event *loop;
	const struct config *config;
	struct ofono *ofono;
	struct store *store;
	struct webhooks *webhooks;     /* NULL if the gateway is not running */
	struct store_feed_watch *feed; /* notifies of new entries of the feed */
	struct audit *audit;	       /* NULL if refusals are not recorded */
	struct sims *sims;
	struct outbox *outbox;
	/* chooses SIMs, in a hub; NULL in a phone's gateway */
	struct routing *routing;
	struct policy *policy;
	struct pairing *pairing; /* NULL if no computer can ask to be paired */
	struct inbox *inbox;
	struct opt_out *opt_out;
	struct call_log *calls;
	struct dialler *dialler;
	struct alert_log *alerts;
	struct contacts *contacts; /* NULL if there are no contacts */
	struct scans *scans;
	struct ussd *ussd;
	struct received_codes *received_codes; /* NULL if no text is judged */
	struct change_source *changes;	       /* NULL if nobody can listen */
	/* The calls that wait with a time limit (tools/tool_wait.h); all zero if there are none. */
	struct {
		sd_event_source *timer; /* for the first of the list */
		TAILQ_HEAD(tool_wait_list, tool_wait) list; /* the next to end first */
	} waits;
};
