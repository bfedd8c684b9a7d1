/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/sim_unlock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ofono/interface.h"

/* The modem asks the card; a late answer would not be heard. */
enum { UNLOCK_TIMEOUT_MS = 60000 };

struct sim_unlock {
	struct bus_call *call;
	char path[sizeof(((struct modem *)0)->path)];
	void (*done)(void *data, enum unlock_outcome outcome);
	void *data;
};

static bool is_number(const char *text, size_t least, size_t most)
{
	size_t digits = strspn(text, "0123456789");

	return !text[digits] && digits >= least && digits <= most;
}

const char *unlock_outcome_name(enum unlock_outcome outcome)
{
	static const char *const names[] = {
		[UNLOCK_DONE] = "unlocked",
		[UNLOCK_WRONG] = "wrong",
		[UNLOCK_BUSY] = "busy",
		[UNLOCK_NOT_TAKEN] = "not_locked",
		[UNLOCK_IMPOSSIBLE] = "not_possible",
		[UNLOCK_NOT_ALLOWED] = "not_allowed",
		[UNLOCK_NOT_ASKED] = "not_asked",
		[UNLOCK_UNKNOWN] = "unknown",
	};

	return names[outcome];
}

bool sim_pin_is_valid(const char *pin)
{
	return is_number(pin, 4, 8);
}

bool sim_puk_is_valid(const char *puk)
{
	return is_number(puk, 8, 8);
}

/* What is in no row may have been tried. */
static enum unlock_outcome outcome_of(const char *error)
{
	static const struct {
		const char *error;
		enum unlock_outcome outcome;
	} rows[] = {
		{ "org.ofono.Error.Failed", UNLOCK_WRONG },
		{ "org.ofono.Error.InProgress", UNLOCK_BUSY },
		{ "org.ofono.Error.InvalidFormat", UNLOCK_NOT_TAKEN },
		{ "org.ofono.Error.NotImplemented", UNLOCK_IMPOSSIBLE },
		{ DBUS_ERROR_UNKNOWN_OBJECT, UNLOCK_NOT_TAKEN },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, UNLOCK_NOT_TAKEN },
		{ DBUS_ERROR_UNKNOWN_METHOD, UNLOCK_NOT_TAKEN },
		{ "org.ofono.Error.AccessDenied", UNLOCK_NOT_ALLOWED },
		{ DBUS_ERROR_ACCESS_DENIED, UNLOCK_NOT_ALLOWED },
		{ DBUS_ERROR_SERVICE_UNKNOWN, UNLOCK_NOT_ASKED },
		{ BUS_ERROR_NOT_SENT, UNLOCK_NOT_ASKED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(error, rows[i].error) == 0)
			return rows[i].outcome;
	}
	return UNLOCK_UNKNOWN;
}

static void on_answered(void *data, DBusMessage *reply)
{
	struct sim_unlock *unlock = data;
	const char *error = dbus_message_get_error_name(reply);

	if (error)
		log_info("ofono: %s: not unlocked: %s", unlock->path, error);
	else
		log_info("ofono: %s: unlocked", unlock->path);
	unlock->done(unlock->data, error ? outcome_of(error) : UNLOCK_DONE);
	free(unlock);
}

/* NULL: no memory. */
static DBusMessage *make_call(const struct modem *modem, const struct sim_codes *codes)
{
	const char *type = modem->sim.pin_required;
	DBusMessage *message = ofono_message(modem->path, interface_sim_manager.name,
					     codes->new_pin ? "ResetPin" : "EnterPin");

	if (message && dbus_message_append_args(message, DBUS_TYPE_STRING, &type,
						DBUS_TYPE_STRING, &codes->code,
						codes->new_pin ? DBUS_TYPE_STRING
							       : DBUS_TYPE_INVALID,
						&codes->new_pin, DBUS_TYPE_INVALID))
		return message;
	if (message)
		dbus_message_unref(message);
	return NULL;
}

struct sim_unlock *sim_unlock(struct modem *modem, const struct sim_codes *codes,
			      void (*done)(void *data, enum unlock_outcome outcome),
			      void *data)
{
	struct sim_unlock *unlock = calloc(1, sizeof(*unlock));
	DBusMessage *message;

	assert(codes->new_pin ? sim_puk_is_valid(codes->code)
			      : sim_pin_is_valid(codes->code));
	if (!unlock)
		return NULL;
	memcpy(unlock->path, modem->path, sizeof(unlock->path));
	unlock->done = done;
	unlock->data = data;
	message = make_call(modem, codes);
	if (message)
		unlock->call = bus_call(ofono_bus(modem->ofono), message,
					UNLOCK_TIMEOUT_MS, on_answered, unlock);
	if (!unlock->call) {
		free(unlock);
		return NULL;
	}
	return unlock;
}

void sim_unlock_stop(struct sim_unlock *unlock)
{
	if (!unlock)
		return;
	bus_call_cancel(unlock->call);
	free(unlock);
}
