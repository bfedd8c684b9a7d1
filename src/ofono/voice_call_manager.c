/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.VoiceCallManager: which numbers are emergency numbers, for the card and where it
 * is. Calls are none of our business. Nobody is told when the numbers change: whoever needs
 * them reads them each time.
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

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	property_changed(properties, 1, signal, modem);
}

const struct interface interface_voice_call_manager = {
	.name = "org.ofono.VoiceCallManager",
	.bit = MODEM_VOICE_CALL_MANAGER,
	.appeared = appeared,
	.vanished = vanished,
	.signal = on_signal,
};
