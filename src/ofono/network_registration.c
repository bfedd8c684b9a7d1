/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.NetworkRegistration: whether and where the modem is on the air.
 *
 * Facts about the operator disappear without a signal when registration is lost, so they
 * are dropped with it. Between home and roaming Name changes without a signal (at home it
 * may be the card's word for the network), so all is asked again then. Status comes before
 * the Interfaces change that announces it.
 */
#include <string.h>

#include "ofono/interface.h"
#include "bus/property.h"
#include "ofono/query.h"

static const struct property properties[] = {
	PROPERTY("Status", PROPERTY_STRING, struct network_facts, status),
	PROPERTY("Name", PROPERTY_STRING, struct network_facts, name),
	PROPERTY("MobileCountryCode", PROPERTY_STRING, struct network_facts,
		 mobile_country_code),
	PROPERTY("MobileNetworkCode", PROPERTY_STRING, struct network_facts,
		 mobile_network_code),
	PROPERTY("Technology", PROPERTY_STRING, struct network_facts, technology),
	PROPERTY("Strength", PROPERTY_BYTE, struct network_facts, strength),
};

enum { PROPERTIES = sizeof(properties) / sizeof(properties[0]) };

static void answered(struct modem *modem, DBusMessageIter *dictionary)
{
	struct network_facts network = { 0 };

	if (!dictionary)
		return;
	property_store_all(properties, PROPERTIES, dictionary, &network);
	/* All bytes count: the struct has no padding. */
	if (memcmp(&modem->network, &network, sizeof(network)) == 0)
		return;
	modem->network = network;
	modem_changed(modem);
}

static void appeared(struct modem *modem)
{
	modem->queries->network.interface = interface_network_registration.name;
	modem->queries->network.answered = answered;
	query_start(&modem->queries->network);
}

static void vanished(struct modem *modem)
{
	query_stop(&modem->queries->network);
	memset(&modem->network, 0, sizeof(modem->network));
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	bool was_registered = modem_is_registered(modem);
	char status_before[sizeof(modem->network.status)];
	char status[sizeof(modem->network.status)];

	memcpy(status_before, modem->network.status, sizeof(status_before));
	if (!property_changed(properties, PROPERTIES, signal, &modem->network))
		return;
	if (was_registered && !modem_is_registered(modem)) {
		memcpy(status, modem->network.status, sizeof(status));
		memset(&modem->network, 0, sizeof(modem->network));
		memcpy(modem->network.status, status, sizeof(status));
	}
	if (was_registered && modem_is_registered(modem) &&
	    strcmp(status_before, modem->network.status) != 0)
		query_start(&modem->queries->network);
	modem_changed(modem);
}

const struct interface interface_network_registration = {
	.name = "org.ofono.NetworkRegistration",
	.bit = MODEM_NETWORK_REGISTRATION,
	.appeared = appeared,
	.vanished = vanished,
	.signal = on_signal,
};
