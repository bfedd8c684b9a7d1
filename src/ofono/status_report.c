/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * StatusReport: what a delivery report says, as forks of oFono signal it, on the modem's
 * path: org.ofono.SmsHistory (Sailfish, Droidian, FuriLabs, our plugin) or
 * org.ofono.MessageManager (UBports). Arguments: the path of the message, whose object is
 * gone, and a{sv} with Delivered. The forks' own papers give other types than their code,
 * so both "s" and "o" are taken. Upstream oFono tells nobody.
 */
#include <string.h>

#include "ofono/interface.h"
#include "ofono/oddity.h"
#include "bus/property.h"

struct report {
	bool known;
	bool delivered;
};

/* Delivered is looked for by hand: to be absent is not to be false. */
static struct report read_report(DBusMessageIter *dictionary)
{
	static const struct property properties[] = {
		PROPERTY("Delivered", PROPERTY_BOOLEAN, struct report, delivered),
	};
	struct report yes = { true, true }, no = { true, false };

	property_store_all(properties, 1, dictionary, &yes);
	property_store_all(properties, 1, dictionary, &no);
	if (yes.delivered != no.delivered) /* each kept what it had */
		return (struct report){ false, false };
	return yes;
}

void status_report_signal(struct modem *modem, DBusMessage *signal)
{
	char uuid[MESSAGE_UUID_BYTES];
	struct ofono_event event = { .type = MESSAGE_REPORT,
				     .modem = modem,
				     .uuid = uuid };
	DBusMessageIter arguments;
	struct report report;
	const char *path;

	if (!dbus_message_has_member(signal, "StatusReport"))
		return;
	if (!dbus_message_has_signature(signal, "sa{sv}") &&
	    !dbus_message_has_signature(signal, "oa{sv}")) {
		oddity_log(ODDITY_REPORT, "%s: a delivery report in an unknown form",
			   modem->path);
		return;
	}
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, &path);
	dbus_message_iter_next(&arguments);
	report = read_report(&arguments);
	if (!report.known || !strchr(path, '/') || !message_uuid(path, uuid)) {
		oddity_log(ODDITY_REPORT, "%s: a delivery report without %s", modem->path,
			   report.known ? "a path" : "a word on delivery");
		return;
	}
	event.delivered = report.delivered;
	ofono_tell(modem->ofono, &event);
}

const struct interface interface_sms_history = {
	.name = "org.ofono.SmsHistory",
	.is_about_a_sim = true,
	.signal = status_report_signal,
};
