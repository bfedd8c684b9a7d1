/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.CellBroadcast: what the network broadcasts to every phone in an area. The owner
 * chooses which topics a modem receives: nothing is switched on or asked for here.
 */

#include "bus/property.h"
#include "ofono/modem_interface.h"

struct cell_broadcast_emergency {
	char type[32];
};

static const struct property cell_broadcast_emergency_properties[] = {
	PROPERTY("EmergencyType", PROPERTY_STRING, struct cell_broadcast_emergency, type),
};

/*
 * Public warnings that oFono signals like any other broadcast: it knows only those of
 * earthquakes and tsunamis. Tests and exercises are left out.
 *
 * Source: 3GPP TS 23.041, section 9.4.1.2.2.
 */
static const struct {
	dbus_uint16_t first, last;
	const char *type;
} cell_broadcast_warnings[] = {
	{ 4370, 4370, "National alert" }, /* EU-Alert level 1 */
	{ 4371, 4372, "Extreme threat" }, /* level 2 */
	{ 4373, 4378, "Severe threat" },  /* level 3 */
	{ 4379, 4379, "Child abduction" },
	/* the same in a second language */
	{ 4383, 4383, "National alert" },
	{ 4384, 4385, "Extreme threat" },
	{ 4386, 4391, "Severe threat" },
	{ 4392, 4392, "Child abduction" },
	{ 4396, 4397, "Public safety" }, /* level 4 */
};

/* Returns NULL if it is not a warning. */
static const char *cell_broadcast_warning(dbus_uint16_t topic)
{
	for (size_t at = 0;
	     at < sizeof(cell_broadcast_warnings) / sizeof(cell_broadcast_warnings[0]);
	     at++) {
		if (cell_broadcast_warnings[at].first <= topic &&
		    topic <= cell_broadcast_warnings[at].last)
			return cell_broadcast_warnings[at].type;
	}
	return NULL;
}

static void cell_broadcast_on_incoming(struct modem *modem, DBusMessage *signal)
{
	struct ofono_event event = { .type = BROADCAST_RECEIVED, .modem = modem };
	dbus_uint16_t topic;

	if (!dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &event.text,
				   DBUS_TYPE_UINT16, &topic, DBUS_TYPE_INVALID)) {
		ofono_bus_warn(modem->bus, OFONO_BUS_WARNING_BROADCAST,
			       "%s: a broadcast in an unknown format", modem->path);
		return;
	}
	event.topic = topic;
	event.emergency = cell_broadcast_warning(topic);
	ofono_bus_report(modem->bus, &event);
}

/* The text is reported even when its properties are not understood. */
static void cell_broadcast_on_emergency(struct modem *modem, DBusMessage *signal)
{
	struct cell_broadcast_emergency emergency = { "" };
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
		property_store_all(cell_broadcast_emergency_properties, 1, &arguments,
				   &emergency);
	ofono_bus_report(modem->bus, &event);
}

static void cell_broadcast_on_signal(struct modem *modem, DBusMessage *signal)
{
	if (dbus_message_has_member(signal, "IncomingBroadcast"))
		cell_broadcast_on_incoming(modem, signal);
	else if (dbus_message_has_member(signal, "EmergencyBroadcast"))
		cell_broadcast_on_emergency(modem, signal);
}

const struct modem_interface cell_broadcast_interface = {
	.name = "org.ofono.CellBroadcast",
	.bit = MODEM_CELL_BROADCAST,
	.is_about_a_sim = true,
	.signal = cell_broadcast_on_signal,
};
