/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.VoiceCall: what becomes of a call. Nobody answers or refuses one here;
 * voice_dial.c places them and hangs up.
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

/* NULL: it does not tell why. */
static const char *why_it_ends(DBusMessage *signal)
{
	static const char *const words[][2] = {
		{ "local", CALL_REFUSED_HERE },
		{ "remote", CALL_ENDED_THERE },
		{ "network", CALL_ENDED_BY_NETWORK },
	};
	const char *reason;

	if (!dbus_message_has_member(signal, "DisconnectReason") ||
	    !dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &reason,
				   DBUS_TYPE_INVALID))
		return NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(reason, words[i][0]) == 0)
			return words[i][1];
	}
	return NULL;
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	struct call_change change = { "", "" };
	struct ofono_event event = {
		.type = CALL_CHANGED,
		.modem = modem,
		.call = dbus_message_get_path(signal),
		.call_state = why_it_ends(signal),
	};

	if (event.call_state) {
		ofono_tell(modem->ofono, &event);
		return;
	}
	if (!property_changed(properties, 2, signal, &change))
		return;
	if (change.state[0])
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
