/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running: what the owner's commands and SIGHUP change in the running gateway.
 *
 * Reloading is all or nothing: a configuration that a start would refuse changes nothing.  Keys
 * that cannot change at run time keep their values, and the log says that they need a restart
 * (tests/integration/test_reload.py).
 */
#pragma once

#include <stdbool.h>

#include "base/network_watch.h"
#include "bus/avahi.h"
#include "gateway/gateway.h"
#include "gateway/web.h"
#include "http/http_server.h"
#include "http/network_interface.h"
#include "sms/approval_notice.h"
#include "sms/retention.h"
#include "tools/services.h"

struct config;
struct explanation;

/*
 * Advertisement: the mDNS service that tells the local network about the gateway
 * (bus/avahi.h), or the reason why there is none.
 *
 * Off unless server.advertise is on.  Only reachable ports are advertised: those open to the
 * network now, on the interfaces on which they are served, with TLS where they use it.  So
 * nothing is advertised before a client is paired or after the last one is revoked, for
 * loopback addresses, or on mobile data (tests/integration/test_mdns.py).
 */

/* All zero before advertisement_start(). */
struct advertisement {
	sd_event *loop; /* NULL if not started */
	const struct config *config;
	struct http_server *server;
	struct network_interfaces interfaces;
	struct network_watch watch;
	bool warned;	     /* that network changes go unnoticed */
	struct avahi *avahi; /* NULL if there is nothing to advertise */
	const char *reason;  /* why nothing is advertised */
	char text[320];
};

/* Call when the server starts to serve. */
void advertisement_start(struct advertisement *advertisement, sd_event *loop,
			 const struct config *config, struct http_server *server);
/* Withdraws the service. Fine when it was not started. */
void advertisement_stop(struct advertisement *advertisement);
/* Call when the configuration may have changed. */
void advertisement_review(struct advertisement *advertisement);

/*
 * Returns true if it is advertised. `text_out` is the name, or why it is not advertised; it is
 * valid until the next call.
 */
bool advertisement_describe(struct advertisement *advertisement, const char **text_out);

enum { RUNNING_TAILS_MAX = 4 };

struct running {
	struct services *services;
	struct config *config; /* the services' own */
	const struct gateway_config_source *source;
	struct web *web;
	struct advertisement *advertisement;
	struct retention *const *retention;
	struct approval_notice *approval_notice;
	bool is_ready; /* READY=1 was sent to the service manager */
	/* State of commands that go on: */
	unsigned tail_count;
	struct command_unlock *unlock; /* NULL if no card is being unlocked */
};

struct running_reload {
	/* Called for each key that differs; may be NULL. `adopted` says that it is in use from
	 * now on. */
	void (*changed)(void *data, const char *section, const char *name, bool adopted);
	void *data;
	struct explanation error;
	/* What is wrong with the owner's contacts, in a good configuration; NULL or "" if
	 * nothing is. */
	const char *contacts_problem;
};

/*
 * Reads the configuration again. Returns false if it is refused, with the reload's error, and
 * nothing has changed. Each key that differs becomes a line of the audit log.
 */
bool running_reload_config(struct running *running, struct running_reload *reload);

enum running_client_change {
	RUNNING_CLIENT_CHANGED, /* it is new, or its permissions changed */
	RUNNING_CLIENT_CUT,	/* its permissions or token changed: its requests end */
	RUNNING_CLIENT_ROTATED, /* it has a new token, so its webhooks also end */
	RUNNING_CLIENT_REVOKED, /* it is gone: its requests and sessions end */
};

/* Applies a change that is in the store to open connections. Does nothing if `running` is NULL. */
void running_client_changed(struct running *running, int64_t client_id,
			    enum running_client_change change);

/* Serves a connection to the control socket as one of an agent. Takes ownership of `fd`. */
void running_take_local(struct running *running, int fd, int64_t uid);

/* What tools offer may differ: the owner changed a pool of SIMs. */
void running_review_tools(struct running *running);

/* Returns the computers that ask to be paired. */
struct pairing *running_pairing(struct running *running);
/* Works like web_open_pairing(). */
void running_open_pairing(struct running *running, int64_t duration_ms);

/* The pause is kept across a restart. Returns 0, STORE_E_FULL or -errno. */
int running_set_paused(struct running *running, bool paused);
bool running_is_paused(const struct running *running);

/* Works like advertisement_describe(). */
bool running_describe_advertisement(struct running *running, const char **text_out);
