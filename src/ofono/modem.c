/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life: made from GetModems or ModemAdded, changed by signals of its interfaces, freed when
 * oFono removes it or goes. An interface is there when the modem's Interfaces says so, but
 * its signals are stored whenever they come: oFono may send them before that.
 */
#include "ofono/modem.h"

#include <stdlib.h>
#include <string.h>

#include "bus/property.h"
#include "ofono/interface.h"
#include "ofono/phonebook.h"
#include "ofono/query.h"
#include "ofono/report_switch.h"

static const struct interface *const interfaces[] = {
	&interface_sim_manager,
	&interface_network_registration,
	&interface_message_manager,
	&interface_voice_call_manager,
	&interface_supplementary_services,
	&interface_message_waiting,
	&interface_cell_broadcast,
	&interface_sim_info,
	&interface_phonebook,
};

/* In the order of enum modem_interface */
static const char *const interface_words[] = {
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
	NULL,
};

static const struct property properties[] = {
	PROPERTY("Powered", PROPERTY_BOOLEAN, struct modem, powered),
	PROPERTY("Online", PROPERTY_BOOLEAN, struct modem, online),
	PROPERTY("Type", PROPERTY_STRING, struct modem, type),
	PROPERTY("Interfaces", PROPERTY_FLAGS, struct modem, interfaces,
		 .words = interface_words),
};

enum { PROPERTIES = sizeof(properties) / sizeof(properties[0]) };

bool modem_is_foreign(const struct modem *modem)
{
	return strcmp(modem->type, "hfp") == 0;
}

static void follow_interfaces(struct modem *modem, uint32_t before)
{
	if (modem_is_foreign(modem))
		modem->interfaces = 0; /* it is asked nothing */
	for (size_t i = 0; i < sizeof(interfaces) / sizeof(interfaces[0]); i++) {
		const struct interface *interface = interfaces[i];

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

bool modem_store(struct modem *modem, DBusMessageIter *dictionary)
{
	uint32_t before = modem->interfaces;
	bool differs = property_store_all(properties, PROPERTIES, dictionary, modem);

	ofono_note_interfaces(modem->ofono, modem->interfaces);
	follow_interfaces(modem, before);
	return differs;
}

/* After a modem's own reset oFono tells that it is online again, and not that it is on. */
static bool is_told_online(const struct modem *modem, DBusMessage *signal)
{
	return modem->online && strcmp(property_changed_name(signal), "Online") == 0;
}

static void modem_signal(struct modem *modem, DBusMessage *signal)
{
	uint32_t before = modem->interfaces;

	if (!property_changed(properties, PROPERTIES, signal, modem))
		return;
	if (is_told_online(modem, signal))
		modem->powered = true;
	ofono_note_interfaces(modem->ofono, modem->interfaces);
	follow_interfaces(modem, before);
	modem_changed(modem);
}

const struct interface interface_modem = {
	.name = "org.ofono.Modem",
	.signal = modem_signal,
};

void modem_changed(struct modem *modem)
{
	struct ofono_event event = { .type = MODEM_CHANGED, .modem = modem };

	ofono_tell(modem->ofono, &event);
}

struct modem *modem_new(struct ofono *ofono, const char *path)
{
	struct modem *modem = calloc(1, sizeof(*modem));

	if (!modem)
		return NULL;
	modem->ofono = ofono;
	strncpy(modem->path, path, sizeof(modem->path) - 1);
	modem->queries = calloc(1, sizeof(*modem->queries));
	if (!modem->queries) {
		free(modem);
		return NULL;
	}
	modem->queries->sim.modem = modem;
	modem->queries->network.modem = modem;
	modem->queries->voice.modem = modem;
	modem->queries->waiting.modem = modem;
	modem->queries->centre.modem = modem;
	return modem;
}

void modem_free(struct modem *modem)
{
	query_stop(&modem->queries->sim);
	query_stop(&modem->queries->network);
	query_stop(&modem->queries->voice);
	query_stop(&modem->queries->waiting);
	query_stop(&modem->queries->centre);
	bus_call_cancel(modem->queries->sim_info);
	report_switch_stop(modem);
	phonebook_stop(modem);
	free(modem->queries);
	free(modem);
}

bool modem_is_settling(const struct modem *modem)
{
	return query_is_waiting(&modem->queries->sim) &&
	       modem->sim.subscriber_identity[0] == '\0';
}

bool modem_is_asking(const struct modem *modem)
{
	return query_is_waiting(&modem->queries->sim) ||
	       query_is_waiting(&modem->queries->network) ||
	       query_is_waiting(&modem->queries->voice) ||
	       query_is_waiting(&modem->queries->centre);
}

bool modem_is_registered(const struct modem *modem)
{
	return strcmp(modem->network.status, "registered") == 0 ||
	       strcmp(modem->network.status, "roaming") == 0;
}

bool modem_can_send(const struct modem *modem)
{
	return (modem->interfaces & MODEM_MESSAGE_MANAGER) && modem_is_registered(modem);
}
