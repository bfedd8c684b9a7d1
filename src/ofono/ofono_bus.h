/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ofono bus: what every file of src/ofono needs to talk to oFono: method calls, calls that are
 * repeated while oFono is busy, events for observers, and rate-limited warnings.
 *
 * ofono.c owns the one struct ofono_bus; each modem points to it.
 */
#pragma once

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/log.h"
#include "base/observer.h"
#include "bus/bus.h"
#include "ofono/modem.h"
#include "ofono/ofono.h"

#define OFONO_NAME "org.ofono"

enum { OFONO_TIMEOUT_MS = 25 * 1000 }; /* for calls that oFono answers from memory */

enum ofono_bus_warning {
	OFONO_BUS_WARNING_MODEM,
	OFONO_BUS_WARNING_NO_MODEM,
	OFONO_BUS_WARNING_MESSAGE,
	OFONO_BUS_WARNING_STATE, /* of a message */
	OFONO_BUS_WARNING_REPORT,
	OFONO_BUS_WARNING_BROADCAST,
	OFONO_BUS_WARNINGS,
};

struct ofono_bus {
	struct bus *bus;
	struct observers observers;
	/*
	 * Facts that pending signals wait for may be known now. pending_signals.c sets it: it
	 * lies above the files that call this.
	 */
	void (*settled)(void *data);
	void *settled_data;
	bool wants_delivery_reports; /* ofono_use_delivery_reports() */
	bool wants_phonebooks;	     /* ofono_use_phonebooks() */
	bool has_network_time; /* a modem of this ofonod has shown MODEM_NETWORK_TIME */
	struct log_pace paces[OFONO_BUS_WARNINGS];
};

/* ---- calls */

/* Returns a method call to oFono, which starts no service; NULL if memory runs out. */
DBusMessage *ofono_bus_message(const char *path, const char *interface,
			       const char *method);
/* Returns the same with string arguments, which end with NULL and are valid UTF-8. */
DBusMessage *ofono_bus_message_with(const char *path, const char *interface,
				    const char *method, const char *const *texts);
/* Makes the call SetProperty(name, value). Returns NULL if memory runs out. */
DBusMessage *ofono_bus_set_boolean(const char *path, const char *interface,
				   const char *name, bool value);
/* Works like bus_call(), which takes the message. Returns NULL for a NULL message. */
struct bus_call *ofono_bus_call(const struct ofono_bus *bus, DBusMessage *message,
				int timeout_ms, bus_reply reply, void *data);

/* A D-Bus error name and what it means for a call. */
struct ofono_bus_outcome {
	const char *error;
	int outcome;
};

/* Returns the row of `error`, else the last row, whose error is NULL. */
int ofono_bus_outcome(const struct ofono_bus_outcome *rows, const char *error);
/* Returns whether oFono itself refused the call: "org.ofono.Error.*". */
bool ofono_bus_is_ofono_error(const char *error);

/* ---- calls that are repeated */

struct ofono_bus_request_type {
	int timeout_ms;
	DBusMessage *(*message)(
		void *data); /* made anew for each attempt; NULL if memory runs out */
	bus_reply answered;
};

/* A call about one modem that its reply may repeat. Embedded; all zero before the start. */
struct ofono_bus_request {
	struct modem *modem;
	const struct ofono_bus_request_type *type;
	void *data;
	struct bus_call *call;	/* NULL if no attempt is in progress */
	sd_event_source *pause; /* NULL if not started, or stopped */
	unsigned failures;	/* attempts since the start that are to be repeated */
};

/*
 * Calls now; drops an attempt in progress. `type`, `modem` and `data`, which both callbacks
 * get, outlive the request. A lack of memory is logged; then no callback runs.
 */
void ofono_bus_request_start(struct ofono_bus_request *request, struct modem *modem,
			     const struct ofono_bus_request_type *type, void *data);
/* For the `answered` callback: repeats the call after a pause. */
void ofono_bus_request_retry(struct ofono_bus_request *request, uint64_t pause_ms);
/* The same after 0.5 s, doubling with each failure up to a minute. */
void ofono_bus_request_back_off(struct ofono_bus_request *request);
/* The callback will not run any more. Fine when it was not started. */
void ofono_bus_request_stop(struct ofono_bus_request *request);

/* Returns whether oFono is busy or slow: the same call may succeed later. */
bool ofono_bus_is_transient(const char *error);

/* ---- GetProperties */

typedef void (*ofono_bus_properties_read)(struct modem *modem,
					  DBusMessageIter *dictionary);

/*
 * GetProperties of one interface of a modem, repeated with growing pauses while oFono is busy.
 *
 * oFono builds the answer from its state at that moment, and one connection keeps the order:
 * signals that arrive before the answer are older than it. So facts are stored in order of
 * arrival. Embedded; all zero before the start.
 */
struct ofono_bus_properties {
	struct modem *modem;
	const char *interface;
	ofono_bus_properties_read read;
	struct ofono_bus_request request;
};

/*
 * Does nothing while a call is in progress. `read` gets an iterator on the a{sv}, or NULL
 * after a failure, which may be followed by another attempt.
 */
void ofono_bus_properties_get(struct ofono_bus_properties *properties,
			      struct modem *modem, const char *interface,
			      ofono_bus_properties_read read);
void ofono_bus_properties_stop(struct ofono_bus_properties *properties);
/* Returns whether the first attempt is not answered yet. */
bool ofono_bus_properties_are_awaited(const struct ofono_bus_properties *properties);

/* ---- events and warnings */

void ofono_bus_report(struct ofono_bus *bus, const struct ofono_event *event);
void ofono_bus_report_change(struct modem *modem); /* MODEM_CHANGED */
void ofono_bus_settled(struct ofono_bus *bus);

/*
 * Logs something from oFono that the gateway does not understand or has no room for: at most
 * one line of each kind a second, with the number of lines left out, so that no peer can fill
 * the log (tests/integration/test_forks.py).
 */
__attribute__((format(printf, 3, 4))) void ofono_bus_warn(struct ofono_bus *bus,
							  enum ofono_bus_warning warning,
							  const char *format, ...);
