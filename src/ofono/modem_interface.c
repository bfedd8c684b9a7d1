/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.Modem: Powered, Online, Type, and Interfaces, which says what the modem can do.
 *
 * A modem is made from GetModems or ModemAdded, changed by the signals of its interfaces, and
 * freed when oFono removes it or goes away. An interface is present when Interfaces lists it,
 * but its signals are stored whenever they arrive: oFono may send them before that.
 */
#include "ofono/modem_interface.h"

#include <stdlib.h>
#include <string.h>

#include "bus/property.h"

static void modem_interface_on_signal(struct modem *modem, DBusMessage *signal);

static const struct modem_interface modem_interface = {
	.name = "org.ofono.Modem",
	.signal = modem_interface_on_signal,
};

/* In this order they appear and vanish. */
static const struct modem_interface *const modem_interfaces[] = {
	&modem_interface,
	&sim_manager_interface,
	&network_registration_interface,
	&message_manager_interface,
	&message_interface,
	&message_manager_history_interface,
	&voice_call_manager_interface,
	&ussd_call_interface,
	&voice_call_interface,
	&message_waiting_interface,
	&cell_broadcast_interface,
	&sim_manager_info_interface,
	&phonebook_interface,
};

enum { MODEM_INTERFACES = sizeof(modem_interfaces) / sizeof(modem_interfaces[0]) };

/* in the order of enum modem_interface_bit */
static const char *const modem_interface_words[] = {
	"org.ofono.SimManager",
	"org.ofono.MessageManager",
	"org.ofono.NetworkRegistration",
	"org.ofono.VoiceCallManager",
	"org.ofono.SupplementaryServices",
	"org.ofono.MessageWaiting",
	"org.ofono.CellBroadcast",
	"org.nemomobile.ofono.SimInfo",
	"org.ofono.Phonebook",
	"org.ofono.NetworkTime",
	"org.ofono_mcp.Outgoing",
	NULL,
};

static const struct property modem_interface_properties[] = {
	PROPERTY("Powered", PROPERTY_BOOLEAN, struct modem, powered),
	PROPERTY("Online", PROPERTY_BOOLEAN, struct modem, online),
	PROPERTY("Type", PROPERTY_STRING, struct modem, type),
	PROPERTY("Interfaces", PROPERTY_FLAGS, struct modem, interfaces,
		 .words = modem_interface_words),
};

enum {
	MODEM_INTERFACE_PROPERTIES =
		sizeof(modem_interface_properties) / sizeof(modem_interface_properties[0])
};

const struct modem_interface *modem_interface_find(const char *name)
{
	for (size_t i = 0; i < MODEM_INTERFACES; i++) {
		if (modem_interfaces[i]->signal &&
		    strcmp(modem_interfaces[i]->name, name) == 0)
			return modem_interfaces[i];
	}
	return NULL;
}

bool modem_interface_is_modem(const struct modem_interface *interface)
{
	return interface == &modem_interface;
}

/* `before` is what the modem's `interfaces` were. */
static void modem_interface_follow(struct modem *modem, uint32_t before)
{
	modem->bus->has_network_time |= (modem->interfaces & MODEM_NETWORK_TIME) != 0;
	if (modem_is_foreign(modem))
		modem->interfaces = 0;
	for (size_t i = 0; i < MODEM_INTERFACES; i++) {
		const struct modem_interface *interface = modem_interfaces[i];

		if (!((before ^ modem->interfaces) & interface->bit))
			continue;
		if (modem->interfaces & interface->bit) {
			if (interface->appeared)
				interface->appeared(modem);
		} else if (interface->vanished) {
			interface->vanished(modem);
		}
	}
}

bool modem_interface_store(struct modem *modem, DBusMessageIter *dictionary)
{
	uint32_t before = modem->interfaces;
	bool differs = property_store_all(modem_interface_properties,
					  MODEM_INTERFACE_PROPERTIES, dictionary, modem);

	modem_interface_follow(modem, before);
	return differs;
}

static void modem_interface_on_signal(struct modem *modem, DBusMessage *signal)
{
	uint32_t before = modem->interfaces;

	if (!property_changed(modem_interface_properties, MODEM_INTERFACE_PROPERTIES,
			      signal, modem))
		return;
	/* After a modem's own reset oFono signals Online=true, but never Powered=true. */
	if (modem->online && strcmp(property_changed_name(signal), "Online") == 0)
		modem->powered = true;
	modem_interface_follow(modem, before);
	ofono_bus_report_change(modem);
}

struct modem *modem_interface_new_modem(struct ofono *ofono, struct ofono_bus *bus,
					const char *path)
{
	struct modem *modem = calloc(1, sizeof(*modem));

	if (!modem)
		return NULL;
	modem->ofono = ofono;
	modem->bus = bus;
	strncpy(modem->path, path, sizeof(modem->path) - 1);
	modem->data = calloc(1, sizeof(*modem->data));
	if (!modem->data) {
		free(modem);
		return NULL;
	}
	return modem;
}

void modem_interface_free_modem(struct modem *modem)
{
	struct modem_interface_data *data = modem->data;

	ofono_bus_properties_stop(&data->sim);
	ofono_bus_properties_stop(&data->network);
	ofono_bus_properties_stop(&data->calls);
	ofono_bus_properties_stop(&data->voicemail);
	ofono_bus_properties_stop(&data->centre);
	bus_call_cancel(data->modem_remembered_card);
	ofono_bus_request_stop(&data->report_switch);
	ofono_bus_request_stop(&data->phonebook);
	free(data);
	free(modem);
}

bool modem_interface_is_busy(const struct modem *modem)
{
	const struct modem_interface_data *data = modem->data;

	return ofono_bus_properties_are_awaited(&data->sim) ||
	       ofono_bus_properties_are_awaited(&data->network) ||
	       ofono_bus_properties_are_awaited(&data->calls) ||
	       ofono_bus_properties_are_awaited(&data->centre);
}

bool modem_interface_awaits_card(const struct modem *modem)
{
	return ofono_bus_properties_are_awaited(&modem->data->sim) &&
	       modem->sim.subscriber_identity[0] == '\0';
}
