/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus connected ---> GetNameOwner ---> owner known ---> GetModems ---> available
 *
 * The bus handles calls in order: the answer to GetNameOwner proves that the match rules,
 * which were sent before it, are in force.
 *
 * After every step back (bus lost, owner changed) this starts again. Answers and signals share
 * one connection, so a later one is newer.
 */
#include "ofono/ofono.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "ofono/manager.h"
#include "ofono/modem_interface.h"

#define OFONO_MATCH(interface) \
	"type='signal',sender='" OFONO_NAME "',interface='" interface "'"

static const char *const ofono_match_rules[] = {
	"type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
	"',member='NameOwnerChanged',arg0='" OFONO_NAME "'",
	OFONO_MATCH("org.ofono.Manager"),
	OFONO_MATCH("org.ofono.Modem"),
	OFONO_MATCH("org.ofono.SimManager"),
	OFONO_MATCH("org.ofono.MessageManager"),
	OFONO_MATCH("org.ofono.Message"),
	OFONO_MATCH("org.ofono.NetworkRegistration"),
	OFONO_MATCH("org.ofono.SmsHistory"),
	OFONO_MATCH("org.ofono.VoiceCallManager"),
	OFONO_MATCH("org.ofono.SupplementaryServices"),
	OFONO_MATCH("org.ofono.VoiceCall"),
	OFONO_MATCH("org.ofono.MessageWaiting"),
	OFONO_MATCH("org.ofono.CellBroadcast"),
	OFONO_MATCH("org.nemomobile.ofono.SimInfo"),
	OFONO_MATCH(MODEM_MANAGER_INTERFACE),
	NULL,
};

struct ofono {
	struct ofono_bus bus;
	struct manager manager;
	struct modem_manager modem_manager;
	struct pending_signals pending;
	struct bus_call *owner_call; /* GetNameOwner */
	char owner[256];	     /* unique name; "" if there is none */
	bool bus_known;		     /* see OFONO_BUS_KNOWN */
	bool manager_answered; /* GetModems was answered or failed since the owner came */
	bool available;
	char user[64];
	char condition[256];
};

__attribute__((format(printf, 2, 3))) static void ofono_set_condition(struct ofono *ofono,
								      const char *format,
								      ...)
{
	struct ofono_event event = { .type = OFONO_CONDITION };
	char before[sizeof(ofono->condition)];
	va_list arguments;

	memcpy(before, ofono->condition, sizeof(before));
	va_start(arguments, format);
	vsnprintf(ofono->condition, sizeof(ofono->condition), format, arguments);
	va_end(arguments);
	if (strcmp(before, ofono->condition) == 0)
		return;
	log_info("ofono: %s", ofono->condition);
	ofono_bus_report(&ofono->bus, &event);
}

static void ofono_on_manager_answered(struct ofono *ofono, const char *error)
{
	struct ofono_event event = { .type = OFONO_AVAILABLE };

	ofono->manager_answered = true;
	if (!error) {
		ofono->available = true;
		ofono_set_condition(ofono, "oFono answers");
		ofono_bus_report(&ofono->bus, &event);
		modem_manager_start(&ofono->modem_manager);
	} else if (manager_is_refusal(error)) {
		ofono_set_condition(ofono,
				    "the bus refuses: it has not read a D-Bus policy yet "
				    "that lets user %s talk to " OFONO_NAME,
				    ofono->user);
	} else {
		ofono_set_condition(ofono, "oFono does not answer yet");
	}
}

static void ofono_drop_owner(struct ofono *ofono)
{
	struct ofono_event event = { .type = OFONO_UNAVAILABLE };
	bool was_available = ofono->available;

	if (!ofono->owner[0])
		return;
	pending_signals_flush(&ofono->pending);
	ofono->available = false;
	ofono->bus.has_network_time = false;
	ofono->owner[0] = '\0';
	manager_stop(&ofono->manager);
	modem_manager_stop(&ofono->modem_manager);
	if (was_available)
		ofono_bus_report(&ofono->bus, &event);
}

/* `owner` is a unique name, or "". */
static void ofono_set_owner(struct ofono *ofono, const char *owner)
{
	if (strcmp(ofono->owner, owner) != 0)
		ofono_drop_owner(ofono);
	else if (owner[0])
		return;
	if (!owner[0] || strlen(owner) >= sizeof(ofono->owner)) {
		pending_signals_drop(&ofono->pending);
		ofono_set_condition(ofono, "oFono is not running");
		return;
	}
	ofono_set_condition(ofono, "oFono does not answer yet");
	strcpy(ofono->owner, owner);
	ofono->manager_answered = false;
	manager_start(&ofono->manager);
}

static void ofono_report_bus_known(struct ofono *ofono)
{
	struct ofono_event event = { .type = OFONO_BUS_KNOWN };

	ofono->bus_known = true;
	ofono_bus_report(&ofono->bus, &event);
}

static void ofono_on_owner_reply(void *data, DBusMessage *reply)
{
	struct ofono *ofono = data;
	const char *owner = "";

	ofono->owner_call = NULL;
	if (!dbus_message_is_error(reply, DBUS_ERROR_NAME_HAS_NO_OWNER) &&
	    !dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &owner,
				   DBUS_TYPE_INVALID))
		log_warning("ofono: the bus does not say who owns " OFONO_NAME);
	ofono_set_owner(ofono, owner);
	ofono_report_bus_known(ofono);
}

static void ofono_on_connected(void *data)
{
	struct ofono *ofono = data;
	const char *name = OFONO_NAME;
	DBusMessage *message = dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetNameOwner");

	ofono_set_condition(ofono, "oFono does not answer yet");
	if (message &&
	    dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
		ofono->owner_call = ofono_bus_call(&ofono->bus, dbus_message_ref(message),
						   0, ofono_on_owner_reply, ofono);
	if (message)
		dbus_message_unref(message);
	if (!ofono->owner_call)
		log_error("ofono: out of memory");
}

#define OFONO_NO_BUS "no D-Bus system bus at %s"

static void ofono_on_disconnected(void *data)
{
	struct ofono *ofono = data;

	bus_call_cancel(ofono->owner_call);
	ofono->owner_call = NULL;
	ofono_drop_owner(ofono);
	pending_signals_drop(&ofono->pending);
	ofono_set_condition(ofono, OFONO_NO_BUS, bus_address(ofono->bus.bus));
	ofono_report_bus_known(ofono);
}

static void ofono_on_unreachable(void *data)
{
	ofono_report_bus_known(data);
}

static void ofono_on_owner_changed(struct ofono *ofono, DBusMessage *signal)
{
	const char *name, *before, *owner;

	if (dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING,
				  &before, DBUS_TYPE_STRING, &owner, DBUS_TYPE_INVALID) &&
	    strcmp(name, OFONO_NAME) == 0)
		ofono_set_owner(ofono, owner);
}

static void ofono_on_ofono_signal(struct ofono *ofono, DBusMessage *signal)
{
	const char *name = dbus_message_get_interface(signal);
	bool is_from_owner = pending_signals_is_from_owner(&ofono->pending, signal);

	/* Until GetNameOwner is answered, signals about messages may wait for the owner. */
	if (!is_from_owner && !ofono->owner_call)
		return;
	if (pending_signals_accept(&ofono->pending, signal) || !is_from_owner)
		return;
	if (strcmp(name, "org.ofono.Manager") == 0) {
		if (dbus_message_has_member(signal, "ModemRemoved"))
			pending_signals_flush_listed(&ofono->pending);
		manager_on_signal(&ofono->manager, signal);
	} else if (strcmp(name, MODEM_MANAGER_INTERFACE) == 0) {
		modem_manager_on_signal(&ofono->modem_manager, signal);
	}
}

static void ofono_on_signal(void *data, DBusMessage *signal)
{
	struct ofono *ofono = data;

	if (dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameOwnerChanged") &&
	    dbus_message_has_sender(signal, DBUS_SERVICE_DBUS))
		ofono_on_owner_changed(ofono, signal);
	else
		ofono_on_ofono_signal(ofono, signal);
}

static const struct bus_handlers ofono_handlers = {
	.connected = ofono_on_connected,
	.disconnected = ofono_on_disconnected,
	.unreachable = ofono_on_unreachable,
	.signal = ofono_on_signal,
};

/* Finds the user for the condition, at the start because a lookup may block. */
static void ofono_find_user(struct ofono *ofono)
{
	const struct passwd *user = getpwuid(geteuid());

	if (user)
		snprintf(ofono->user, sizeof(ofono->user), "%s", user->pw_name);
	else
		snprintf(ofono->user, sizeof(ofono->user), "%u", (unsigned int)geteuid());
}

int ofono_new(sd_event *loop, const char *address, struct ofono **ofono_out)
{
	struct ofono *ofono = calloc(1, sizeof(*ofono));
	int r;

	if (!ofono)
		return -ENOMEM;
	ofono->pending.manager = &ofono->manager;
	ofono->pending.modem_manager = &ofono->modem_manager;
	ofono->pending.bus = &ofono->bus;
	ofono->pending.owner = ofono->owner;
	r = pending_signals_init(&ofono->pending, loop, ofono);
	if (r < 0) {
		free(ofono);
		return r;
	}
	observers_init(&ofono->bus.observers);
	modem_manager_init(&ofono->modem_manager, &ofono->bus);
	ofono_find_user(ofono);
	r = bus_new(loop, address, ofono_match_rules, &ofono_handlers, ofono,
		    &ofono->bus.bus);
	if (r < 0) {
		pending_signals_deinit(&ofono->pending);
		free(ofono);
		return r;
	}
	/* Not ofono_set_condition(): no connection was tried yet, so nothing is logged. */
	snprintf(ofono->condition, sizeof(ofono->condition), OFONO_NO_BUS,
		 bus_address(ofono->bus.bus));
	r = manager_init(&ofono->manager, ofono, &ofono->bus, ofono_on_manager_answered);
	if (r < 0) {
		ofono_free(ofono);
		return r;
	}
	*ofono_out = ofono;
	return 0;
}

int ofono_open(const struct ofono_parts *parts, struct ofono **ofono_out)
{
	return ofono_new(parts->loop, NULL, ofono_out);
}

void ofono_free(struct ofono *ofono)
{
	if (!ofono)
		return;
	manager_deinit(&ofono->manager);
	modem_manager_stop(&ofono->modem_manager);
	bus_call_cancel(ofono->owner_call);
	pending_signals_deinit(&ofono->pending);
	bus_free(ofono->bus.bus);
	observers_deinit(&ofono->bus.observers);
	free(ofono);
}

void ofono_use_delivery_reports(struct ofono *ofono)
{
	struct modem *modem;

	ofono->bus.wants_delivery_reports = true;
	TAILQ_FOREACH (modem, &ofono->manager.modems, link) {
		if (modem->interfaces & MODEM_MESSAGE_MANAGER)
			message_manager_use_reports(modem);
	}
}

void ofono_use_phonebooks(struct ofono *ofono, bool use)
{
	struct modem *modem;

	ofono->bus.wants_phonebooks = use;
	TAILQ_FOREACH (modem, &ofono->manager.modems, link) {
		if (!use)
			phonebook_stop(modem);
		else if (modem->interfaces & MODEM_PHONEBOOK)
			phonebook_read(modem);
	}
}

void ofono_flush_pending(struct ofono *ofono)
{
	pending_signals_flush(&ofono->pending);
}

struct observers *ofono_observers(struct ofono *ofono)
{
	return &ofono->bus.observers;
}

bool ofono_is_available(const struct ofono *ofono)
{
	return ofono->available;
}

const char *ofono_owner(const struct ofono *ofono)
{
	return ofono->owner;
}

uint64_t ofono_calls_sent(const struct ofono *ofono)
{
	return bus_calls_sent(ofono->bus.bus);
}

bool ofono_has_bus(const struct ofono *ofono)
{
	return bus_is_connected(ofono->bus.bus);
}

bool ofono_is_settled(const struct ofono *ofono)
{
	const struct modem *modem;

	if (!ofono->bus_known)
		return false;
	if (!ofono->owner[0])
		return true;
	TAILQ_FOREACH (modem, &ofono->manager.modems, link) {
		if (modem_interface_is_busy(modem))
			return false;
	}
	return ofono->manager_answered && !modem_manager_is_asking(&ofono->modem_manager);
}

const char *ofono_condition(const struct ofono *ofono)
{
	return ofono->condition;
}

void ofono_retry(struct ofono *ofono)
{
	manager_retry(&ofono->manager);
}

bool ofono_may_be_allowed_soon(const struct ofono *ofono)
{
	return manager_may_be_allowed_soon(&ofono->manager);
}

void ofono_retry_now(struct ofono *ofono)
{
	manager_retry_now(&ofono->manager);
}

bool ofono_is_refused(const struct ofono *ofono)
{
	return ofono->manager.is_refused;
}

void ofono_set_retry_pauses(struct ofono *ofono,
			    const unsigned int pauses_ms[MANAGER_PAUSES])
{
	ofono->manager.pauses_ms = pauses_ms;
}

const struct modem_list *ofono_modems(const struct ofono *ofono)
{
	return &ofono->manager.modems;
}

const struct modem *ofono_default_modem(const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, &ofono->manager.modems, link) {
		if (strcmp(modem->path, ofono->modem_manager.default_path) == 0)
			return modem;
	}
	return NULL;
}

bool ofono_is_complete(const struct ofono *ofono)
{
	return !ofono->modem_manager.is_unready;
}

enum ofono_line ofono_line(const struct ofono *ofono)
{
	if (ofono->modem_manager.is_there || ofono->bus.has_network_time)
		return OFONO_LINE_FORK;
	return ofono->modem_manager.is_absent ? OFONO_LINE_UPSTREAM : OFONO_LINE_UNKNOWN;
}

bool ofono_sends_emoji(const struct ofono *ofono)
{
	return ofono_line(ofono) == OFONO_LINE_FORK;
}

bool ofono_sends_again_safely(const struct ofono *ofono)
{
	return false;
}
