/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.MessageWaiting: is there voicemail? oFono reads that from the card and from SMS
 * indications of the network, which it does not report as messages.
 */
#include <string.h>

#include "bus/property.h"
#include "ofono/modem_interface.h"

static const struct property message_waiting_properties[] = {
	PROPERTY("VoicemailWaiting", PROPERTY_BOOLEAN, struct modem_voicemail, waiting),
	PROPERTY("VoicemailMessageCount", PROPERTY_BYTE, struct modem_voicemail, count),
	PROPERTY("VoicemailMailboxNumber", PROPERTY_STRING, struct modem_voicemail,
		 mailbox_number),
};

enum {
	MESSAGE_WAITING_PROPERTIES =
		sizeof(message_waiting_properties) / sizeof(message_waiting_properties[0])
};

static void message_waiting_read(struct modem *modem, DBusMessageIter *dictionary)
{
	struct modem_voicemail voicemail = { .known = true };

	if (!dictionary)
		return;
	property_store_all(message_waiting_properties, MESSAGE_WAITING_PROPERTIES,
			   dictionary, &voicemail);
	/* memcmp() is safe: the struct has no padding. */
	if (memcmp(&modem->voicemail, &voicemail, sizeof(voicemail)) == 0)
		return;
	modem->voicemail = voicemail;
	ofono_bus_report_change(modem);
}

static void message_waiting_appeared(struct modem *modem)
{
	ofono_bus_properties_get(&modem->data->voicemail, modem,
				 message_waiting_interface.name, message_waiting_read);
}

static void message_waiting_vanished(struct modem *modem)
{
	ofono_bus_properties_stop(&modem->data->voicemail);
	memset(&modem->voicemail, 0, sizeof(modem->voicemail));
}

static void message_waiting_on_signal(struct modem *modem, DBusMessage *signal)
{
	if (!property_changed(message_waiting_properties, MESSAGE_WAITING_PROPERTIES,
			      signal, &modem->voicemail))
		return;
	modem->voicemail.known = true;
	ofono_bus_report_change(modem);
}

const struct modem_interface message_waiting_interface = {
	.name = "org.ofono.MessageWaiting",
	.bit = MODEM_MESSAGE_WAITING,
	.appeared = message_waiting_appeared,
	.vanished = message_waiting_vanished,
	.signal = message_waiting_on_signal,
};
