/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.VoiceCallManager: which numbers are emergency numbers, for the card and where it
 * is; and calls that come and go. Nobody is told when the numbers change: whoever needs them
 * reads them each time. Calls that were there before us are not asked for.
 */
#include <string.h>

#include "ofono/interface.h"
#include "bus/property.h"
#include "ofono/query.h"

static const struct property properties[] = {
	PROPERTY("EmergencyNumbers", PROPERTY_WORDS, struct modem, emergency_numbers),
};

static void answered(struct modem *modem, DBusMessageIter *dictionary)
{
	if (dictionary)
		property_store_all(properties, 1, dictionary, modem);
}

static void appeared(struct modem *modem)
{
	modem->queries->voice.interface = interface_voice_call_manager.name;
	modem->queries->voice.answered = answered;
	query_start(&modem->queries->voice);
}

static void vanished(struct modem *modem)
{
	query_stop(&modem->queries->voice);
	memset(modem->emergency_numbers, 0, sizeof(modem->emergency_numbers));
}

struct call_properties {
	char state[16];
	char number[64];
};

static const struct property call_properties[] = {
	PROPERTY("State", PROPERTY_STRING, struct call_properties, state),
	PROPERTY("LineIdentification", PROPERTY_STRING, struct call_properties, number),
};

static void on_call_added(struct modem *modem, DBusMessage *signal)
{
	struct call_properties call = { "", "" };
	struct ofono_event event = {
		.type = CALL_ADDED,
		.modem = modem,
		.call_state = call.state,
		.sender = call.number,
	};
	DBusMessageIter arguments;

	if (!dbus_message_has_signature(signal, "oa{sv}"))
		return;
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, &event.call);
	dbus_message_iter_next(&arguments);
	property_store_all(call_properties, 2, &arguments, &call);
	ofono_tell(modem->ofono, &event);
}

static void on_call_removed(struct modem *modem, DBusMessage *signal)
{
	struct ofono_event event = { .type = CALL_REMOVED, .modem = modem };

	if (dbus_message_get_args(signal, NULL, DBUS_TYPE_OBJECT_PATH, &event.call,
				  DBUS_TYPE_INVALID))
		ofono_tell(modem->ofono, &event);
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	if (dbus_message_has_member(signal, "CallAdded"))
		on_call_added(modem, signal);
	else if (dbus_message_has_member(signal, "CallRemoved"))
		on_call_removed(modem, signal);
	else
		property_changed(properties, 1, signal, modem);
}

const struct interface interface_voice_call_manager = {
	.name = "org.ofono.VoiceCallManager",
	.bit = MODEM_VOICE_CALL_MANAGER,
	.is_about_a_sim = true,
	.appeared = appeared,
	.vanished = vanished,
	.signal = on_signal,
};
