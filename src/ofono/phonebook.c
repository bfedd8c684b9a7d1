/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/modem_interface.h"

#include "base/log.h"

static void phonebook_on_reply(void *data, DBusMessage *reply)
{
	static const uint64_t pauses_ms[PHONEBOOK_RETRIES] = { 2000, 60000, 600000 };
	struct modem *modem = data;
	struct ofono_bus_request *request = &modem->data->phonebook;
	struct ofono_event event = { .type = PHONEBOOK_READ, .modem = modem };
	const char *error = dbus_message_get_error_name(reply);

	/* An error also carries a string. */
	if (!error && dbus_message_has_signature(reply, "s")) {
		dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &event.text,
				      DBUS_TYPE_INVALID);
		ofono_bus_report(modem->bus, &event);
		return;
	}
	if (!error)
		error = "unexpected answer";
	log_debug("ofono: %s: Import: %s", modem->path, error);
	if (request->failures < PHONEBOOK_RETRIES)
		ofono_bus_request_retry(request, pauses_ms[request->failures]);
	else
		log_warning("ofono: %s: cannot read the contacts on the SIM card: %s",
			    modem->path, error);
}

static DBusMessage *phonebook_message(void *data)
{
	const struct modem *modem = data;

	return ofono_bus_message(modem->path, phonebook_interface.name, "Import");
}

static const struct ofono_bus_request_type phonebook_request = {
	.timeout_ms = PHONEBOOK_TIMEOUT_MS,
	.message = phonebook_message,
	.answered = phonebook_on_reply,
};

void phonebook_read(struct modem *modem)
{
	if (!modem->data->phonebook.call)
		ofono_bus_request_start(&modem->data->phonebook, modem,
					&phonebook_request, modem);
}

void phonebook_stop(struct modem *modem)
{
	ofono_bus_request_stop(&modem->data->phonebook);
}

static void phonebook_appeared(struct modem *modem)
{
	if (modem->bus->wants_phonebooks)
		phonebook_read(modem);
}

const struct modem_interface phonebook_interface = {
	.name = "org.ofono.Phonebook",
	.bit = MODEM_PHONEBOOK,
	.appeared = phonebook_appeared,
	.vanished = phonebook_stop,
};
