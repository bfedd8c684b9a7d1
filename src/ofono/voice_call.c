/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.VoiceCallManager and org.ofono.VoiceCall: the modem's calls and its emergency
 * numbers. The gateway places calls and hangs up; it never answers one.
 *
 *   voice_call_dial(): GetCalls -> none -> Dial -> path of the call
 *                               -> some: not dialled
 *
 * No event reports a change of the emergency numbers: users read them each time. Calls from
 * before the gateway's start are not asked for; see voice_call_list().
 */
#include "ofono/modem_call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bus/property.h"
#include "ofono/modem_interface.h"

enum { VOICE_CALL_NUMBER_BYTES = 32 };

struct voice_call_dial {
	struct modem *modem;
	struct bus_call *call;
	int timeout_ms;
	char number[VOICE_CALL_NUMBER_BYTES];
	void (*done)(void *data, const struct voice_call_dial_result *result);
	void *data;
};

struct voice_call_listing {
	struct bus_call *call;
	void (*found)(void *data, const struct voice_call *call);
	void *data;
};

struct voice_call_facts {
	char state[16];
	char number[64];
};

static const struct property voice_call_properties[] = {
	PROPERTY("State", PROPERTY_STRING, struct voice_call_facts, state),
	PROPERTY("LineIdentification", PROPERTY_STRING, struct voice_call_facts, number),
};

/* ---- org.ofono.VoiceCall */

/* Returns NULL if the signal gives no reason. */
static const char *voice_call_disconnect_reason(DBusMessage *signal)
{
	static const char *const reasons[][2] = {
		{ "local", CALL_ENDED_HERE },
		{ "remote", CALL_ENDED_THERE },
		{ "network", CALL_ENDED_BY_NETWORK },
	};
	const char *reason;

	if (!dbus_message_has_member(signal, "DisconnectReason") ||
	    !dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &reason,
				   DBUS_TYPE_INVALID))
		return NULL;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (strcmp(reason, reasons[i][0]) == 0)
			return reasons[i][1];
	}
	return NULL;
}

static void voice_call_on_signal(struct modem *modem, DBusMessage *signal)
{
	struct voice_call_facts facts = { "", "" };
	struct ofono_event event = {
		.type = CALL_CHANGED,
		.modem = modem,
		.call = dbus_message_get_path(signal),
		.call_state = voice_call_disconnect_reason(signal),
	};

	if (!event.call_state) {
		if (!property_changed(voice_call_properties, 2, signal, &facts))
			return;
		if (facts.state[0])
			event.call_state = facts.state;
		else
			event.sender = facts.number;
	}
	ofono_bus_report(modem->bus, &event);
}

const struct modem_interface voice_call_interface = {
	.name = "org.ofono.VoiceCall",
	.is_below = true,
	.is_about_a_sim = true,
	.signal = voice_call_on_signal,
};

/* ---- org.ofono.VoiceCallManager */

static const struct property voice_call_manager_properties[] = {
	PROPERTY("EmergencyNumbers", PROPERTY_WORDS, struct modem, emergency_numbers),
};

static void voice_call_manager_read(struct modem *modem, DBusMessageIter *dictionary)
{
	if (dictionary)
		property_store_all(voice_call_manager_properties, 1, dictionary, modem);
}

static void voice_call_manager_appeared(struct modem *modem)
{
	ofono_bus_properties_get(&modem->data->calls, modem,
				 voice_call_manager_interface.name,
				 voice_call_manager_read);
}

static void voice_call_manager_vanished(struct modem *modem)
{
	ofono_bus_properties_stop(&modem->data->calls);
	memset(modem->emergency_numbers, 0, sizeof(modem->emergency_numbers));
}

static void voice_call_manager_on_added(struct modem *modem, DBusMessage *signal)
{
	struct voice_call_facts facts = { "", "" };
	struct ofono_event event = {
		.type = CALL_ADDED,
		.modem = modem,
		.call_state = facts.state,
		.sender = facts.number,
	};
	DBusMessageIter arguments;

	if (!dbus_message_has_signature(signal, "oa{sv}"))
		return;
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, &event.call);
	dbus_message_iter_next(&arguments);
	property_store_all(voice_call_properties, 2, &arguments, &facts);
	ofono_bus_report(modem->bus, &event);
}

static void voice_call_manager_on_signal(struct modem *modem, DBusMessage *signal)
{
	struct ofono_event removed = { .type = CALL_REMOVED, .modem = modem };

	if (dbus_message_has_member(signal, "CallAdded")) {
		voice_call_manager_on_added(modem, signal);
	} else if (dbus_message_has_member(signal, "CallRemoved")) {
		if (dbus_message_get_args(signal, NULL, DBUS_TYPE_OBJECT_PATH,
					  &removed.call, DBUS_TYPE_INVALID))
			ofono_bus_report(modem->bus, &removed);
	} else {
		property_changed(voice_call_manager_properties, 1, signal, modem);
	}
}

const struct modem_interface voice_call_manager_interface = {
	.name = "org.ofono.VoiceCallManager",
	.bit = MODEM_VOICE_CALL_MANAGER,
	.is_about_a_sim = true,
	.appeared = voice_call_manager_appeared,
	.vanished = voice_call_manager_vanished,
	.signal = voice_call_manager_on_signal,
};

/* ---- list */

static struct bus_call *voice_call_get_calls(struct modem *modem, bus_reply reply,
					     void *data)
{
	return ofono_bus_call(modem->bus,
			      ofono_bus_message(modem->path,
						voice_call_manager_interface.name,
						"GetCalls"),
			      OFONO_TIMEOUT_MS, reply, data);
}

static bool voice_call_is_listing(DBusMessage *reply)
{
	return dbus_message_has_signature(reply, "a(oa{sv})");
}

static void voice_call_listing_read(const struct voice_call_listing *listing,
				    DBusMessage *reply)
{
	DBusMessageIter array, element, entry;

	dbus_message_iter_init(reply, &array);
	dbus_message_iter_recurse(&array, &element);
	for (; dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRUCT;
	     dbus_message_iter_next(&element)) {
		struct voice_call_facts facts = { "", "" };
		struct voice_call call = { .state = facts.state, .number = facts.number };

		dbus_message_iter_recurse(&element, &entry);
		dbus_message_iter_get_basic(&entry, &call.path);
		dbus_message_iter_next(&entry);
		property_store_all(voice_call_properties, 2, &entry, &facts);
		listing->found(listing->data, &call);
	}
}

static void voice_call_listing_on_reply(void *data, DBusMessage *reply)
{
	struct voice_call_listing *listing = data;

	if (voice_call_is_listing(reply))
		voice_call_listing_read(listing, reply);
	else
		log_info("ofono: GetCalls failed");
	listing->found(listing->data, NULL);
	free(listing);
}

struct voice_call_listing *voice_call_list(struct modem *modem,
					   void (*found)(void *data,
							 const struct voice_call *call),
					   void *data)
{
	struct voice_call_listing *listing = malloc(sizeof(*listing));

	if (!listing)
		return NULL;
	*listing = (struct voice_call_listing){ .found = found, .data = data };
	listing->call = voice_call_get_calls(modem, voice_call_listing_on_reply, listing);
	if (listing->call)
		return listing;
	free(listing);
	return NULL;
}

void voice_call_listing_stop(struct voice_call_listing *listing)
{
	if (!listing)
		return;
	bus_call_cancel(listing->call);
	free(listing);
}

/* ---- dial and hang up */

static enum voice_call_dial_outcome voice_call_dial_error_outcome(const char *error)
{
	static const struct ofono_bus_outcome rows[] = {
		{ "org.ofono.Error.InProgress", DIAL_OTHER_CALL },
		{ "org.ofono.Error.Failed", DIAL_REFUSED },
		{ "org.ofono.Error.InvalidFormat", DIAL_REFUSED },
		{ "org.ofono.Error.InvalidArguments", DIAL_REFUSED },
		{ "org.ofono.Error.NotAllowed", DIAL_REFUSED },
		{ "org.ofono.Error.NotRegistered", DIAL_REFUSED },
		{ "org.ofono.Error.EmergencyActive", DIAL_REFUSED },
		{ "org.ofono.Error.NotAvailable", DIAL_NOT_SUPPORTED },
		{ "org.ofono.Error.NotImplemented", DIAL_NOT_SUPPORTED },
		{ "org.ofono.Error.NotSupported", DIAL_NOT_SUPPORTED },
		{ "org.ofono.Error.SimNotReady", DIAL_NOT_SUPPORTED },
		{ "org.ofono.Error.AccessDenied", DIAL_NOT_ALLOWED },
		{ DBUS_ERROR_ACCESS_DENIED, DIAL_NOT_ALLOWED },
		{ DBUS_ERROR_UNKNOWN_OBJECT, DIAL_NOT_SUPPORTED },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, DIAL_NOT_SUPPORTED },
		{ DBUS_ERROR_UNKNOWN_METHOD, DIAL_NOT_SUPPORTED },
		{ DBUS_ERROR_SERVICE_UNKNOWN, DIAL_NOT_SUBMITTED },
		{ DBUS_ERROR_NAME_HAS_NO_OWNER, DIAL_NOT_SUBMITTED },
		{ BUS_ERROR_NOT_SENT, DIAL_NOT_SUBMITTED },
		{ NULL, DIAL_UNKNOWN }, /* any other error: it may have been dialled */
	};

	return (enum voice_call_dial_outcome)ofono_bus_outcome(rows, error);
}

static void voice_call_dial_end(struct voice_call_dial *dial,
				enum voice_call_dial_outcome outcome, const char *path)
{
	dial->done(dial->data,
		   &(struct voice_call_dial_result){ .outcome = outcome, .path = path });
	free(dial);
}

static void voice_call_dial_on_dialled(void *data, DBusMessage *reply)
{
	const char *error = dbus_message_get_error_name(reply), *path;

	if (error)
		voice_call_dial_end(data, voice_call_dial_error_outcome(error), NULL);
	else if (dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path,
				       DBUS_TYPE_INVALID))
		voice_call_dial_end(data, DIAL_PLACED, path);
	else
		voice_call_dial_end(data, DIAL_UNKNOWN, NULL);
}

static void voice_call_dial_count(void *data, const struct voice_call *call)
{
	unsigned *count = data;

	++*count;
}

/* Nothing was dialled yet, so no failure here is DIAL_UNKNOWN. */
static void voice_call_dial_on_listed(void *data, DBusMessage *reply)
{
	struct voice_call_dial *dial = data;
	const char *error = dbus_message_get_error_name(reply);
	enum voice_call_dial_outcome outcome = DIAL_REFUSED;
	unsigned count = 0;

	if (!voice_call_is_listing(reply)) {
		if (error)
			outcome = voice_call_dial_error_outcome(error);
		if (outcome == DIAL_UNKNOWN)
			outcome = DIAL_NOT_SUBMITTED;
		voice_call_dial_end(dial, outcome, NULL);
		return;
	}
	voice_call_listing_read(
		&(struct voice_call_listing){ .found = voice_call_dial_count,
					      .data = &count },
		reply);
	if (count) {
		voice_call_dial_end(dial, DIAL_OTHER_CALL, NULL);
		return;
	}
	/* The second argument is hide_callerid: "" leaves that to the network. */
	dial->call = ofono_bus_call(
		dial->modem->bus,
		ofono_bus_message_with(dial->modem->path,
				       voice_call_manager_interface.name, "Dial",
				       (const char *const[]){ dial->number, "", NULL }),
		dial->timeout_ms, voice_call_dial_on_dialled, dial);
	if (!dial->call)
		voice_call_dial_end(dial, DIAL_NOT_SUBMITTED, NULL);
}

struct voice_call_dial *voice_call_dial(
	struct modem *modem, const char *number, int timeout_ms,
	void (*done)(void *data, const struct voice_call_dial_result *result), void *data)
{
	struct voice_call_dial *dial = calloc(1, sizeof(*dial));

	if (!dial)
		return NULL;
	assert(strlen(number) < sizeof(dial->number) &&
	       !number[strspn(number, "+0123456789")]);
	dial->modem = modem;
	dial->timeout_ms = timeout_ms;
	dial->done = done;
	dial->data = data;
	strcpy(dial->number, number);
	dial->call = voice_call_get_calls(modem, voice_call_dial_on_listed, dial);
	if (dial->call)
		return dial;
	free(dial);
	return NULL;
}

void voice_call_dial_stop(struct voice_call_dial *dial)
{
	if (!dial)
		return;
	bus_call_cancel(dial->call);
	free(dial);
}

static void voice_call_on_hung_up(void *data, DBusMessage *reply)
{
	const char *error = dbus_message_get_error_name(reply);

	if (error)
		log_info("ofono: cannot hang up a call: %s", error);
}

void voice_call_hang_up(struct modem *modem, const char *path)
{
	DBusMessage *message =
		ofono_bus_message(path, voice_call_interface.name, "Hangup");

	if (!ofono_bus_call(modem->bus, message, OFONO_TIMEOUT_MS, voice_call_on_hung_up,
			    NULL))
		log_error("ofono: cannot hang up a call: out of memory");
}
