/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.CellBroadcast: what the network tells everybody in a place. Which topics a modem
 * listens to is the owner's: nothing is switched on or asked here.
 */
#include <string.h>

#include "bus/property.h"
#include "ofono/interface.h"
#include "ofono/oddity.h"

struct emergency_properties {
	char type[32];
};

static const struct property properties[] = {
	PROPERTY("EmergencyType", PROPERTY_STRING, struct emergency_properties, type),
};

/*
 * Public warnings that oFono, which knows those of earthquakes and tsunamis, tells like any
 * other broadcast: 3GPP TS 23.041, 9.4.1.2.2. Tests and exercises are none.
 */
static const struct {
	dbus_uint16_t first, last;
	const char *type;
} warnings[] = {
	{ 4370, 4370, "National alert" }, /* EU-Alert level 1 */
	{ 4371, 4372, "Extreme threat" }, /* level 2 */
	{ 4373, 4378, "Severe threat" },  /* level 3 */
	{ 4379, 4379, "Child abduction" },
	/* the same in another language */
	{ 4383, 4383, "National alert" },
	{ 4384, 4385, "Extreme threat" },
	{ 4386, 4391, "Severe threat" },
	{ 4392, 4392, "Child abduction" },
	{ 4396, 4397, "Public safety" }, /* level 4 */
};

/* NULL: it is none. */
static const char *warning_of(dbus_uint16_t topic)
{
	for (size_t at = 0; at < sizeof(warnings) / sizeof(warnings[0]); at++) {
		if (warnings[at].first <= topic && topic <= warnings[at].last)
			return warnings[at].type;
	}
	return NULL;
}

static void on_broadcast(struct modem *modem, DBusMessage *signal)
{
	struct ofono_event event = { .type = BROADCAST_RECEIVED, .modem = modem };
	dbus_uint16_t topic;

	if (!dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &event.text,
				   DBUS_TYPE_UINT16, &topic, DBUS_TYPE_INVALID)) {
		oddity_log(ODDITY_BROADCAST, "%s: an odd broadcast", modem->path);
		return;
	}
	event.topic = topic;
	event.emergency = warning_of(topic);
	ofono_tell(modem->ofono, &event);
}

/* The text counts, whatever is said of it. */
static void on_emergency(struct modem *modem, DBusMessage *signal)
{
	struct emergency_properties emergency = { "" };
	struct ofono_event event = {
		.type = BROADCAST_RECEIVED,
		.modem = modem,
		.topic = -1,
		.emergency = emergency.type,
	};
	DBusMessageIter arguments;

	if (!dbus_message_iter_init(signal, &arguments) ||
	    dbus_message_iter_get_arg_type(&arguments) != DBUS_TYPE_STRING)
		return;
	dbus_message_iter_get_basic(&arguments, &event.text);
	dbus_message_iter_next(&arguments);
	if (dbus_message_has_signature(signal, "sa{sv}"))
		property_store_all(properties, 1, &arguments, &emergency);
	ofono_tell(modem->ofono, &event);
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	if (dbus_message_has_member(signal, "IncomingBroadcast"))
		on_broadcast(modem, signal);
	else if (dbus_message_has_member(signal, "EmergencyBroadcast"))
		on_emergency(modem, signal);
}

const struct interface interface_cell_broadcast = {
	.name = "org.ofono.CellBroadcast",
	.bit = MODEM_CELL_BROADCAST,
	.is_about_a_sim = true,
	.signal = on_signal,
};
