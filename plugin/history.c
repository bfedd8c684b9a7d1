/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A history driver of ofonod: ofonod reports these things to history drivers only.
 *
 *   incoming message -> the spool, before ofonod acknowledges it to the network
 *   outgoing message -> the spool, of every program, before ofonod sends it; and its outcome
 *   delivery report  -> the signal org.ofono.SmsHistory.StatusReport, as in forks of oFono
 *
 * The interface org.ofono_mcp.Outgoing of a modem has no members: it says that its outgoing
 * messages are recorded.
 *
 * ofonod calls all this from its loop, for each modem from the moment its SIM is ready.
 * Nothing here may terminate ofonod or make it fail: errors are only logged.
 */
#define OFONO_API_SUBJECT_TO_CHANGE

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <ofono/types.h>
#include <ofono/dbus.h>
#include <ofono/plugin.h>
#include <ofono/history.h>
#include <ofono/log.h>
#include <ofono/modem.h>
#include <ofono/sim.h>

#include "history_spool.h"

#define HISTORY_INTERFACE	   "org.ofono.SmsHistory"
#define HISTORY_OUTGOING_INTERFACE "org.ofono_mcp.Outgoing"

static int history_probe(struct ofono_history_context *context)
{
	ofono_modem_add_interface(context->modem, HISTORY_INTERFACE);
	ofono_modem_add_interface(context->modem, HISTORY_OUTGOING_INTERFACE);
	return 0;
}

static void history_remove(struct ofono_history_context *context)
{
	ofono_modem_remove_interface(context->modem, HISTORY_OUTGOING_INTERFACE);
	ofono_modem_remove_interface(context->modem, HISTORY_INTERFACE);
}

/* Returns "" if ofonod does not know it. */
static const char *history_imsi(struct ofono_modem *modem)
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
	const struct history_spool_member members[] = {
		{ "modem", ofono_modem_get_path(context->modem) },
		{ "imsi", history_imsi(context->modem) },
		{ "sender", from },
		{ "sent_time", sent_time },
		{ "text", text },
		{ "ofono", OFONO_VERSION },
	};
	struct history_spool_record record = {
		.suffix = ".sms",
		.time_name = "received_ms",
		.uuid = ofono_uuid_to_str(uuid),
		.members = members,
		.count = sizeof(members) / sizeof(*members),
	};

	clock_gettime(CLOCK_REALTIME, &record.at);
	/* The format of SentTime in ofonod's dispatch_text_message(). */
	strftime(sent_time, sizeof(sent_time), "%Y-%m-%dT%H:%M:%S%z", remote);
	history_spool_put(&record);
}

static void history_put_outgoing(const struct ofono_history_context *context,
				 const struct ofono_uuid *uuid, const char *suffix,
				 const struct history_spool_member more[2])
{
	const struct history_spool_member members[] = {
		{ "modem", ofono_modem_get_path(context->modem) },
		{ "imsi", history_imsi(context->modem) },
		more[0],
		more[1],
	};
	struct history_spool_record record = {
		.is_outgoing = true,
		.suffix = suffix,
		.time_name = "recorded_ms",
		.uuid = ofono_uuid_to_str(uuid),
		.members = members,
		.count = more[1].name ? 4 : 3,
	};

	clock_gettime(CLOCK_REALTIME, &record.at);
	history_spool_put(&record);
}

/* ofonod has answered to SendMessage, or is about to, and has sent nothing yet. */
static void history_sms_send_pending(struct ofono_history_context *context,
				     const struct ofono_uuid *uuid, const char *to,
				     time_t when, const char *text)
{
	const struct history_spool_member members[] = { { "recipient", to },
							{ "text", text } };

	history_put_outgoing(context, uuid, ".out", members);
}

static bool history_append_arguments(DBusMessage *signal, const char *message_path,
				     bool delivered)
{
	dbus_bool_t value = delivered;
	DBusMessageIter arguments, properties;

	dbus_message_iter_init_append(signal, &arguments);
	if (!dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING,
					    &message_path) ||
	    !dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY,
					      OFONO_PROPERTIES_ARRAY_SIGNATURE,
					      &properties))
		return false;
	ofono_dbus_dict_append(&properties, "Delivered", DBUS_TYPE_BOOLEAN, &value);
	return dbus_message_iter_close_container(&arguments, &properties);
}

/*
 * Emits StatusReport(s message_path, a{sv} { "Delivered": b }) on the modem's path. `uuid` is
 * the message's, whose object no longer exists.
 */
static void history_emit_status_report(const char *modem_path, const char *uuid,
				       bool delivered)
{
	DBusConnection *connection = ofono_dbus_get_connection();
	char message_path[512];
	DBusMessage *signal;

	snprintf(message_path, sizeof(message_path), "%s/message_%s", modem_path, uuid);
	signal = dbus_message_new_signal(modem_path, HISTORY_INTERFACE, "StatusReport");
	if (!connection || !signal ||
	    !history_append_arguments(signal, message_path, delivered) ||
	    !dbus_connection_send(connection, signal, NULL))
		ofono_error("ofono-mcp: could not signal the delivery report of %s",
			    message_path);
	if (signal)
		dbus_message_unref(signal);
}

/* Returns NULL if it is no outcome. */
static const char *history_status_word(enum ofono_history_sms_status status)
{
	switch (status) {
	case OFONO_HISTORY_SMS_STATUS_PENDING:
		break;
	case OFONO_HISTORY_SMS_STATUS_SUBMITTED:
		return "sent";
	case OFONO_HISTORY_SMS_STATUS_SUBMIT_FAILED:
		return "failed";
	case OFONO_HISTORY_SMS_STATUS_SUBMIT_CANCELLED:
		return "cancelled";
	case OFONO_HISTORY_SMS_STATUS_DELIVERED:
		return "delivered";
	case OFONO_HISTORY_SMS_STATUS_DELIVER_FAILED:
		return "not_delivered";
	}
	return NULL;
}

static void history_sms_send_status(struct ofono_history_context *context,
				    const struct ofono_uuid *uuid, time_t when,
				    enum ofono_history_sms_status status)
{
	const struct history_spool_member members[2] = {
		{ "status", history_status_word(status) },
	};

	if (!members[0].text)
		return;
	history_put_outgoing(context, uuid, ".end", members);
	if (status != OFONO_HISTORY_SMS_STATUS_DELIVERED &&
	    status != OFONO_HISTORY_SMS_STATUS_DELIVER_FAILED)
		return; /* ofonod signals the other states itself */
	history_emit_status_report(ofono_modem_get_path(context->modem),
				   ofono_uuid_to_str(uuid),
				   status == OFONO_HISTORY_SMS_STATUS_DELIVERED);
}

static const struct ofono_history_driver history_driver = {
	.name = "ofono-mcp",
	.probe = history_probe,
	.remove = history_remove,
	.sms_received = history_sms_received,
	.sms_send_pending = history_sms_send_pending,
	.sms_send_status = history_sms_send_status,
};

static int history_init(void)
{
	history_spool_init();
	return ofono_history_driver_register(&history_driver);
}

static void history_exit(void)
{
	ofono_history_driver_unregister(&history_driver);
}

OFONO_PLUGIN_DEFINE(ofono_mcp_history, "Message history for ofono-mcp", OFONO_VERSION,
		    OFONO_PLUGIN_PRIORITY_DEFAULT, history_init, history_exit)
