/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.NetworkRegistration: whether the modem is registered, and with which network.
 *
 * When registration is lost, facts about the operator disappear without a signal, so they are
 * dropped with it. Between home and roaming Name changes without a signal (at home it may be
 * the card's name for the network), so all properties are read again then. Status may be
 * signalled before the Interfaces change that announces this interface.
 */
#include <string.h>

#include "bus/property.h"
#include "ofono/modem_interface.h"

static const struct property network_registration_properties[] = {
	PROPERTY("Status", PROPERTY_STRING, struct modem_network, status),
	PROPERTY("Name", PROPERTY_STRING, struct modem_network, name),
	PROPERTY("MobileCountryCode", PROPERTY_STRING, struct modem_network,
		 mobile_country_code),
	PROPERTY("MobileNetworkCode", PROPERTY_STRING, struct modem_network,
		 mobile_network_code),
	PROPERTY("Technology", PROPERTY_STRING, struct modem_network, technology),
	PROPERTY("Strength", PROPERTY_BYTE, struct modem_network, strength),
};

enum {
	NETWORK_REGISTRATION_PROPERTIES = sizeof(network_registration_properties) /
					  sizeof(network_registration_properties[0])
};

static void network_registration_read(struct modem *modem, DBusMessageIter *dictionary)
{
	struct modem_network network = { 0 };

	if (!dictionary)
		return;
	property_store_all(network_registration_properties,
			   NETWORK_REGISTRATION_PROPERTIES, dictionary, &network);
	/* memcmp() is safe: the struct has no padding. */
	if (memcmp(&modem->network, &network, sizeof(network)) == 0)
		return;
	modem->network = network;
	ofono_bus_report_change(modem);
}

static void network_registration_appeared(struct modem *modem)
{
	ofono_bus_properties_get(&modem->data->network, modem,
				 network_registration_interface.name,
				 network_registration_read);
}

static void network_registration_vanished(struct modem *modem)
{
	ofono_bus_properties_stop(&modem->data->network);
	memset(&modem->network, 0, sizeof(modem->network));
}

static void network_registration_on_signal(struct modem *modem, DBusMessage *signal)
{
	bool was_registered = modem_is_registered(modem);
	char before[sizeof(modem->network.status)], status[sizeof(before)];

	memcpy(before, modem->network.status, sizeof(before));
	if (!property_changed(network_registration_properties,
			      NETWORK_REGISTRATION_PROPERTIES, signal, &modem->network))
		return;
	if (was_registered && !modem_is_registered(modem)) {
		memcpy(status, modem->network.status, sizeof(status));
		memset(&modem->network, 0, sizeof(modem->network));
		memcpy(modem->network.status, status, sizeof(status));
	} else if (was_registered && strcmp(before, modem->network.status) != 0) {
		network_registration_appeared(modem);
	}
	ofono_bus_report_change(modem);
}

const struct modem_interface network_registration_interface = {
	.name = "org.ofono.NetworkRegistration",
	.bit = MODEM_NETWORK_REGISTRATION,
	.appeared = network_registration_appeared,
	.vanished = network_registration_vanished,
	.signal = network_registration_on_signal,
};
