/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Left calls: placed calls that nobody follows any more, for the gateway or the modem was
 * away, or oFono did not say whether it dialled. Each is looked for when its card's modem is
 * there: once among the calls that oFono tells of, and among those that are added for
 * LEFT_GRACE_SECONDS after that.
 *
 * Private to the dialler (phone/dialler.h).
 */
#ifndef PHONE_LEFT_CALLS_H
#define PHONE_LEFT_CALLS_H

#include "ofono/ofono.h"
#include "ofono/voice_call.h"
#include "phone/sim.h"
#include "numbers/phone_number.h"

enum { LEFT_CALLS = 16, LEFT_GRACE_SECONDS = 30 };

struct left_calls;

struct left_call {
	int64_t id; /* 0: none */
	int64_t sim_id;
	char number[PHONE_NUMBER_BYTES];
	/* its own */
	int64_t until_ms; /* boot clock */
	struct left_calls *calls;
	struct modem *modem; /* was asked for its calls; NULL: none was */
	struct voice_call_listing *listing;
};

struct left_calls {
	const struct sims *sims;
	/* It showed, at this path, and is forgotten here. */
	void (*showed)(void *data, const struct left_call *left, struct modem *modem,
		       const char *path);
	void *data;
	struct left_call left[LEFT_CALLS]; /* of more the one that would go first goes */
};

/* For so long; 0: it is noted, and not looked for. `call`: its first three members. */
void left_calls_add(struct left_calls *calls, const struct left_call *call,
		    int64_t seconds);
/* A modem came, or something of it differs. */
void left_calls_look(struct left_calls *calls, struct modem *modem);
/* CALL_ADDED */
void left_calls_hear(struct left_calls *calls, const struct ofono_event *event);
/* The modem can tell no more. */
void left_calls_lose(struct left_calls *calls, const struct modem *modem);
void left_calls_deinit(struct left_calls *calls);

#endif
