/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/phonebook.h"

#include "base/log.h"
#include "ofono/interface.h"
#include "ofono/query.h"

static const unsigned pauses_s[PHONEBOOK_PAUSES] = { 2, 60, 600 };

static void try_later(struct phonebook *phonebook, const char *error)
{
	const char *path = phonebook->modem->path;

	log_debug("ofono: %s: Import: %s", path, error);
	if (phonebook->failures == PHONEBOOK_PAUSES) {
		log_warning("ofono: %s: the names on the SIM card cannot be read: %s",
			    path, error);
		return;
	}
	sd_event_source_set_time_relative(
		phonebook->pause, pauses_s[phonebook->failures++] * UINT64_C(1000000));
	sd_event_source_set_enabled(phonebook->pause, SD_EVENT_ONESHOT);
}

static void on_answer(void *data, DBusMessage *reply)
{
	struct ofono_event event = { .type = PHONEBOOK_READ };
	const char *error = dbus_message_get_error_name(reply);
	struct phonebook *phonebook = data;

	phonebook->call = NULL;
	event.modem = phonebook->modem;
	/* An error has a text, too. */
	if (error || !dbus_message_has_signature(reply, "s")) {
		try_later(phonebook, error ? error : "odd answer");
		return;
	}
	phonebook->failures = 0;
	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &event.text,
			      DBUS_TYPE_INVALID);
	ofono_tell(phonebook->modem->ofono, &event);
}

static void ask(struct phonebook *phonebook)
{
	struct modem *modem = phonebook->modem;
	DBusMessage *message =
		ofono_message(modem->path, interface_phonebook.name, "Import");

	if (message)
		phonebook->call = bus_call(ofono_bus(modem->ofono), message,
					   PHONEBOOK_TIMEOUT_MS, on_answer, phonebook);
	if (!phonebook->call)
		log_error("ofono: %s: out of memory", modem->path);
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	ask(data);
	return 0;
}

void phonebook_read(struct phonebook *phonebook)
{
	sd_event *loop = bus_loop(ofono_bus(phonebook->modem->ofono));

	if (phonebook->call || modem_is_foreign(phonebook->modem))
		return;
	phonebook_stop(phonebook);
	if (sd_event_add_time_relative(loop, &phonebook->pause, CLOCK_MONOTONIC, 0, 1000,
				       on_pause_over, phonebook) < 0) {
		log_error("ofono: %s: out of memory", phonebook->modem->path);
		return;
	}
	sd_event_source_set_enabled(phonebook->pause, SD_EVENT_OFF);
	phonebook->failures = 0;
	ask(phonebook);
}

void phonebook_stop(struct phonebook *phonebook)
{
	bus_call_cancel(phonebook->call);
	phonebook->call = NULL;
	phonebook->pause = sd_event_source_disable_unref(phonebook->pause);
}

static void appeared(struct modem *modem)
{
	if (ofono_wants_phonebooks(modem->ofono))
		phonebook_read(&modem->queries->phonebook);
}

static void vanished(struct modem *modem)
{
	phonebook_stop(&modem->queries->phonebook);
}

const struct interface interface_phonebook = {
	.name = "org.ofono.Phonebook",
	.bit = MODEM_PHONEBOOK,
	.appeared = appeared,
	.vanished = vanished,
};
