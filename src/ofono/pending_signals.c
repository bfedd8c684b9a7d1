/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A signal about a message or call joins the queue and leaves it
 *
 *   delivered   its modem and card are known (pending_signals_deliver_ready), or nothing more
 *               will be: the modem goes, three seconds passed, the queue is full, oFono goes
 *   ignored     it turned out not to come from the owner of org.ofono
 *   dropped     with a warning: there is no oFono any more
 *
 * The pending_signals_try_*() functions decide that for one signal; they return true when it
 * leaves the queue.
 */
#include "ofono/manager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ofono/modem_interface.h"

enum {
	PENDING_SIGNALS_WAIT_USEC = 3 * 1000 * 1000,
	PENDING_SIGNALS_ACCURACY_USEC = 100 * 1000,
};

struct pending_signals_entry {
	DBusMessage *message;
	TAILQ_ENTRY(pending_signals_entry) link;
};

typedef bool (*pending_signals_try)(struct pending_signals *pending, DBusMessage *signal);

static void pending_signals_remove(struct pending_signals *pending,
				   struct pending_signals_entry *signal)
{
	TAILQ_REMOVE(&pending->queue, signal, link);
	pending->count--;
	dbus_message_unref(signal->message);
	free(signal);
}

static void pending_signals_put(struct pending_signals *pending, DBusMessage *message)
{
	struct pending_signals_entry *signal = malloc(sizeof(*signal));

	if (!signal || pending->count == PENDING_SIGNALS_MAX) {
		free(signal);
		log_error("ofono: no room for a signal about a message: dropped");
		return;
	}
	signal->message = dbus_message_ref(message);
	TAILQ_INSERT_TAIL(&pending->queue, signal, link);
	pending->count++;
}

static void pending_signals_try_all(struct pending_signals *pending,
				    pending_signals_try try)
{
	struct pending_signals_entry *signal = TAILQ_FIRST(&pending->queue);

	while (signal) {
		struct pending_signals_entry *next = TAILQ_NEXT(signal, link);

		if (try(pending, signal->message))
			pending_signals_remove(pending, signal);
		signal = next;
	}
}

bool pending_signals_is_from_owner(const struct pending_signals *pending,
				   DBusMessage *signal)
{
	return pending->owner[0] && dbus_message_has_sender(signal, pending->owner);
}

static const struct modem_interface *pending_signals_interface(DBusMessage *signal)
{
	return modem_interface_find(dbus_message_get_interface(signal));
}

static struct modem *pending_signals_modem(const struct pending_signals *pending,
					   DBusMessage *signal)
{
	return manager_find(pending->manager, dbus_message_get_path(signal));
}

static void pending_signals_deliver(struct pending_signals *pending,
				    const struct modem_interface *interface,
				    DBusMessage *signal)
{
	const char *path = dbus_message_get_path(signal);
	struct modem *modem = pending_signals_modem(pending, signal);
	bool is_below = modem && strcmp(modem->path, path) != 0;

	if (modem && modem_is_foreign(modem) && !modem_interface_is_modem(interface))
		return;
	if (modem && is_below == interface->is_below)
		interface->signal(modem, signal);
	else if (!modem && interface == &message_manager_interface)
		interface->signal(pending->unknown_modem, signal); /* sent only once */
	else if (interface->is_about_a_sim)
		ofono_bus_warn(
			pending->bus, OFONO_BUS_WARNING_NO_MODEM,
			"a signal about a message or call of %s, no modem: dropped",
			path);
}

static bool pending_signals_try_ready(struct pending_signals *pending,
				      DBusMessage *signal)
{
	struct modem *modem;

	if (!pending->owner[0])
		return false;
	if (!pending_signals_is_from_owner(pending, signal))
		return true;
	modem = pending_signals_modem(pending, signal);
	if (modem ? modem_interface_awaits_card(modem) : !pending->manager->is_complete)
		return false;
	if (modem_manager_is_asking(pending->modem_manager))
		return false;
	pending_signals_deliver(pending, pending_signals_interface(signal), signal);
	return true;
}

static bool pending_signals_try_listed(struct pending_signals *pending,
				       DBusMessage *signal)
{
	if (!pending_signals_is_from_owner(pending, signal) ||
	    !pending_signals_modem(pending, signal))
		return false;
	pending_signals_deliver(pending, pending_signals_interface(signal), signal);
	return true;
}

static bool pending_signals_try_any(struct pending_signals *pending, DBusMessage *signal)
{
	if (!pending->owner[0])
		return false;
	if (pending_signals_is_from_owner(pending, signal))
		pending_signals_deliver(pending, pending_signals_interface(signal),
					signal);
	return true;
}

/* After the wait: a message needs no modem, but a signal about a call is useless without. */
static bool pending_signals_try_late(struct pending_signals *pending, DBusMessage *signal)
{
	if (pending_signals_interface(signal) == &message_manager_interface)
		return pending_signals_try_any(pending, signal);
	return pending_signals_try_listed(pending, signal);
}

static int pending_signals_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	pending_signals_try_all(data, pending_signals_try_late);
	return 0;
}

static void pending_signals_set_timer(struct pending_signals *pending)
{
	bool waits = pending->count > 0;
	int is_on = sd_event_source_get_enabled(pending->timer, NULL);

	if (waits && !is_on)
		sd_event_source_set_time_relative(pending->timer,
						  PENDING_SIGNALS_WAIT_USEC);
	if (waits != is_on)
		sd_event_source_set_enabled(pending->timer,
					    waits ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

static void pending_signals_deliver_ready(void *data)
{
	pending_signals_try_all(data, pending_signals_try_ready);
}

int pending_signals_init(struct pending_signals *pending, sd_event *loop,
			 struct ofono *ofono)
{
	int error;

	TAILQ_INIT(&pending->queue);
	pending->bus->settled = pending_signals_deliver_ready;
	pending->bus->settled_data = pending;
	error = sd_event_add_time_relative(loop, &pending->timer, CLOCK_MONOTONIC, 0,
					   PENDING_SIGNALS_ACCURACY_USEC,
					   pending_signals_on_timer, pending);
	if (error < 0)
		return error;
	sd_event_source_set_enabled(pending->timer, SD_EVENT_OFF);
	pending->unknown_modem = modem_interface_new_modem(ofono, pending->bus, "");
	if (pending->unknown_modem)
		return 0;
	pending->timer = sd_event_source_disable_unref(pending->timer);
	return -ENOMEM;
}

void pending_signals_deinit(struct pending_signals *pending)
{
	pending_signals_drop(pending);
	modem_interface_free_modem(pending->unknown_modem);
	sd_event_source_disable_unref(pending->timer);
}

void pending_signals_flush_listed(struct pending_signals *pending)
{
	pending_signals_try_all(pending, pending_signals_try_listed);
}

void pending_signals_flush(struct pending_signals *pending)
{
	pending_signals_try_all(pending, pending_signals_try_any);
}

void pending_signals_drop(struct pending_signals *pending)
{
	if (pending->count)
		log_warning("ofono: %zu signals about messages of unknown modems dropped",
			    pending->count);
	while (!TAILQ_EMPTY(&pending->queue))
		pending_signals_remove(pending, TAILQ_FIRST(&pending->queue));
}

bool pending_signals_accept(struct pending_signals *pending, DBusMessage *signal)
{
	const struct modem_interface *interface = pending_signals_interface(signal);

	if (!interface)
		return false;
	if (interface->is_about_a_sim) {
		if (pending->count == PENDING_SIGNALS_MAX)
			pending_signals_flush(pending);
		pending_signals_put(pending, signal);
		manager_retry(pending->manager); /* which modem has that card? */
		pending_signals_deliver_ready(pending);
		pending_signals_set_timer(pending);
	} else if (pending_signals_is_from_owner(pending, signal)) {
		pending_signals_deliver(pending, interface, signal);
	}
	return true;
}
