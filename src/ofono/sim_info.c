/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.nemomobile.ofono.SimInfo of the forks: which card is in the modem, told also while the
 * modem is off. SimManager, where it is there, knows better.
 */
#include <string.h>

#include "bus/property.h"
#include "ofono/interface.h"
#include "ofono/query.h"

static bool put_card(struct modem *modem, const char *iccid)
{
	return property_put_text(modem->remembered.card_identifier,
				 sizeof(modem->remembered.card_identifier), iccid);
}

static bool put_subscriber(struct modem *modem, const char *imsi)
{
	return property_put_text(modem->remembered.subscriber_identity,
				 sizeof(modem->remembered.subscriber_identity), imsi);
}

static bool put_provider(struct modem *modem, const char *name)
{
	return property_put_text(modem->remembered.service_provider_name,
				 sizeof(modem->remembered.service_provider_name), name);
}

static void on_answer(void *data, DBusMessage *reply)
{
	struct modem *modem = data;
	const char *iccid, *imsi, *name;
	dbus_int32_t version;
	bool differs;

	modem->queries->sim_info = NULL;
	if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_INT32, &version,
				   DBUS_TYPE_STRING, &iccid, DBUS_TYPE_STRING, &imsi,
				   DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
		return;
	differs = put_card(modem, iccid);
	differs |= put_subscriber(modem, imsi);
	differs |= put_provider(modem, name);
	if (differs)
		modem_changed(modem);
}

static void appeared(struct modem *modem)
{
	DBusMessage *message =
		ofono_message(modem->path, interface_sim_info.name, "GetAll");

	if (message)
		modem->queries->sim_info = bus_call(ofono_bus(modem->ofono), message,
						    OFONO_TIMEOUT_MS, on_answer, modem);
}

static void vanished(struct modem *modem)
{
	bus_call_cancel(modem->queries->sim_info);
	modem->queries->sim_info = NULL;
	memset(&modem->remembered, 0, sizeof(modem->remembered));
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	static const struct {
		const char *signal;
		bool (*put)(struct modem *modem, const char *text);
	} rows[] = {
		{ "CardIdentifierChanged", put_card },
		{ "SubscriberIdentityChanged", put_subscriber },
		{ "ServiceProviderNameChanged", put_provider },
	};
	const char *text;

	if (!dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &text,
				   DBUS_TYPE_INVALID))
		return;
	for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		if (dbus_message_has_member(signal, rows[at].signal) &&
		    rows[at].put(modem, text))
			modem_changed(modem);
	}
}

const struct interface interface_sim_info = {
	.name = "org.nemomobile.ofono.SimInfo",
	.bit = MODEM_SIM_INFO,
	.appeared = appeared,
	.vanished = vanished,
	.signal = on_signal,
};
