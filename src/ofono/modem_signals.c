/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/modem_signals.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "ofono/interface.h"
#include "ofono/oddity.h"

enum { PATIENCE_USEC = 3 * 1000 * 1000, ACCURACY_USEC = 100 * 1000 };

static const struct interface *const interfaces[] = {
	&interface_modem,
	&interface_sim_manager,
	&interface_network_registration,
	&interface_message_manager,
	&interface_message,
	&interface_sms_history,
	&interface_voice_call_manager,
	&interface_supplementary_services,
	&interface_voice_call,
	&interface_message_waiting,
	&interface_cell_broadcast,
	&interface_sim_info,
};

static const struct interface *find_interface(const char *name)
{
	for (size_t i = 0; i < sizeof(interfaces) / sizeof(interfaces[0]); i++) {
		if (strcmp(interfaces[i]->name, name) == 0)
			return interfaces[i];
	}
	return NULL;
}

bool modem_signals_believe(const struct modem_signals *signals, DBusMessage *signal)
{
	return signals->owner[0] && dbus_message_has_sender(signal, signals->owner);
}

/* Of a foreign one just that it changes, or goes. */
static bool is_heard(const struct modem *modem, const struct interface *interface)
{
	return !modem_is_foreign(modem) ||
	       strcmp(interface->name, interface_modem.name) == 0;
}

static void deliver(struct modem_signals *signals, const struct interface *interface,
		    DBusMessage *signal)
{
	const char *path = dbus_message_get_path(signal);
	struct modem *modem = manager_find(signals->manager, path);
	bool is_below = modem && strcmp(modem->path, path) != 0;

	if (modem && !is_heard(modem, interface))
		return;
	if (modem && is_below == interface->is_below)
		interface->signal(modem, signal);
	else if (!modem && interface == &interface_message_manager)
		interface->signal(signals->nobody, signal); /* nobody tells it again */
	else if (interface->is_about_a_sim)
		oddity_log(ODDITY_NOBODY,
			   "a signal about a message or call of %s, no modem: "
			   "dropped",
			   path);
}

/* True when the signal need not wait any longer. */
static bool take(void *data, DBusMessage *signal)
{
	struct modem_signals *signals = data;
	struct modem *modem;

	if (!signals->owner[0])
		return false;
	if (!modem_signals_believe(signals, signal))
		return true;
	modem = manager_find(signals->manager, dbus_message_get_path(signal));
	if (modem ? modem_is_settling(modem) : !signals->manager->is_complete)
		return false;
	if (modem_manager_is_asking(signals->modem_manager))
		return false;
	deliver(signals, find_interface(dbus_message_get_interface(signal)), signal);
	return true;
}

/* As take(), for the last chance before a modem goes. */
static bool take_unsettled(void *data, DBusMessage *signal)
{
	struct modem_signals *signals = data;

	if (!modem_signals_believe(signals, signal) ||
	    !manager_find(signals->manager, dbus_message_get_path(signal)))
		return false;
	deliver(signals, find_interface(dbus_message_get_interface(signal)), signal);
	return true;
}

/* As take(), when nothing more will become known. */
static bool take_anyhow(void *data, DBusMessage *signal)
{
	struct modem_signals *signals = data;

	if (!signals->owner[0])
		return false;
	if (modem_signals_believe(signals, signal))
		deliver(signals, find_interface(dbus_message_get_interface(signal)),
			signal);
	return true;
}

/* As take(), when it has waited for long: the others still have somebody to wait for. */
static bool take_late(void *data, DBusMessage *signal)
{
	const char *name = dbus_message_get_interface(signal);

	if (strcmp(name, interface_message_manager.name) == 0)
		return take_anyhow(data, signal);
	return take_unsettled(data, signal);
}

static int on_impatient(sd_event_source *source, uint64_t usec, void *data)
{
	struct modem_signals *signals = data;

	(void)source;
	(void)usec;
	mailbag_empty(&signals->waiting, take_late, signals);
	return 0;
}

static void wait_no_longer_than(struct modem_signals *signals)
{
	bool waits = signals->waiting.count > 0;
	int is_on = sd_event_source_get_enabled(signals->patience, NULL);

	if (waits && !is_on)
		sd_event_source_set_time_relative(signals->patience, PATIENCE_USEC);
	if (waits != is_on)
		sd_event_source_set_enabled(signals->patience,
					    waits ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

int modem_signals_init(struct modem_signals *signals, sd_event *loop, struct ofono *ofono,
		       struct manager *manager, const char *owner)
{
	int error;

	signals->manager = manager;
	signals->owner = owner;
	mailbag_init(&signals->waiting);
	error = sd_event_add_time_relative(loop, &signals->patience, CLOCK_MONOTONIC, 0,
					   ACCURACY_USEC, on_impatient, signals);
	if (error < 0)
		return error;
	sd_event_source_set_enabled(signals->patience, SD_EVENT_OFF);
	signals->nobody = modem_new(ofono, "");
	if (signals->nobody)
		return 0;
	signals->patience = sd_event_source_disable_unref(signals->patience);
	return -ENOMEM;
}

void modem_signals_deinit(struct modem_signals *signals)
{
	mailbag_clear(&signals->waiting);
	modem_free(signals->nobody);
	sd_event_source_disable_unref(signals->patience);
}

void modem_signals_go_on(struct modem_signals *signals)
{
	mailbag_empty(&signals->waiting, take, signals);
}

void modem_signals_hurry(struct modem_signals *signals)
{
	mailbag_empty(&signals->waiting, take_unsettled, signals);
}

void modem_signals_end_waiting(struct modem_signals *signals)
{
	mailbag_empty(&signals->waiting, take_anyhow, signals);
}

void modem_signals_clear(struct modem_signals *signals)
{
	mailbag_clear(&signals->waiting);
}

bool modem_signals_hear(struct modem_signals *signals, DBusMessage *signal)
{
	const struct interface *interface =
		find_interface(dbus_message_get_interface(signal));

	if (!interface)
		return false;
	if (interface->is_about_a_sim) {
		if (mailbag_is_full(&signals->waiting))
			modem_signals_end_waiting(signals);
		mailbag_put(&signals->waiting, signal);
		manager_ask_again(signals->manager); /* which modem has that card */
		modem_signals_go_on(signals);
		wait_no_longer_than(signals);
	} else if (modem_signals_believe(signals, signal)) {
		deliver(signals, interface, signal);
	}
	return true;
}
