/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/modem_call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ofono/ofono_bus.h"

/* Longer than for other calls: the modem asks the card, and a late answer would be lost. */
enum { SIM_UNLOCK_TIMEOUT_MS = 60 * 1000 };

struct sim_unlock {
	struct bus_call *call;
	char path[sizeof(((struct modem *)0)->path)];
	void (*done)(void *data, enum sim_unlock_outcome outcome);
	void *data;
};

const char *sim_unlock_outcome_name(enum sim_unlock_outcome outcome)
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

static bool sim_unlock_is_number(const char *text, size_t min, size_t max)
{
	size_t digits = strspn(text, "0123456789");

	return !text[digits] && digits >= min && digits <= max;
}

bool sim_unlock_pin_is_valid(const char *pin)
{
	return sim_unlock_is_number(pin, 4, 8);
}

bool sim_unlock_puk_is_valid(const char *puk)
{
	return sim_unlock_is_number(puk, 8, 8);
}

static void sim_unlock_on_reply(void *data, DBusMessage *reply)
{
	static const struct ofono_bus_outcome rows[] = {
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
		{ NULL, UNLOCK_UNKNOWN }, /* any other error: it may have been tried */
	};
	struct sim_unlock *unlock = data;
	const char *error = dbus_message_get_error_name(reply);
	int outcome = error ? ofono_bus_outcome(rows, error) : UNLOCK_DONE;

	if (error)
		log_info("ofono: %s: not unlocked: %s", unlock->path, error);
	else
		log_info("ofono: %s: unlocked", unlock->path);
	unlock->done(unlock->data, (enum sim_unlock_outcome)outcome);
	free(unlock);
}

struct sim_unlock *sim_unlock(struct modem *modem, const struct sim_unlock_codes *codes,
			      void (*done)(void *data, enum sim_unlock_outcome outcome),
			      void *data)
{
	struct sim_unlock *unlock = calloc(1, sizeof(*unlock));

	assert(codes->new_pin ? sim_unlock_puk_is_valid(codes->code)
			      : sim_unlock_pin_is_valid(codes->code));
	if (!unlock)
		return NULL;
	memcpy(unlock->path, modem->path, sizeof(unlock->path));
	unlock->done = done;
	unlock->data = data;
	unlock->call = ofono_bus_call(
		modem->bus,
		ofono_bus_message_with(modem->path, "org.ofono.SimManager",
				       codes->new_pin ? "ResetPin" : "EnterPin",
				       (const char *const[]){ modem->sim.pin_required,
							      codes->code, codes->new_pin,
							      NULL }),
		SIM_UNLOCK_TIMEOUT_MS, sim_unlock_on_reply, unlock);
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
