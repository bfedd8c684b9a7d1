/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   start -> GetModems -> answered -> ModemAdded, ModemRemoved ... -> stop
 *               ^     -> failed -> pause -+
 *               +-------------------------+
 *               +-- manager_retry() -- waits to be asked (refused after the last pause)
 */
#include "ofono/manager.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "ofono/modem_interface.h"

#define MANAGER_INTERFACE "org.ofono.Manager"

/* After an installation the bus reads the new policy within the first of them. */
static const unsigned int manager_pauses_ms[MANAGER_PAUSES] = { 1000, 2000, 5000, 15000,
								60000 };

static void manager_report(struct modem *modem, enum ofono_event_type type)
{
	struct ofono_event event = { .type = type, .modem = modem };

	ofono_bus_report(modem->bus, &event);
}

static void manager_remove(struct manager *manager, struct modem *modem)
{
	log_info("ofono: modem %s: removed", modem->path);
	TAILQ_REMOVE(&manager->modems, modem, link);
	manager->count--;
	manager_report(modem, MODEM_REMOVED);
	modem_interface_free_modem(modem);
}

static struct modem *manager_find_exactly(struct manager *manager, const char *path)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, &manager->modems, link) {
		if (strcmp(modem->path, path) == 0)
			return modem;
	}
	return NULL;
}

static void manager_insert_sorted(struct manager *manager, struct modem *modem)
{
	struct modem *other;

	manager->count++;
	TAILQ_FOREACH (other, &manager->modems, link) {
		if (strverscmp(modem->path, other->path) < 0) {
			TAILQ_INSERT_BEFORE(other, modem, link);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&manager->modems, modem, link);
}

static struct modem *manager_new_modem(struct manager *manager, const char *path)
{
	struct modem *modem = NULL;

	if (manager->count >= MANAGER_MODEMS_MAX) {
		ofono_bus_warn(manager->bus, OFONO_BUS_WARNING_MODEM,
			       "modem %s: ignored, more than %d modems", path,
			       MANAGER_MODEMS_MAX);
	} else if (strlen(path) >= sizeof(modem->path)) {
		ofono_bus_warn(manager->bus, OFONO_BUS_WARNING_MODEM,
			       "modem %s: ignored, its path is too long", path);
	} else {
		modem = modem_interface_new_modem(manager->ofono, manager->bus, path);
		if (!modem)
			log_error("ofono: modem %s: out of memory", path);
	}
	return modem;
}

/* The iterator stands on the o of o, a{sv}. */
static void manager_add(struct manager *manager, DBusMessageIter *arguments)
{
	const char *path;
	struct modem *modem;

	dbus_message_iter_get_basic(arguments, &path);
	dbus_message_iter_next(arguments);
	modem = manager_find_exactly(manager, path);
	if (modem) {
		if (modem_interface_store(modem, arguments))
			ofono_bus_report_change(modem);
		return;
	}
	modem = manager_new_modem(manager, path);
	if (!modem)
		return;
	modem_interface_store(modem, arguments);
	manager_insert_sorted(manager, modem);
	log_info("ofono: modem %s: added", path);
	manager_report(modem, MODEM_ADDED);
}

static void manager_add_all(struct manager *manager, DBusMessage *reply)
{
	DBusMessageIter array, element, arguments;

	dbus_message_iter_init(reply, &array);
	dbus_message_iter_recurse(&array, &element);
	for (; dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRUCT;
	     dbus_message_iter_next(&element)) {
		dbus_message_iter_recurse(&element, &arguments);
		manager_add(manager, &arguments);
	}
}

static void manager_retry_later(struct manager *manager)
{
	unsigned int last = MANAGER_PAUSES - 1;
	unsigned int at = manager->attempts < last ? manager->attempts : last;

	if (manager->attempts < MANAGER_PAUSES)
		manager->attempts++;
	sd_event_source_set_time_relative(manager->retry,
					  manager->pauses_ms[at] * UINT64_C(1000));
	sd_event_source_set_enabled(manager->retry, SD_EVENT_ONESHOT);
}

bool manager_is_refusal(const char *error)
{
	return strcmp(error, DBUS_ERROR_ACCESS_DENIED) == 0 ||
	       strcmp(error, "org.ofono.Error.AccessDenied") == 0;
}

static void manager_on_failure(struct manager *manager, const char *error)
{
	if (manager->attempts == 0) /* ofono_condition() shows later failures */
		log_warning("ofono: GetModems: %s", error);
	if (!manager->is_refused)
		manager->refused_ms = clock_monotonic_ms();
	manager->is_refused = manager_is_refusal(error);
	manager->waits_to_be_asked =
		manager->is_refused && manager->attempts == MANAGER_PAUSES;
	if (!manager->waits_to_be_asked)
		manager_retry_later(manager);
	manager->answered(manager->ofono, error);
}

static void manager_on_reply(void *data, DBusMessage *reply)
{
	struct manager *manager = data;
	const char *error = dbus_message_get_error_name(reply);

	manager->call = NULL;
	if (!dbus_message_has_signature(reply, "a(oa{sv})")) {
		manager_on_failure(manager, error ? error : DBUS_ERROR_FAILED);
		return;
	}
	manager->is_refused = false;
	manager->answered(manager->ofono, NULL);
	manager_add_all(manager, reply);
	manager->is_complete = true;
	ofono_bus_settled(manager->bus);
}

static void manager_get_modems(struct manager *manager)
{
	manager->call = ofono_bus_call(
		manager->bus, ofono_bus_message("/", MANAGER_INTERFACE, "GetModems"),
		OFONO_TIMEOUT_MS, manager_on_reply, manager);
	if (!manager->call)
		manager_retry_later(manager);
}

static int manager_on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	manager_get_modems(data);
	return 0;
}

int manager_init(struct manager *manager, struct ofono *ofono, struct ofono_bus *bus,
		 void (*answered)(struct ofono *ofono, const char *error))
{
	int r;

	memset(manager, 0, sizeof(*manager));
	manager->ofono = ofono;
	manager->bus = bus;
	manager->answered = answered;
	manager->pauses_ms = manager_pauses_ms;
	TAILQ_INIT(&manager->modems);
	r = sd_event_add_time_relative(bus_loop(bus->bus), &manager->retry,
				       CLOCK_MONOTONIC, 0, 1000, manager_on_retry,
				       manager);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(manager->retry, SD_EVENT_OFF);
}

void manager_deinit(struct manager *manager)
{
	struct modem *modem;

	bus_call_cancel(manager->call);
	sd_event_source_disable_unref(manager->retry);
	while ((modem = TAILQ_FIRST(&manager->modems))) {
		TAILQ_REMOVE(&manager->modems, modem, link);
		modem_interface_free_modem(modem);
	}
}

void manager_start(struct manager *manager)
{
	manager->attempts = 0;
	manager_get_modems(manager);
}

void manager_stop(struct manager *manager)
{
	struct modem *modem;

	bus_call_cancel(manager->call);
	manager->call = NULL;
	sd_event_source_set_enabled(manager->retry, SD_EVENT_OFF);
	manager->is_complete = false;
	manager->is_refused = false;
	manager->waits_to_be_asked = false;
	while ((modem = TAILQ_FIRST(&manager->modems)))
		manager_remove(manager, modem);
}

void manager_retry(struct manager *manager)
{
	if (!manager->waits_to_be_asked)
		return;
	manager->waits_to_be_asked = false;
	manager_get_modems(manager);
}

void manager_retry_now(struct manager *manager)
{
	if (!manager->is_refused || manager->call)
		return;
	manager->waits_to_be_asked = false;
	if (manager->attempts)
		manager->attempts--; /* this extra attempt does not use up a pause */
	sd_event_source_set_enabled(manager->retry, SD_EVENT_OFF);
	manager_get_modems(manager);
}

bool manager_may_be_allowed_soon(const struct manager *manager)
{
	return manager->is_refused &&
	       (manager->call ||
		clock_monotonic_ms() - manager->refused_ms < MANAGER_POLICY_WAIT_MS);
}

void manager_on_signal(struct manager *manager, DBusMessage *signal)
{
	DBusMessageIter arguments;
	struct modem *modem;
	const char *path;

	if (!manager->is_complete)
		return;
	dbus_message_iter_init(signal, &arguments);
	if (dbus_message_has_member(signal, "ModemAdded") &&
	    dbus_message_has_signature(signal, "oa{sv}")) {
		manager_add(manager, &arguments);
	} else if (dbus_message_has_member(signal, "ModemRemoved") &&
		   dbus_message_has_signature(signal, "o")) {
		dbus_message_iter_get_basic(&arguments, &path);
		modem = manager_find_exactly(manager, path);
		if (modem)
			manager_remove(manager, modem);
	}
}

static bool manager_is_at_or_below(const char *path, const char *base)
{
	size_t length = strlen(base);

	return strncmp(path, base, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

/* The path of one modem may be below that of another: the longest match counts. */
struct modem *manager_find(struct manager *manager, const char *path)
{
	struct modem *modem, *found = NULL;

	TAILQ_FOREACH (modem, &manager->modems, link) {
		if (!manager_is_at_or_below(path, modem->path))
			continue;
		if (!found || strlen(modem->path) > strlen(found->path))
			found = modem;
	}
	return found;
}
