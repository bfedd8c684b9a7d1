/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   GetCalls -> none -> Dial -> its path
 *            -> some: nothing is dialled
 */
#include "ofono/voice_dial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bus/property.h"
#include "ofono/interface.h"

enum { NUMBER_BYTES = 32 };

struct voice_dial {
	struct modem *modem;
	struct bus_call *call;
	int limit_ms;
	char number[NUMBER_BYTES];
	void (*done)(void *data, const struct dial_result *result);
	void *data;
};

struct voice_listing {
	struct bus_call *call;
	void (*found)(void *data, const struct voice_call *call);
	void *data;
};

bool modem_has_calls(const struct modem *modem)
{
	return modem->interfaces & MODEM_VOICE_CALL_MANAGER;
}

/* The calls of oFono */

struct call_facts {
	char state[16];
	char number[64];
};

static const struct property call_facts[] = {
	PROPERTY("State", PROPERTY_STRING, struct call_facts, state),
	PROPERTY("LineIdentification", PROPERTY_STRING, struct call_facts, number),
};

static void read_call(DBusMessageIter *list, const struct voice_listing *listing)
{
	struct call_facts facts = { "", "" };
	struct voice_call call = { .state = facts.state, .number = facts.number };
	DBusMessageIter entry;

	dbus_message_iter_recurse(list, &entry);
	dbus_message_iter_get_basic(&entry, &call.path);
	dbus_message_iter_next(&entry);
	property_store_all(call_facts, 2, &entry, &facts);
	listing->found(listing->data, &call);
}

static void read_calls(DBusMessage *reply, const struct voice_listing *listing)
{
	DBusMessageIter top, list;

	dbus_message_iter_init(reply, &top);
	dbus_message_iter_recurse(&top, &list);
	for (; dbus_message_iter_get_arg_type(&list) == DBUS_TYPE_STRUCT;
	     dbus_message_iter_next(&list))
		read_call(&list, listing);
}

static bool is_listing(DBusMessage *reply)
{
	return dbus_message_has_signature(reply, "a(oa{sv})");
}

static struct bus_call *ask_calls(struct modem *modem, bus_reply reply, void *data)
{
	DBusMessage *message =
		ofono_message(modem->path, interface_voice_call_manager.name, "GetCalls");

	return message ? bus_call(ofono_bus(modem->ofono), message, OFONO_TIMEOUT_MS,
				  reply, data)
		       : NULL;
}

static void on_listed(void *data, DBusMessage *reply)
{
	struct voice_listing *listing = data;

	if (is_listing(reply))
		read_calls(reply, listing);
	else
		log_info("ofono: which calls there are is not told");
	listing->found(listing->data, NULL);
	free(listing);
}

struct voice_listing *voice_list(struct modem *modem,
				 void (*found)(void *data, const struct voice_call *call),
				 void *data)
{
	struct voice_listing *listing = malloc(sizeof(*listing));

	if (!listing)
		return NULL;
	*listing = (struct voice_listing){ .found = found, .data = data };
	listing->call = ask_calls(modem, on_listed, listing);
	if (listing->call)
		return listing;
	free(listing);
	return NULL;
}

void voice_listing_stop(struct voice_listing *listing)
{
	if (!listing)
		return;
	bus_call_cancel(listing->call);
	free(listing);
}

/* Dialling */

/* What is in no row may have been done. */
static enum dial_outcome outcome_of(const char *error)
{
	static const struct {
		const char *error;
		enum dial_outcome outcome;
	} rows[] = {
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
		{ DBUS_ERROR_SERVICE_UNKNOWN, DIAL_NOT_HANDED },
		{ DBUS_ERROR_NAME_HAS_NO_OWNER, DIAL_NOT_HANDED },
		{ BUS_ERROR_NOT_SENT, DIAL_NOT_HANDED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(error, rows[i].error) == 0)
			return rows[i].outcome;
	}
	return DIAL_UNKNOWN;
}

static void end(struct voice_dial *dial, const struct dial_result *result)
{
	dial->done(dial->data, result);
	free(dial);
}

static void on_dialled(void *data, DBusMessage *reply)
{
	const char *error = dbus_message_get_error_name(reply);
	struct dial_result result = { .outcome = DIAL_UNKNOWN };

	if (error)
		result.outcome = outcome_of(error);
	else if (dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &result.path,
				       DBUS_TYPE_INVALID))
		result.outcome = DIAL_PLACED;
	end(data, &result);
}

static struct bus_call *ask_dial(struct voice_dial *dial)
{
	DBusMessage *message = ofono_message(dial->modem->path,
					     interface_voice_call_manager.name, "Dial");
	const char *number = dial->number, *hide_callerid = "";

	if (message && !dbus_message_append_args(message, DBUS_TYPE_STRING, &number,
						 DBUS_TYPE_STRING, &hide_callerid,
						 DBUS_TYPE_INVALID)) {
		dbus_message_unref(message);
		return NULL;
	}
	return message ? bus_call(ofono_bus(dial->modem->ofono), message, dial->limit_ms,
				  on_dialled, dial)
		       : NULL;
}

static void count_call(void *data, const struct voice_call *call)
{
	unsigned *count = data;

	(void)call;
	++*count;
}

/* Nothing was dialled yet, whatever went wrong. */
static void on_asked(void *data, DBusMessage *reply)
{
	struct voice_dial *dial = data;
	const char *error = dbus_message_get_error_name(reply);
	struct dial_result result = { .outcome = DIAL_OTHER_CALL };
	unsigned count = 0;

	if (!is_listing(reply)) {
		result.outcome = error ? outcome_of(error) : DIAL_REFUSED;
		if (result.outcome == DIAL_UNKNOWN)
			result.outcome = DIAL_NOT_HANDED;
		end(dial, &result);
		return;
	}
	read_calls(reply, &(struct voice_listing){ .found = count_call, .data = &count });
	if (count) {
		end(dial, &result);
		return;
	}
	dial->call = ask_dial(dial);
	result.outcome = DIAL_NOT_HANDED;
	if (!dial->call)
		end(dial, &result);
}

static bool is_dialled(const char *number)
{
	return strlen(number) < sizeof(((struct voice_dial *)0)->number) &&
	       !number[strspn(number, "+0123456789")];
}

struct voice_dial *voice_dial(struct modem *modem, const char *number, int limit_ms,
			      void (*done)(void *data, const struct dial_result *result),
			      void *data)
{
	struct voice_dial *dial = calloc(1, sizeof(*dial));

	if (!dial)
		return NULL;
	assert(is_dialled(number));
	dial->modem = modem;
	dial->limit_ms = limit_ms;
	dial->done = done;
	dial->data = data;
	strcpy(dial->number, number);
	dial->call = ask_calls(modem, on_asked, dial);
	if (dial->call)
		return dial;
	free(dial);
	return NULL;
}

void voice_dial_stop(struct voice_dial *dial)
{
	if (!dial)
		return;
	bus_call_cancel(dial->call);
	free(dial);
}

static void on_hung_up(void *data, DBusMessage *reply)
{
	const char *error = dbus_message_get_error_name(reply);

	(void)data;
	if (error)
		log_info("ofono: a call was not hung up: %s", error);
}

void voice_hang_up(struct modem *modem, const char *path)
{
	DBusMessage *message = ofono_message(path, interface_voice_call.name, "Hangup");

	if (!message || !bus_call(ofono_bus(modem->ofono), message, OFONO_TIMEOUT_MS,
				  on_hung_up, NULL))
		log_error("ofono: a call was not hung up: out of memory");
}
