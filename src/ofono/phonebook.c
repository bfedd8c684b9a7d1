/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/phonebook.h"

#include "base/log.h"
#include "ofono/interface.h"
#include "ofono/query.h"

static const uint64_t pauses_ms[PHONEBOOK_PAUSES] = { 2000, 60000, 600000 };

static void try_later(struct modem *modem, const char *error)
{
	struct retried_call *import = &modem->queries->phonebook;

	log_debug("ofono: %s: Import: %s", modem->path, error);
	if (import->failures < PHONEBOOK_PAUSES)
		retried_call_again(import, pauses_ms[import->failures]);
	else
		log_warning("ofono: %s: the names on the SIM card cannot be read: %s",
			    modem->path, error);
}

static void on_answer(void *data, DBusMessage *reply)
{
	struct modem *modem = data;
	struct ofono_event event = { .type = PHONEBOOK_READ, .modem = modem };
	const char *error = dbus_message_get_error_name(reply);

	/* An error has a text, too. */
	if (error || !dbus_message_has_signature(reply, "s")) {
		try_later(modem, error ? error : "odd answer");
		return;
	}
	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &event.text,
			      DBUS_TYPE_INVALID);
	ofono_tell(modem->ofono, &event);
}

static DBusMessage *import_message(void *data)
{
	const struct modem *modem = data;

	return ofono_message(modem->path, interface_phonebook.name, "Import");
}

static const struct retried_question import_question = {
	.timeout_ms = PHONEBOOK_TIMEOUT_MS,
	.message = import_message,
	.answered = on_answer,
};

void phonebook_read(struct modem *modem)
{
	struct retried_call *import = &modem->queries->phonebook;

	if (!import->call)
		retried_call_start(import, modem, &import_question, modem);
}

void phonebook_stop(struct modem *modem)
{
	retried_call_stop(&modem->queries->phonebook);
}

static void appeared(struct modem *modem)
{
	if (ofono_wants_phonebooks(modem->ofono))
		phonebook_read(modem);
}

const struct interface interface_phonebook = {
	.name = "org.ofono.Phonebook",
	.bit = MODEM_PHONEBOOK,
	.appeared = appeared,
	.vanished = phonebook_stop,
};
