/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus connected ---> GetNameOwner ---> owner known ---> GetModems ---> available
 *
 * The bus handles what we send in order: the answer to GetNameOwner proves that the match
 * rules, which went before it, are in force.
 *
 * Every step back (bus lost, owner changed) starts anew from there. Answers and signals
 * come over one connection, so what arrives later is newer, and the last word counts.
 */
#include "ofono/ofono.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "ofono/interface.h"
#include "ofono/manager.h"
#include "ofono/modem_manager.h"
#include "ofono/modem_signals.h"
#include "ofono/phonebook.h"
#include "ofono/report_switch.h"

#define MATCH(interface) "type='signal',sender='" OFONO_NAME "',interface='" interface "'"

static const char *const match_rules[] = {
	"type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
	"',member='NameOwnerChanged',arg0='" OFONO_NAME "'",
	MATCH("org.ofono.Manager"),
	MATCH("org.ofono.Modem"),
	MATCH("org.ofono.SimManager"),
	MATCH("org.ofono.MessageManager"),
	MATCH("org.ofono.Message"),
	MATCH("org.ofono.NetworkRegistration"),
	MATCH("org.ofono.SmsHistory"),
	MATCH("org.ofono.VoiceCallManager"),
	MATCH("org.ofono.SupplementaryServices"),
	MATCH("org.ofono.VoiceCall"),
	MATCH("org.ofono.MessageWaiting"),
	MATCH("org.ofono.CellBroadcast"),
	MATCH("org.nemomobile.ofono.SimInfo"),
	MATCH(MODEM_MANAGER_INTERFACE),
	NULL,
};

struct ofono {
	struct bus *bus;
	struct observers observers;
	struct manager manager;
	struct modem_manager modem_manager;
	struct modem_signals signals;
	struct bus_call *owner_call; /* GetNameOwner */
	char owner[256];	     /* unique name, "": none */
	bool bus_known;		     /* or that there is none */
	bool manager_answered;	     /* well or not, since the owner came */
	bool available;
	bool has_network_time; /* a modem of this run of ofonod showed it */
	bool wants_delivery_reports;
	bool wants_phonebooks;
	char user[64];
	char condition[256];
};

struct bus *ofono_bus(struct ofono *ofono)
{
	return ofono->bus;
}

bool ofono_wants_delivery_reports(const struct ofono *ofono)
{
	return ofono->wants_delivery_reports;
}

bool ofono_wants_phonebooks(const struct ofono *ofono)
{
	return ofono->wants_phonebooks;
}

void ofono_tell(struct ofono *ofono, const struct ofono_event *event)
{
	observers_notify(&ofono->observers, event);
}

DBusMessage *ofono_message(const char *path, const char *interface, const char *method)
{
	DBusMessage *message =
		dbus_message_new_method_call(OFONO_NAME, path, interface, method);

	if (message)
		dbus_message_set_auto_start(message, FALSE);
	return message;
}

__attribute__((format(printf, 2, 3))) static void set_condition(struct ofono *ofono,
								const char *format, ...)
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
	ofono_tell(ofono, &event);
}

static void on_manager_answered(struct ofono *ofono, const char *error)
{
	struct ofono_event event = { .type = OFONO_AVAILABLE };

	ofono->manager_answered = true;
	if (!error) {
		ofono->available = true;
		set_condition(ofono, "oFono answers");
		ofono_tell(ofono, &event);
		modem_manager_start(&ofono->modem_manager);
	} else if (manager_is_refusal(error)) {
		set_condition(ofono,
			      "the bus refuses: it has not read a D-Bus policy yet that "
			      "lets user %s talk to " OFONO_NAME,
			      ofono->user);
	} else {
		set_condition(ofono, "oFono does not answer yet");
	}
}

void ofono_note_interfaces(struct ofono *ofono, uint32_t interfaces)
{
	ofono->has_network_time |= (interfaces & MODEM_NETWORK_TIME) != 0;
}

void ofono_tell_waiting(struct ofono *ofono)
{
	modem_signals_end_waiting(&ofono->signals);
}

void ofono_settled(struct ofono *ofono)
{
	modem_signals_go_on(&ofono->signals);
}

static void drop_owner(struct ofono *ofono)
{
	struct ofono_event event = { .type = OFONO_UNAVAILABLE };
	bool was_available = ofono->available;

	if (!ofono->owner[0])
		return;
	ofono_tell_waiting(ofono);
	ofono->available = false;
	ofono->has_network_time = false;
	ofono->owner[0] = '\0';
	manager_stop(&ofono->manager);
	modem_manager_stop(&ofono->modem_manager);
	if (was_available)
		ofono_tell(ofono, &event);
}

/* `owner` is a unique name, or "". */
static void set_owner(struct ofono *ofono, const char *owner)
{
	if (strcmp(ofono->owner, owner) != 0)
		drop_owner(ofono);
	else if (owner[0])
		return;
	if (!owner[0] || strlen(owner) >= sizeof(ofono->owner)) {
		modem_signals_clear(&ofono->signals);
		set_condition(ofono, "oFono is not running");
		return;
	}
	set_condition(ofono, "oFono does not answer yet");
	strcpy(ofono->owner, owner);
	ofono->manager_answered = false;
	manager_start(&ofono->manager);
}

static void tell_bus_known(struct ofono *ofono)
{
	struct ofono_event event = { .type = OFONO_BUS_KNOWN };

	ofono->bus_known = true;
	ofono_tell(ofono, &event);
}

static void on_owner(void *data, DBusMessage *reply)
{
	struct ofono *ofono = data;
	const char *owner = "";

	ofono->owner_call = NULL;
	if (!dbus_message_is_error(reply, DBUS_ERROR_NAME_HAS_NO_OWNER) &&
	    !dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &owner,
				   DBUS_TYPE_INVALID))
		log_warning("ofono: the bus does not tell who owns " OFONO_NAME);
	set_owner(ofono, owner);
	tell_bus_known(ofono);
}

static void on_owner_changed(struct ofono *ofono, DBusMessage *signal)
{
	const char *name, *before, *owner;

	if (dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING,
				  &before, DBUS_TYPE_STRING, &owner, DBUS_TYPE_INVALID) &&
	    strcmp(name, OFONO_NAME) == 0)
		set_owner(ofono, owner);
}

static void on_connected(void *data)
{
	struct ofono *ofono = data;
	const char *name = OFONO_NAME;
	DBusMessage *message = dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetNameOwner");

	set_condition(ofono, "oFono does not answer yet");
	if (message &&
	    dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
		ofono->owner_call = bus_call(ofono->bus, dbus_message_ref(message), 0,
					     on_owner, ofono);
	if (message)
		dbus_message_unref(message);
	if (!ofono->owner_call)
		log_error("ofono: out of memory");
}

#define NO_BUS "no D-Bus system bus at %s"

/* Nothing was tried yet, so nothing is logged. */
static void begin_without_bus(struct ofono *ofono)
{
	snprintf(ofono->condition, sizeof(ofono->condition), NO_BUS,
		 bus_address(ofono->bus));
}

static void on_disconnected(void *data)
{
	struct ofono *ofono = data;

	bus_call_cancel(ofono->owner_call);
	ofono->owner_call = NULL;
	drop_owner(ofono);
	modem_signals_clear(&ofono->signals);
	set_condition(ofono, NO_BUS, bus_address(ofono->bus));
	tell_bus_known(ofono);
}

static void on_unreachable(void *data)
{
	tell_bus_known(data);
}

static void on_ofono_signal(struct ofono *ofono, DBusMessage *signal)
{
	const char *name = dbus_message_get_interface(signal);
	bool is_believed = modem_signals_believe(&ofono->signals, signal);

	/* Who the owner is may be under way: then those of modems may wait for it. */
	if (!is_believed && !ofono->owner_call)
		return;
	if (modem_signals_hear(&ofono->signals, signal) || !is_believed)
		return;
	if (strcmp(name, "org.ofono.Manager") == 0) {
		if (dbus_message_has_member(signal, "ModemRemoved"))
			modem_signals_hurry(&ofono->signals);
		manager_signal(&ofono->manager, signal);
	} else if (strcmp(name, MODEM_MANAGER_INTERFACE) == 0) {
		modem_manager_signal(&ofono->modem_manager, signal);
	}
}

static void on_signal(void *data, DBusMessage *signal)
{
	struct ofono *ofono = data;

	if (dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameOwnerChanged") &&
	    dbus_message_has_sender(signal, DBUS_SERVICE_DBUS))
		on_owner_changed(ofono, signal);
	else
		on_ofono_signal(ofono, signal);
}

static const struct bus_handlers handlers = {
	.connected = on_connected,
	.disconnected = on_disconnected,
	.unreachable = on_unreachable,
	.signal = on_signal,
};

/* At start, because a lookup may block. */
static void find_user(struct ofono *ofono)
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
	r = modem_signals_init(&ofono->signals, loop, ofono, &ofono->manager,
			       ofono->owner);
	ofono->signals.modem_manager = &ofono->modem_manager;
	if (r < 0) {
		free(ofono);
		return r;
	}
	observers_init(&ofono->observers);
	modem_manager_init(&ofono->modem_manager, ofono);
	find_user(ofono);
	r = bus_new(loop, address, match_rules, &handlers, ofono, &ofono->bus);
	if (r < 0) {
		modem_signals_deinit(&ofono->signals);
		free(ofono);
		return r;
	}
	begin_without_bus(ofono);
	r = manager_init(&ofono->manager, ofono, on_manager_answered);
	if (r < 0) {
		ofono_free(ofono);
		return r;
	}
	*ofono_out = ofono;
	return 0;
}

void ofono_free(struct ofono *ofono)
{
	if (!ofono)
		return;
	manager_deinit(&ofono->manager);
	modem_manager_stop(&ofono->modem_manager);
	bus_call_cancel(ofono->owner_call);
	modem_signals_deinit(&ofono->signals);
	bus_free(ofono->bus);
	observers_deinit(&ofono->observers);
	free(ofono);
}

void ofono_use_delivery_reports(struct ofono *ofono)
{
	struct modem *modem;

	ofono->wants_delivery_reports = true;
	TAILQ_FOREACH (modem, &ofono->manager.modems, link) {
		if (modem->interfaces & MODEM_MESSAGE_MANAGER)
			report_switch_on(modem);
	}
}

void ofono_use_phonebooks(struct ofono *ofono, bool use)
{
	struct modem *modem;

	ofono->wants_phonebooks = use;
	TAILQ_FOREACH (modem, &ofono->manager.modems, link) {
		if (!use)
			phonebook_stop(modem);
		else if (modem->interfaces & MODEM_PHONEBOOK)
			phonebook_read(modem);
	}
}

struct observers *ofono_observers(struct ofono *ofono)
{
	return &ofono->observers;
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
	return bus_calls_sent(ofono->bus);
}

bool ofono_has_bus(const struct ofono *ofono)
{
	return bus_is_connected(ofono->bus);
}

bool ofono_is_settled(const struct ofono *ofono)
{
	const struct modem *modem;

	if (!ofono->bus_known)
		return false;
	if (!ofono->owner[0])
		return true;
	TAILQ_FOREACH (modem, &ofono->manager.modems, link) {
		if (modem_is_asking(modem))
			return false;
	}
	return ofono->manager_answered && !modem_manager_is_asking(&ofono->modem_manager);
}

const char *ofono_condition(const struct ofono *ofono)
{
	return ofono->condition;
}

void ofono_ask_again(struct ofono *ofono)
{
	manager_ask_again(&ofono->manager);
}

bool ofono_may_be_let_in(const struct ofono *ofono)
{
	return manager_may_be_let_in(&ofono->manager);
}

void ofono_ask_now(struct ofono *ofono)
{
	manager_ask_now(&ofono->manager);
}

bool ofono_is_refused(const struct ofono *ofono)
{
	return ofono->manager.is_refused;
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
	if (ofono->modem_manager.is_there || ofono->has_network_time)
		return OFONO_LINE_FORK;
	return ofono->modem_manager.is_absent ? OFONO_LINE_UPSTREAM : OFONO_LINE_UNKNOWN;
}

bool ofono_sends_emoji(const struct ofono *ofono)
{
	return ofono_line(ofono) == OFONO_LINE_FORK;
}
