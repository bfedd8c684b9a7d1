/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry group: what Avahi publishes for us, brought about one call after the other.
 *
 * Private to src/avahi.
 */
#ifndef BUS_ENTRY_GROUP_H
#define BUS_ENTRY_GROUP_H

#include "bus/avahi.h"
#include "bus/bus.h"

#define AVAHI_NAME  "org.freedesktop.Avahi"
#define SERVER_NAME AVAHI_NAME ".Server"
#define GROUP_NAME  AVAHI_NAME ".EntryGroup"

enum {
	SERVICE_NAME_BYTES = 64, /* a label of DNS has 63 */
	HOST_NAME_BYTES = 256,
	GROUP_PATH_BYTES = 128,
};

enum entry_group_step {
	STEP_WAIT, /* for a signal */
	STEP_FREE,
	STEP_STATE,
	STEP_HOST,
	STEP_GROUP,
	STEP_ADD,
	STEP_COMMIT,
	STEP_RENAME,
	STEP_RESET,
};

struct entry_group {
	struct bus *bus;
	const struct avahi_offer *offer;
	/* `condition` in words. */
	void (*tell)(void *data, const char *condition);
	void *data;

	struct bus_call *call; /* NULL: none is under way */
	enum entry_group_step step;
	bool again;		     /* what is under way is for nothing */
	bool gave_up;		     /* it waits for somebody to begin again */
	size_t added;		     /* places of the offer */
	unsigned names;		     /* tried */
	char path[GROUP_PATH_BYTES]; /* "": there is none */
	char name[SERVICE_NAME_BYTES];
	char host[HOST_NAME_BYTES]; /* "phone.local" */
	int32_t state;		    /* as Avahi tells it */
};

/* Avahi tells the network of it. */
bool entry_group_is_established(const struct entry_group *group);

/* Avahi is there: publishes the offer, whatever was published before. */
void entry_group_begin(struct entry_group *group);
/* Avahi or the bus is gone, and with it all that was published. */
void entry_group_drop(struct entry_group *group);
/* A signal of Avahi. */
void entry_group_signal(struct entry_group *group, DBusMessage *signal);

#endif
