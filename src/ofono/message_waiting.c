/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.MessageWaiting: is there voicemail. oFono reads it from the card and from the
 * network's messages, which it does not show as messages.
 */
#include <string.h>

#include "bus/property.h"
#include "ofono/interface.h"
#include "ofono/query.h"

static const struct property properties[] = {
	PROPERTY("VoicemailWaiting", PROPERTY_BOOLEAN, struct voicemail_facts, waiting),
	PROPERTY("VoicemailMessageCount", PROPERTY_BYTE, struct voicemail_facts, count),
	PROPERTY("VoicemailMailboxNumber", PROPERTY_STRING, struct voicemail_facts,
		 mailbox_number),
};

enum { PROPERTIES = sizeof(properties) / sizeof(properties[0]) };

static void answered(struct modem *modem, DBusMessageIter *dictionary)
{
	struct voicemail_facts voicemail = { .known = true };

	if (!dictionary)
		return;
	property_store_all(properties, PROPERTIES, dictionary, &voicemail);
	/* All bytes count: the struct has no padding. */
	if (memcmp(&modem->voicemail, &voicemail, sizeof(voicemail)) == 0)
		return;
	modem->voicemail = voicemail;
	modem_changed(modem);
}

static void appeared(struct modem *modem)
{
	modem->queries->waiting.interface = interface_message_waiting.name;
	modem->queries->waiting.answered = answered;
	query_start(&modem->queries->waiting);
}

static void vanished(struct modem *modem)
{
	query_stop(&modem->queries->waiting);
	memset(&modem->voicemail, 0, sizeof(modem->voicemail));
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	if (!property_changed(properties, PROPERTIES, signal, &modem->voicemail))
		return;
	modem->voicemail.known = true;
	modem_changed(modem);
}

const struct interface interface_message_waiting = {
	.name = "org.ofono.MessageWaiting",
	.bit = MODEM_MESSAGE_WAITING,
	.appeared = appeared,
	.vanished = vanished,
	.signal = on_signal,
};
