/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running: what the owner's commands change in the gateway that runs, and SIGHUP.
 *
 * Reloading is all or nothing: a configuration that a start would refuse changes nothing.  Keys
 * that cannot change at run time keep their values, and the log says that they need a restart
 * (tests/integration/test_reload.py).
 */
#ifndef GATEWAY_RUNNING_H
#define GATEWAY_RUNNING_H

#include "gateway/advertisement.h"
#include "gateway/gateway.h"
#include "gateway/web.h"
#include "sms/retention.h"
#include "tools/services.h"

struct running {
	struct services *services;
	struct config *config; /* the services' own */
	const struct gateway_config_source *source;
	struct web *web;
	struct advertisement *advertisement;
	struct retention *const *retention;
	bool is_ready; /* READY=1 was sent to the service manager */
	/* State of commands that go on: */
	unsigned tail_count;
	struct command_unlock *unlock; /* NULL: no card is being unlocked */
};

struct running_reload {
	/* Called for each key that differs; NULL: not wanted. `adopted`: in use from now on. */
	void (*changed)(void *data, const char *section, const char *name, bool adopted);
	void *data;
	struct explanation error;
	/* What is wrong with the owner's contacts, in a good configuration; NULL or "": none */
	const char *contacts_problem;
};

/*
 * Reads the configuration again. False: refused, with the reload's error, and nothing has
 * changed. Each key that differs becomes a line of the audit log.
 */
bool running_reload_config(struct running *running, struct running_reload *reload);

enum running_client_change {
	RUNNING_CLIENT_CHANGED, /* it is new, or its permissions changed */
	RUNNING_CLIENT_CUT,	/* its permissions or token changed: its requests end */
	RUNNING_CLIENT_REVOKED, /* it is gone: its requests and sessions end */
};

/* Applies a change that is in the store to open connections. `running` NULL: does nothing. */
void running_client_changed(struct running *running, int64_t client_id,
			    enum running_client_change change);

/* Kept across a restart. 0, STORE_E_FULL, -errno. */
int running_set_paused(struct running *running, bool paused);
bool running_is_paused(const struct running *running);

/* As advertisement_describe(). */
bool running_describe_advertisement(struct running *running, const char **text_out);

#endif
