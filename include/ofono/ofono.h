/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ofono: the service on the bus, its modems, and the events it reports.
 *
 * It survives the bus or ofonod being absent, restarted or crashing. When the owner of
 * org.ofono changes, every modem is removed (MODEM_REMOVED) and read again. Signals from
 * anybody except the present owner are ignored.
 *
 * oFono signals a message once and keeps nothing. What arrives before the modems are known, or
 * while the identity of the modem's SIM is being read, is reported right after that, in order:
 * MESSAGE_RECEIVED comes with the SIM's facts if oFono provides them at all
 * (ofono/manager.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/modem.h"

struct ofono;

TAILQ_HEAD(modem_list, modem);

/*
 * Which oFono is running, judged by its interfaces: no property names its version. The forks
 * for phones all have at least one of two interfaces that upstream never had:
 * org.nemomobile.ofono.ModemManager (1.29 of Sailfish OS, Droidian, FuriOS, UBports) and
 * org.ofono.NetworkTime (these and 1.17 of UBports). doc/modems.md lists the differences.
 */
enum ofono_line {
	OFONO_LINE_UNKNOWN,  /* not asked yet, or no answer: assume neither */
	OFONO_LINE_UPSTREAM, /* it damages emoji, in both directions */
	OFONO_LINE_FORK,     /* it passes every text unchanged */
};

enum ofono_event_type {
	OFONO_BUS_KNOWN,   /* the match rules are in force, or there is no bus */
	OFONO_AVAILABLE,   /* oFono answers; its modems follow */
	OFONO_UNAVAILABLE, /* all its modems have been removed already */
	OFONO_CONDITION,   /* ofono_condition() differs */
	OFONO_CHANGED,	   /* ofono_default_modem(), _is_complete() or _line() differs */
	MODEM_ADDED,
	MODEM_CHANGED,	    /* some fact differs; bursts are common */
	MODEM_REMOVED,	    /* freed after the event; still listed meanwhile, or not */
	MESSAGE_ADDED,	    /* oFono accepted one to send, of any program: .uuid */
	MESSAGE_STATE,	    /* of an outgoing message: .uuid, .state */
	MESSAGE_RECEIVED,   /* .sender, .text, ...; .modem may be an unlisted one */
	MESSAGE_REPORT,	    /* a delivery report, perhaps days later: .uuid, .delivered */
	USSD_NOTIFIED,	    /* an unasked text of the network: .text */
	USSD_REQUESTED,	    /* the same, and the network waits for a reply */
	CALL_ADDED,	    /* .call; .call_state, .sender may be NULL */
	CALL_CHANGED,	    /* .call, and .call_state or .sender: the one that differs */
	CALL_REMOVED,	    /* .call is over */
	BROADCAST_RECEIVED, /* .text, .topic, .emergency */
	PHONEBOOK_READ,	    /* the contacts on the SIM card: .text, vCards */
};

/* org.ofono.Message State, and what only a hub learns */
enum ofono_message_state {
	MESSAGE_PENDING,
	MESSAGE_SENT,
	MESSAGE_FAILED,
	MESSAGE_CANCELLED,
	/* Only of the SIMs of other phones. */
	MESSAGE_WAITS_FOR_OWNER, /* for the approval of the phone's owner */
	MESSAGE_LOST,		 /* the phone does not know whether it was sent */
};

enum { MESSAGE_UUID_BYTES = 41 }; /* 40 hex digits and NUL */

/* Values of .call_state that are not oFono states: why a call ends (DisconnectReason). */
#define CALL_ENDED_HERE	      "refused" /* "local": hung up at this phone */
#define CALL_ENDED_THERE      "remote"
#define CALL_ENDED_BY_NETWORK "network"

struct ofono_event {
	enum ofono_event_type type;
	struct modem *modem; /* NULL for OFONO_... */
	const char *uuid;
	enum ofono_message_state state;
	/* Why it failed or was cancelled on another phone: static text; NULL if only the network
	 * can know. */
	const char *reason;
	bool delivered; /* false if the network gave up */
	/* Of MESSAGE_STATE, from a radio that sends again safely: struct message_order. */
	int64_t order_id; /* 0 if unknown */
	unsigned attempt;
	const char *sender;
	const char *text;
	const char *sent_time;	     /* as oFono wrote it, in the sender network's zone */
	const char *local_sent_time; /* the same moment in ofonod's zone */
	bool immediate;		     /* class 0 */
	/* Of a radio that may report a message again: what identifies it for ever; and where
	 * an observer notes that it could not store it. NULL with oFono. */
	const char *origin;
	bool *is_lost;
	const char *call;	/* its object path */
	int topic;		/* of a cell broadcast; -1 if not given */
	const char *emergency;	/* "Earthquake", ...; NULL if it is no emergency */
	const char *call_state; /* "incoming", "active", ... or CALL_ENDED_... */
};

struct config;
struct store;

/*
 * The door to the radio is the same in two programs, and the linker chooses what is behind it:
 * src/ofono in ofono-mcp, oFono over D-Bus; src/remote in ofono-mcp-hub, whose modems are the
 * SIMs of other phones. Whatever lies above this header works with both.
 */
struct ofono_parts {
	sd_event *loop;
	const struct config *config;
	struct store *store;
};

/* Returns 0 or -errno. */
int ofono_open(const struct ofono_parts *parts, struct ofono **ofono_out);
/* Watches oFono alone. `bus_address` is as for bus_new(). Returns 0 or -errno. */
int ofono_new(sd_event *loop, const char *bus_address, struct ofono **ofono_out);
/* Reports no events. Not from inside one. NULL is fine. */
void ofono_free(struct ofono *ofono);

/*
 * From now on UseDeliveryReports is switched on in every modem as soon as it accepts messages.
 * The setting is shared with other programs, so it is left alone until this is called.
 */
void ofono_use_delivery_reports(struct ofono *ofono);

/*
 * Whether to read the contacts of each SIM card when its modem shows org.ofono.Phonebook, and
 * those of all present modems now (again). Off until this is called.
 */
void ofono_use_phonebooks(struct ofono *ofono, bool use);

/*
 * Incoming messages are held until their modem and card are known. This reports the held ones
 * now, before the observers go.
 */
void ofono_flush_pending(struct ofono *ofono);

/* Events are struct ofono_event. */
struct observers *ofono_observers(struct ofono *ofono);

uint64_t ofono_calls_sent(const struct ofono *ofono); /* D-Bus calls since the start */
bool ofono_has_bus(const struct ofono *ofono);	      /* connected to the bus */
bool ofono_is_available(const struct ofono *ofono);   /* it has answered GetModems */
/* Returns the bus's unique name for this run of ofonod; "" if it is not running. */
const char *ofono_owner(const struct ofono *ofono);
/* For people: why oFono is not available, or "oFono answers". */
const char *ofono_condition(const struct ofono *ofono);
/*
 * Somebody needs oFono. When the bus has refused for so long that oFono is not asked any more
 * (ofono/manager.h), ask once more.
 */
void ofono_retry(struct ofono *ofono);
/*
 * Returns whether the bus refused the last time: its policy does not let this user talk to oFono.
 */
bool ofono_is_refused(const struct ofono *ofono);
#define OFONO_REFUSED_FIX                                                        \
	"Let the bus read it: systemctl reload dbus; if it still refuses: sudo " \
	"ofono-mcp doctor"
/* After a refusal, ask again at once. */
void ofono_retry_now(struct ofono *ofono);
/*
 * Returns whether the bus refused, but may allow it within seconds: a call is in progress, or the
 * first refusal is less than ten seconds old. After an installation the bus reads its new policy
 * last.
 */
bool ofono_may_be_allowed_soon(const struct ofono *ofono);
/*
 * Returns whether every call made so far was answered or has failed: nothing more will become known
 * without a change (tests/unit/test_ofono.c::test_it_is_settled_when_every_call_is_answered). For
 * programs that look once.
 */
bool ofono_is_settled(const struct ofono *ofono);
const struct modem_list *ofono_modems(const struct ofono *ofono);
/*
 * Returns the modem that the phone's owner chose for calls and messages, on forks that know it
 * (ofono/manager.h). Returns NULL if there is none, or it is unknown.
 */
const struct modem *ofono_default_modem(const struct ofono *ofono);
/* Returns false if oFono says that it does not know all modems yet. */
bool ofono_is_complete(const struct ofono *ofono);
/* Known before any message of this run of ofonod is reported. */
enum ofono_line ofono_line(const struct ofono *ofono);
/*
 * Does the radio know a message that it was given before by its ID and attempt (struct
 * message_order): submitting it again never sends it twice, and message_cancel() finds it without a
 * UUID. oFono does not, a gateway on another phone does.
 */
bool ofono_sends_again_safely(const struct ofono *ofono);
/* Characters above U+FFFF can be sent: only forks certainly do that. */
bool ofono_sends_emoji(const struct ofono *ofono);

/*
 * Ofono probe: questions to oFono and the bus that a command-line program asks once. Each
 * blocks for OFONO_PROBE_MS at most, so the gateway itself never uses it.
 */

enum { OFONO_PROBE_MS = 3000 };

struct ofono_probe;

/* Returns NULL if there is no bus, or it refuses this user. */
struct ofono_probe *ofono_probe_new(void);
void ofono_probe_free(struct ofono_probe *probe); /* NULL is fine */

/* Returns the process ID of ofonod; 0 if it does not run, or the bus does not say. */
int64_t ofono_probe_process(struct ofono_probe *probe);

/* Does the object's introspection data contain `words`? False also without an answer. */
bool ofono_probe_mentions(struct ofono_probe *probe, const char *path, const char *words);

/*
 * Returns whether the bus or oFono forbids this user to call the method. It is called on "/"
 * without arguments, where no such method exists: the call has no effect.
 */
bool ofono_probe_is_refused(struct ofono_probe *probe, const char *interface,
			    const char *method);

/*
 * Returns whether oFono itself forbids this user to send messages with this modem: the access
 * control of Sailfish OS, which the bus does not know. oFono checks the caller before the
 * arguments, and every oFono refuses these arguments: nothing is sent.
 */
bool ofono_probe_may_not_send(struct ofono_probe *probe, const char *modem);
