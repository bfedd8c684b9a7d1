/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * History: what ofonod tells a history driver and nobody else, handed to whoever needs it.
 *
 *   a message came in       -> the spool, before ofonod acknowledges it to the network
 *   a delivery report came  -> the signal org.ofono.SmsHistory.StatusReport
 *
 * ofonod calls all this from its loop, for each modem from the moment its SIM is ready.
 * Nothing here may end ofonod or fail it: what goes wrong is logged, and that is all.
 */
#define OFONO_API_SUBJECT_TO_CHANGE

#include <stddef.h>
#include <time.h>

#include <ofono/types.h>
#include <ofono/plugin.h>
#include <ofono/history.h>
#include <ofono/modem.h>
#include <ofono/sim.h>

#include "spool.h"
#include "status_report.h"

static int history_probe(struct ofono_history_context *context)
{
	ofono_modem_add_interface(context->modem, STATUS_REPORT_INTERFACE);
	return 0;
}

static void history_remove(struct ofono_history_context *context)
{
	ofono_modem_remove_interface(context->modem, STATUS_REPORT_INTERFACE);
}

/* "" when ofonod does not know it. */
static const char *imsi_of(struct ofono_modem *modem)
{
	struct ofono_sim *sim = ofono_modem_get_sim(modem);
	const char *imsi = sim ? ofono_sim_get_imsi(sim) : NULL;

	return imsi ? imsi : "";
}

static void history_sms_received(struct ofono_history_context *context,
				 const struct ofono_uuid *uuid, const char *from,
				 const struct tm *remote, const struct tm *local,
				 const char *text)
{
	char sent_time[128] = "";
	struct record record = {
		.modem = ofono_modem_get_path(context->modem),
		.imsi = imsi_of(context->modem),
		.uuid = ofono_uuid_to_str(uuid),
		.sender = from,
		.sent_time = sent_time,
		.text = text,
		.ofono = OFONO_VERSION,
	};

	(void)local;
	clock_gettime(CLOCK_REALTIME, &record.received);
	/* As dispatch_text_message() of ofonod writes the SentTime of its signal. */
	strftime(sent_time, sizeof(sent_time), "%Y-%m-%dT%H:%M:%S%z", remote);
	spool_put(&record);
}

static void history_sms_send_status(struct ofono_history_context *context,
				    const struct ofono_uuid *uuid, time_t when,
				    enum ofono_history_sms_status status)
{
	(void)when;
	if (status != OFONO_HISTORY_SMS_STATUS_DELIVERED &&
	    status != OFONO_HISTORY_SMS_STATUS_DELIVER_FAILED)
		return; /* the others are signalled by ofonod itself */
	status_report_emit(ofono_modem_get_path(context->modem), ofono_uuid_to_str(uuid),
			   status == OFONO_HISTORY_SMS_STATUS_DELIVERED);
}

static const struct ofono_history_driver history_driver = {
	.name = "ofono-mcp",
	.probe = history_probe,
	.remove = history_remove,
	.sms_received = history_sms_received,
	.sms_send_status = history_sms_send_status,
};

static int history_init(void)
{
	spool_init();
	return ofono_history_driver_register(&history_driver);
}

static void history_exit(void)
{
	ofono_history_driver_unregister(&history_driver);
}

OFONO_PLUGIN_DEFINE(ofono_mcp_history, "Message history for ofono-mcp", OFONO_VERSION,
		    OFONO_PLUGIN_PRIORITY_DEFAULT, history_init, history_exit)
