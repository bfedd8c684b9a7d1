/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus connected ---> GetNameOwner ---> Avahi is there ---> entry_group.c
 *
 * Every step back (bus lost, another owner of the name) begins there anew. Only signals of
 * the present owner are believed.
 */
#include "bus/avahi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/entry_group.h"
#include "base/log.h"

static const char *const match_rules[] = {
	"type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
	"',member='NameOwnerChanged',arg0='" AVAHI_NAME "'",
	/* those of a group are sent to us alone */
	"type='signal',sender='" AVAHI_NAME "',interface='" SERVER_NAME
	"',member='StateChanged'",
	NULL,
};

struct avahi {
	struct bus *bus;
	struct bus_call *owner_call; /* GetNameOwner */
	char owner[256];	     /* unique name, "": none */
	struct avahi_offer offer;
	struct entry_group group;
	char condition[256];
};

static void set_condition(void *data, const char *condition)
{
	struct avahi *avahi = data;

	if (strcmp(avahi->condition, condition) == 0)
		return;
	snprintf(avahi->condition, sizeof(avahi->condition), "%s", condition);
	if (entry_group_is_established(&avahi->group))
		log_info("mdns: %s: \"%s\"", condition, avahi->group.name);
	else
		log_info("mdns: %s", condition);
}

static void set_condition_no_bus(struct avahi *avahi)
{
	char condition[sizeof(avahi->condition)];

	snprintf(condition, sizeof(condition), "no D-Bus system bus at %s",
		 bus_address(avahi->bus));
	set_condition(avahi, condition);
}

/* `owner` is a unique name, or "". */
static void set_owner(struct avahi *avahi, const char *owner)
{
	entry_group_drop(&avahi->group);
	avahi->owner[0] = '\0';
	if (!*owner || strlen(owner) >= sizeof(avahi->owner)) {
		set_condition(avahi, "Avahi is not running");
		return;
	}
	strcpy(avahi->owner, owner);
	set_condition(avahi, "Avahi does not answer yet");
	entry_group_begin(&avahi->group);
}

static void on_owner(void *data, DBusMessage *reply)
{
	struct avahi *avahi = data;
	const char *owner = "";

	avahi->owner_call = NULL;
	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &owner, DBUS_TYPE_INVALID);
	if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR)
		owner = "";
	set_owner(avahi, owner);
}

static void on_connected(void *data)
{
	struct avahi *avahi = data;
	const char *name = AVAHI_NAME;
	DBusMessage *message = dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetNameOwner");

	if (message &&
	    dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
		avahi->owner_call = bus_call(avahi->bus, dbus_message_ref(message), 0,
					     on_owner, avahi);
	if (message)
		dbus_message_unref(message);
	if (!avahi->owner_call)
		set_condition(avahi, "out of memory");
}

static void on_disconnected(void *data)
{
	struct avahi *avahi = data;

	bus_call_cancel(avahi->owner_call);
	avahi->owner_call = NULL;
	entry_group_drop(&avahi->group);
	avahi->owner[0] = '\0';
	set_condition_no_bus(avahi);
}

static void on_unreachable(void *data)
{
	set_condition_no_bus(data);
}

static void on_owner_changed(struct avahi *avahi, DBusMessage *signal)
{
	const char *name, *before, *owner;

	if (dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING,
				  &before, DBUS_TYPE_STRING, &owner, DBUS_TYPE_INVALID) &&
	    strcmp(name, AVAHI_NAME) == 0 && !avahi->owner_call)
		set_owner(avahi, owner);
}

static void on_signal(void *data, DBusMessage *signal)
{
	struct avahi *avahi = data;

	if (dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameOwnerChanged") &&
	    dbus_message_has_sender(signal, DBUS_SERVICE_DBUS))
		on_owner_changed(avahi, signal);
	else if (*avahi->owner && dbus_message_has_sender(signal, avahi->owner))
		entry_group_signal(&avahi->group, signal);
}

static const struct bus_handlers handlers = {
	.connected = on_connected,
	.disconnected = on_disconnected,
	.unreachable = on_unreachable,
	.signal = on_signal,
};

int avahi_new(sd_event *loop, const char *address, const struct avahi_offer *offer,
	      struct avahi **avahi_out)
{
	struct avahi *avahi = calloc(1, sizeof(*avahi));
	int error;

	if (!avahi)
		return -ENOMEM;
	avahi->offer = *offer;
	error = bus_new(loop, address, match_rules, &handlers, avahi, &avahi->bus);
	if (error < 0) {
		free(avahi);
		return error;
	}
	strcpy(avahi->condition, "the bus was not asked yet");
	avahi->group = (struct entry_group){
		.bus = avahi->bus,
		.offer = &avahi->offer,
		.tell = set_condition,
		.data = avahi,
	};
	*avahi_out = avahi;
	return 0;
}

void avahi_free(struct avahi *avahi)
{
	if (!avahi)
		return;
	bus_call_cancel(avahi->owner_call);
	entry_group_drop(&avahi->group);
	bus_free(avahi->bus);
	free(avahi);
}

static bool same_place(const struct avahi_place *one, const struct avahi_place *other)
{
	return one->interface == other->interface && one->family == other->family &&
	       one->port == other->port && one->tls == other->tls;
}

static bool same_offer(const struct avahi_offer *one, const struct avahi_offer *other)
{
	bool same = one->count == other->count;

	for (size_t at = 0; same && at < one->count; at++)
		same = same_place(&one->places[at], &other->places[at]);
	return same;
}

void avahi_set_offer(struct avahi *avahi, const struct avahi_offer *offer)
{
	if (same_offer(&avahi->offer, offer) && !avahi->group.gave_up)
		return;
	avahi->offer = *offer;
	if (*avahi->owner)
		entry_group_begin(&avahi->group);
}

const char *avahi_published(const struct avahi *avahi)
{
	return entry_group_is_established(&avahi->group) ? avahi->group.name : NULL;
}

const char *avahi_condition(const struct avahi *avahi)
{
	return avahi->condition;
}

const char *avahi_host(const struct avahi *avahi)
{
	return avahi->group.host;
}
