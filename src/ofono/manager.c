/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/manager.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "ofono/interface.h"
#include "ofono/oddity.h"

#define MANAGER_INTERFACE "org.ofono.Manager"

static void tell(struct modem *modem, enum ofono_event_type type)
{
	struct ofono_event event = { .type = type, .modem = modem };

	ofono_tell(modem->ofono, &event);
}

static void remove_modem(struct manager *manager, struct modem *modem)
{
	log_info("ofono: modem %s: gone", modem->path);
	TAILQ_REMOVE(&manager->modems, modem, link);
	manager->count--;
	tell(modem, MODEM_REMOVED);
	modem_free(modem);
}

static struct modem *find_exactly(struct manager *manager, const char *path)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, &manager->modems, link) {
		if (strcmp(modem->path, path) == 0)
			return modem;
	}
	return NULL;
}

static void insert_sorted(struct manager *manager, struct modem *modem)
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

static struct modem *new_modem(struct manager *manager, const char *path)
{
	struct modem *modem = NULL;

	if (manager->count >= MANAGER_MODEMS_MAX) {
		oddity_log(ODDITY_MODEM, "modem %s: ignored, more than %d modems", path,
			   MANAGER_MODEMS_MAX);
	} else if (strlen(path) >= sizeof(modem->path)) {
		oddity_log(ODDITY_MODEM, "modem %s: ignored, its path is too long", path);
	} else {
		modem = modem_new(manager->ofono, path);
		if (!modem)
			log_error("ofono: modem %s: out of memory", path);
	}
	return modem;
}

/* The iterator stands on the o of o, a{sv}. */
static void add_modem(struct manager *manager, DBusMessageIter *arguments)
{
	const char *path;
	struct modem *modem;

	dbus_message_iter_get_basic(arguments, &path);
	dbus_message_iter_next(arguments);
	modem = find_exactly(manager, path);
	if (modem) {
		if (modem_store(modem, arguments))
			modem_changed(modem);
		return;
	}
	modem = new_modem(manager, path);
	if (!modem)
		return;
	modem_store(modem, arguments);
	insert_sorted(manager, modem);
	log_info("ofono: modem %s: here", path);
	tell(modem, MODEM_ADDED);
}

static void add_all(struct manager *manager, DBusMessage *reply)
{
	DBusMessageIter array, element;

	dbus_message_iter_init(reply, &array);
	dbus_message_iter_recurse(&array, &element);
	while (dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRUCT) {
		DBusMessageIter arguments;

		dbus_message_iter_recurse(&element, &arguments);
		add_modem(manager, &arguments);
		dbus_message_iter_next(&element);
	}
}

static void try_later(struct manager *manager)
{
	unsigned int last = MANAGER_PAUSES - 1;
	unsigned int at = manager->attempts < last ? manager->attempts : last;

	if (manager->attempts < MANAGER_PAUSES)
		manager->attempts++;
	sd_event_source_set_time_relative(manager->retry,
					  manager_pauses_ms[at] * UINT64_C(1000));
	sd_event_source_set_enabled(manager->retry, SD_EVENT_ONESHOT);
}

bool manager_is_refusal(const char *error)
{
	return strcmp(error, DBUS_ERROR_ACCESS_DENIED) == 0 ||
	       strcmp(error, "org.ofono.Error.AccessDenied") == 0;
}

static void on_failure(struct manager *manager, const char *error)
{
	if (manager->attempts == 0) /* ofono_condition() tells the rest */
		log_warning("ofono: GetModems: %s", error);
	if (!manager->is_refused)
		manager->refused_ms = clock_monotonic_ms();
	manager->is_refused = manager_is_refusal(error);
	manager->has_given_up =
		manager->is_refused && manager->attempts == MANAGER_PAUSES;
	if (!manager->has_given_up)
		try_later(manager);
	manager->answered(manager->ofono, error);
}

static void on_modems(void *data, DBusMessage *reply)
{
	struct manager *manager = data;
	const char *error = dbus_message_get_error_name(reply);

	manager->call = NULL;
	if (!dbus_message_has_signature(reply, "a(oa{sv})")) {
		on_failure(manager, error ? error : DBUS_ERROR_FAILED);
		return;
	}
	manager->is_refused = false;
	manager->answered(manager->ofono, NULL);
	add_all(manager, reply);
	manager->is_complete = true;
	ofono_settled(manager->ofono);
}

static void ask(struct manager *manager)
{
	DBusMessage *message = ofono_message("/", MANAGER_INTERFACE, "GetModems");

	if (message)
		manager->call = bus_call(ofono_bus(manager->ofono), message,
					 OFONO_TIMEOUT_MS, on_modems, manager);
	if (!manager->call)
		try_later(manager);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	ask(data);
	return 0;
}

int manager_init(struct manager *manager, struct ofono *ofono,
		 void (*answered)(struct ofono *ofono, const char *error))
{
	int r;

	memset(manager, 0, sizeof(*manager));
	manager->ofono = ofono;
	manager->answered = answered;
	TAILQ_INIT(&manager->modems);
	r = sd_event_add_time_relative(bus_loop(ofono_bus(ofono)), &manager->retry,
				       CLOCK_MONOTONIC, 0, 1000, on_retry, manager);
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
		modem_free(modem);
	}
}

void manager_start(struct manager *manager)
{
	manager->attempts = 0;
	ask(manager);
}

void manager_ask_again(struct manager *manager)
{
	if (!manager->has_given_up)
		return;
	manager->has_given_up = false;
	ask(manager);
}

void manager_ask_now(struct manager *manager)
{
	if (!manager->is_refused || manager->call)
		return;
	manager->has_given_up = false;
	if (manager->attempts)
		manager->attempts--; /* what was asked for besides does not count */
	sd_event_source_set_enabled(manager->retry, SD_EVENT_OFF);
	ask(manager);
}

bool manager_may_be_let_in(const struct manager *manager)
{
	return manager->is_refused &&
	       (manager->call ||
		clock_monotonic_ms() - manager->refused_ms < MANAGER_EARLY_MS);
}

void manager_stop(struct manager *manager)
{
	struct modem *modem;

	bus_call_cancel(manager->call);
	manager->call = NULL;
	sd_event_source_set_enabled(manager->retry, SD_EVENT_OFF);
	manager->is_complete = false;
	manager->is_refused = false;
	manager->has_given_up = false;
	while ((modem = TAILQ_FIRST(&manager->modems)))
		remove_modem(manager, modem);
}

void manager_signal(struct manager *manager, DBusMessage *signal)
{
	DBusMessageIter arguments;
	struct modem *modem;
	const char *path;

	if (!manager->is_complete)
		return;
	dbus_message_iter_init(signal, &arguments);
	if (dbus_message_has_member(signal, "ModemAdded") &&
	    dbus_message_has_signature(signal, "oa{sv}")) {
		add_modem(manager, &arguments);
	} else if (dbus_message_has_member(signal, "ModemRemoved") &&
		   dbus_message_has_signature(signal, "o")) {
		dbus_message_iter_get_basic(&arguments, &path);
		modem = find_exactly(manager, path);
		if (modem)
			remove_modem(manager, modem);
	}
}

static bool is_at_or_below(const char *path, const char *base)
{
	size_t length = strlen(base);

	return strncmp(path, base, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

/* One modem's path may stand below another's: the longest one is meant. */
struct modem *manager_find(struct manager *manager, const char *path)
{
	struct modem *modem, *found = NULL;

	TAILQ_FOREACH (modem, &manager->modems, link) {
		if (!is_at_or_below(path, modem->path))
			continue;
		if (!found || strlen(modem->path) > strlen(found->path))
			found = modem;
	}
	return found;
}
