/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.VoiceCall: what becomes of a call. Nothing is called on it: nobody answers,
 * refuses or places a call here.
 */
#include <string.h>

#include "bus/property.h"
#include "ofono/interface.h"

struct call_change {
	char state[16];
	char number[64];
};

static const struct property properties[] = {
	PROPERTY("State", PROPERTY_STRING, struct call_change, state),
	PROPERTY("LineIdentification", PROPERTY_STRING, struct call_change, number),
};

static bool was_refused_here(DBusMessage *signal)
{
	const char *reason;

	return dbus_message_has_member(signal, "DisconnectReason") &&
	       dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &reason,
				     DBUS_TYPE_INVALID) &&
	       strcmp(reason, "local") == 0;
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	struct call_change change = { "", "" };
	struct ofono_event event = {
		.type = CALL_CHANGED,
		.modem = modem,
		.call = dbus_message_get_path(signal),
	};

	if (was_refused_here(signal))
		event.call_state = CALL_REFUSED_HERE;
	else if (!property_changed(properties, 2, signal, &change))
		return;
	else if (change.state[0])
		event.call_state = change.state;
	else
		event.sender = change.number;
	ofono_tell(modem->ofono, &event);
}

const struct interface interface_voice_call = {
	.name = "org.ofono.VoiceCall",
	.is_below = true,
	.is_about_a_sim = true,
	.signal = on_signal,
};
