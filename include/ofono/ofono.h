/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ofono: the service on the bus, its modems, and what they tell.
 *
 * Survives everything: the bus or ofonod absent, restarted, crashed. When the owner of
 * org.ofono changes, every modem goes (MODEM_REMOVED) and is read anew. Signals of anybody
 * but the present owner are ignored.
 *
 * oFono tells of a message once and keeps nothing. What arrives before the modems are known,
 * or while the modem's SIM is being asked for its identity, is told right after that, in
 * order: MESSAGE_RECEIVED comes with the SIM's facts whenever oFono gives them at all.
 */
#ifndef OFONO_OFONO_H
#define OFONO_OFONO_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/modem.h"

struct ofono;

TAILQ_HEAD(modem_list, modem);

/*
 * Which oFono runs, told by what it shows: no property names its version. The forks for
 * phones all show at least one of two interfaces that upstream has never had:
 * org.nemomobile.ofono.ModemManager (1.29 of Sailfish OS, Droidian, FuriOS, UBports) and
 * org.ofono.NetworkTime (these and 1.17 of UBports). doc/modems.md lists what differs.
 */
enum ofono_line {
	OFONO_LINE_UNKNOWN,  /* not asked yet, or it did not say: assume neither */
	OFONO_LINE_UPSTREAM, /* it damages emoji, both ways */
	OFONO_LINE_FORK,     /* every text goes and comes as it was sent */
};

enum ofono_event_type {
	OFONO_BUS_KNOWN,   /* it took our match rules: all is heard; or it is not there */
	OFONO_AVAILABLE,   /* the service answers; its modems follow */
	OFONO_UNAVAILABLE, /* all its modems have been removed already */
	OFONO_CONDITION,   /* ofono_condition() says something else */
	OFONO_CHANGED,	   /* ofono_default_modem() or ofono_is_complete() differs */
	MODEM_ADDED,
	MODEM_CHANGED,	  /* some fact differs; bursts are common */
	MODEM_REMOVED,	  /* not listed any more; freed after the event */
	MESSAGE_STATE,	  /* a message handed over earlier: .uuid, .state */
	MESSAGE_RECEIVED, /* .sender, .text, ...; .modem may be one that is not listed */
	MESSAGE_REPORT,	  /* a delivery report, perhaps days later: .uuid, .delivered */
	USSD_NOTIFIED,	  /* the network says something by itself: .text */
	USSD_REQUESTED,	  /* ... and waits for a reply */
	CALL_ADDED,	  /* .call; .call_state, .sender may be NULL */
	CALL_CHANGED,	  /* .call, and .call_state or .sender: what differs */
	CALL_REMOVED,	  /* .call is over */
	BROADCAST_RECEIVED, /* .text, .topic, .emergency */
	PHONEBOOK_READ,	    /* the card's contacts: .text, vCards */
};

/* org.ofono.Message State */
enum message_state_word {
	MESSAGE_PENDING,
	MESSAGE_SENT,
	MESSAGE_FAILED,
	MESSAGE_CANCELLED,
};

enum { MESSAGE_UUID_BYTES = 41 }; /* 40 hex digits and NUL */

/* No states of oFono's: why it is about to end, as DisconnectReason tells. */
#define CALL_REFUSED_HERE     "refused" /* "local": hung up at this end */
#define CALL_ENDED_THERE      "remote"
#define CALL_ENDED_BY_NETWORK "network"

struct ofono_event {
	enum ofono_event_type type;
	struct modem *modem; /* NULL for OFONO_... */
	const char *uuid;
	enum message_state_word state;
	bool delivered; /* false: given up */
	const char *sender;
	const char *text;
	const char *sent_time;	     /* as oFono wrote it, sender network's zone */
	const char *local_sent_time; /* the same moment in ofonod's zone */
	bool immediate;		     /* class 0 */
	const char *call;	     /* its object path */
	int topic;		     /* of a cell broadcast; -1: oFono does not say */
	const char *emergency;	     /* "Earthquake", ...; NULL: it is none */
	const char *call_state; /* "incoming", "active", ...; CALL_REFUSED_HERE, ... */
};

/* `bus_address` as for bus_new(). 0 or -errno. */
int ofono_new(sd_event *loop, const char *bus_address, struct ofono **ofono_out);
/* Tells no events. Not from inside one. NULL is fine. */
void ofono_free(struct ofono *ofono);

/*
 * From now on UseDeliveryReports is switched on in every modem, as soon as it takes
 * messages. The switch is everybody's: it is left alone until this is called.
 */
void ofono_use_delivery_reports(struct ofono *ofono);

/*
 * From now on the contacts of each card are asked for when its modem shows them, and those of
 * all that are there now (again), or not any more. Until this is called nobody asks.
 */
void ofono_use_phonebooks(struct ofono *ofono, bool use);

/*
 * A message that came in is told when its modem and card are known; what waits for that is
 * told now, before those who listen go.
 */
void ofono_tell_waiting(struct ofono *ofono);

/* Events are struct ofono_event. */
struct observers *ofono_observers(struct ofono *ofono);

uint64_t ofono_calls_sent(const struct ofono *ofono); /* D-Bus calls since the start */
bool ofono_has_bus(const struct ofono *ofono);	      /* connected to the bus */
bool ofono_is_available(const struct ofono *ofono);
/* What the bus calls this run of ofonod, and no later one; "": there is none. */
const char *ofono_owner(const struct ofono *ofono);
/* In plain words, for people: why not, or "oFono answers". */
const char *ofono_condition(const struct ofono *ofono);
/*
 * Somebody wants something of oFono: where the bus refused for so long that it is not asked
 * any more by itself, it is asked now (include/ofono/manager.h).
 */
void ofono_ask_again(struct ofono *ofono);
/* The bus refused the last time: its policy does not let this user talk to oFono. */
bool ofono_is_refused(const struct ofono *ofono);
#define OFONO_REFUSED_FIX                                                        \
	"Let the bus read it: systemctl reload dbus; if it still refuses: sudo " \
	"ofono-mcp doctor"
/* Where it refused, ask again at once. */
void ofono_ask_now(struct ofono *ofono);
/*
 * It refused, and the answer may be another within seconds: it is being asked, or has refused
 * for less than ten. After an installation the bus reads its new policy last.
 */
bool ofono_may_be_let_in(const struct ofono *ofono);
/*
 * All that was asked by now has been answered, well or not: what is known will not become
 * more by itself (tests/unit/test_ofono.c::test_settled). For programs that look once.
 */
bool ofono_is_settled(const struct ofono *ofono);
const struct modem_list *ofono_modems(const struct ofono *ofono);
/*
 * Of the forks that have it (include/ofono/modem_manager.h): the modem that the phone's owner
 * chose for calls and messages; NULL: none, or oFono does not tell.
 */
const struct modem *ofono_default_modem(const struct ofono *ofono);
/* False: oFono says that there are modems which it does not know yet. */
bool ofono_is_complete(const struct ofono *ofono);
/* Known before any message of this run of oFono is passed on. */
enum ofono_line ofono_line(const struct ofono *ofono);
/* Characters above U+FFFF go out: certain of forks alone. */
bool ofono_sends_emoji(const struct ofono *ofono);

#endif
