/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call is under way at a time; its answer decides on the next:
 *
 *     FREE (what was published) -> STATE -> HOST -> GROUP -> ADD each place -> COMMIT
 *     then Avahi asks the network whether the name is free, and tells by a signal:
 *     ESTABLISHED  it is published
 *     COLLISION    RENAME -> RESET -> ADD ...; so does ADD that finds the name here
 *
 * A server that has another state than RUNNING is waited for. Another offer, or another
 * state of the server, begins all of it again after the answer that is awaited: who gives
 * a call up might never learn the path of the group that it made.
 */
#include "bus/entry_group.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/utf8.h"

#define SERVICE_TYPE	"_mcp._tcp"
#define COLLISION_ERROR AVAHI_NAME ".CollisionError"

/* avahi-common/defs.h */
enum { SERVER_RUNNING = 2 };
enum {
	GROUP_UNCOMMITTED = 0,
	GROUP_ESTABLISHED = 2,
	GROUP_COLLISION = 3,
	GROUP_FAILURE = 4
};
enum { PROTOCOL_INET = 0, PROTOCOL_INET6 = 1 };

static void on_reply(void *data, DBusMessage *reply);

static void tell(struct entry_group *group, const char *condition)
{
	group->tell(group->data, condition);
}

static enum entry_group_step give_up(struct entry_group *group, const char *condition)
{
	group->gave_up = true;
	tell(group, condition);
	return STEP_WAIT;
}

/* What the calls say */

static bool add_text(DBusMessageIter *texts, const char *text)
{
	DBusMessageIter octets;
	bool added =
		dbus_message_iter_open_container(texts, DBUS_TYPE_ARRAY, "y", &octets);

	added = added && dbus_message_iter_append_fixed_array(&octets, DBUS_TYPE_BYTE,
							      &text, (int)strlen(text));
	return added && dbus_message_iter_close_container(texts, &octets);
}

static bool add_texts(DBusMessage *message, bool tls)
{
	const char *const all[] = { "txtvers=1", "path=/mcp",
				    tls ? "proto=https" : "proto=http", "auth=bearer" };
	DBusMessageIter end, texts;
	bool added;

	dbus_message_iter_init_append(message, &end);
	added = dbus_message_iter_open_container(&end, DBUS_TYPE_ARRAY, "ay", &texts);
	for (size_t at = 0; added && at < sizeof(all) / sizeof(all[0]); at++)
		added = add_text(&texts, all[at]);
	return added && dbus_message_iter_close_container(&end, &texts);
}

static bool fill_add(struct entry_group *group, DBusMessage *message)
{
	const struct avahi_place *place = &group->offer->places[group->added];
	const char *name = group->name, *type = SERVICE_TYPE, *unsaid = "";
	int32_t protocol = place->family == AF_INET6 ? PROTOCOL_INET6 : PROTOCOL_INET;
	int32_t interface = place->interface;
	uint32_t flags = 0;

	return dbus_message_append_args(message, DBUS_TYPE_INT32, &interface,
					DBUS_TYPE_INT32, &protocol, DBUS_TYPE_UINT32,
					&flags, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING,
					&type, DBUS_TYPE_STRING, &unsaid,
					DBUS_TYPE_STRING, &unsaid, DBUS_TYPE_UINT16,
					&place->port, DBUS_TYPE_INVALID) &&
	       add_texts(message, place->tls);
}

static bool fill_rename(struct entry_group *group, DBusMessage *message)
{
	const char *name = group->name;

	return dbus_message_append_args(message, DBUS_TYPE_STRING, &name,
					DBUS_TYPE_INVALID);
}

static const struct {
	const char *interface;
	const char *method;
	bool (*fill)(struct entry_group *group, DBusMessage *message); /* or NULL */
} calls[] = {
	[STEP_FREE] = { GROUP_NAME, "Free" },
	[STEP_STATE] = { SERVER_NAME, "GetState" },
	[STEP_HOST] = { SERVER_NAME, "GetHostNameFqdn" },
	[STEP_GROUP] = { SERVER_NAME, "EntryGroupNew" },
	[STEP_ADD] = { GROUP_NAME, "AddService", fill_add },
	[STEP_COMMIT] = { GROUP_NAME, "Commit" },
	[STEP_RENAME] = { SERVER_NAME, "GetAlternativeServiceName", fill_rename },
	[STEP_RESET] = { GROUP_NAME, "Reset" },
};

static void go(struct entry_group *group, enum entry_group_step step)
{
	bool is_group = strcmp(calls[step].interface, GROUP_NAME) == 0;
	DBusMessage *message =
		dbus_message_new_method_call(AVAHI_NAME, is_group ? group->path : "/",
					     calls[step].interface, calls[step].method);

	group->step = step;
	if (message && (!calls[step].fill || calls[step].fill(group, message))) {
		dbus_message_set_auto_start(message, FALSE);
		group->call = bus_call(group->bus, dbus_message_ref(message), 0, on_reply,
				       group);
	}
	if (message)
		dbus_message_unref(message);
	if (!group->call)
		give_up(group, "out of memory");
}

/* What becomes of the answers: each tells the next step */

static enum entry_group_step freed(struct entry_group *group, DBusMessage *reply)
{
	(void)reply;
	group->path[0] = '\0';
	return STEP_STATE;
}

static enum entry_group_step state_told(struct entry_group *group, DBusMessage *reply)
{
	int32_t state = -1;

	dbus_message_get_args(reply, NULL, DBUS_TYPE_INT32, &state, DBUS_TYPE_INVALID);
	if (state == SERVER_RUNNING)
		return STEP_HOST;
	tell(group, "Avahi does not know yet how this machine is called");
	return STEP_WAIT;
}

/* No longer than a label, and ending with a whole character. */
static void make_name(struct entry_group *group)
{
	char text[HOST_NAME_BYTES + 16];
	size_t length;

	snprintf(text, sizeof(text), "ofono-mcp on %.*s", (int)strcspn(group->host, "."),
		 group->host);
	length = strnlen(text, SERVICE_NAME_BYTES - 1);
	while (!utf8_valid(text, length))
		length--;
	memcpy(group->name, text, length);
	group->name[length] = '\0';
}

static enum entry_group_step host_told(struct entry_group *group, DBusMessage *reply)
{
	const char *host = "";

	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &host, DBUS_TYPE_INVALID);
	if (strlen(host) >= sizeof(group->host))
		return give_up(group, "Avahi tells no name of this machine");
	strcpy(group->host, host);
	make_name(group);
	group->names = 1;
	return STEP_GROUP;
}

static enum entry_group_step next_place(const struct entry_group *group)
{
	return group->added < group->offer->count ? STEP_ADD : STEP_COMMIT;
}

static enum entry_group_step made(struct entry_group *group, DBusMessage *reply)
{
	const char *path;

	if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path,
				   DBUS_TYPE_INVALID) ||
	    strlen(path) >= sizeof(group->path))
		return give_up(group, "Avahi makes no entry group");
	strcpy(group->path, path);
	group->state = GROUP_UNCOMMITTED;
	group->added = 0;
	return next_place(group);
}

static enum entry_group_step added(struct entry_group *group, DBusMessage *reply)
{
	(void)reply;
	group->added++;
	return next_place(group);
}

/* A network that has every name already is not believed for ever. */
static enum entry_group_step collided(struct entry_group *group)
{
	log_info("mdns: the name \"%s\" is taken", group->name);
	if (group->names++ < AVAHI_NAMES_MAX)
		return STEP_RENAME;
	return give_up(group, "every name that Avahi thought of is taken");
}

static enum entry_group_step settled(struct entry_group *group)
{
	if (group->state == GROUP_COLLISION)
		return collided(group);
	if (group->state == GROUP_FAILURE)
		return give_up(group, "Avahi gave up");
	tell(group, group->state == GROUP_ESTABLISHED
			    ? "Avahi tells the network of it"
			    : "Avahi asks the network whether the name is free");
	return STEP_WAIT;
}

/* What the signals told while it was under way. */
static enum entry_group_step committed(struct entry_group *group, DBusMessage *reply)
{
	(void)reply;
	return settled(group);
}

static enum entry_group_step renamed(struct entry_group *group, DBusMessage *reply)
{
	const char *name = "";

	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
	if (strlen(name) >= sizeof(group->name)) /* cut, it might be no UTF-8 any more */
		return give_up(group, "Avahi's other name is too long");
	strcpy(group->name, name);
	return STEP_RESET;
}

static enum entry_group_step was_reset(struct entry_group *group, DBusMessage *reply)
{
	(void)reply;
	group->state = GROUP_UNCOMMITTED;
	group->added = 0;
	return next_place(group);
}

static enum entry_group_step (*const answered[])(struct entry_group *group,
						 DBusMessage *reply) = {
	[STEP_FREE] = freed,	 [STEP_STATE] = state_told, [STEP_HOST] = host_told,
	[STEP_GROUP] = made,	 [STEP_ADD] = added,	    [STEP_COMMIT] = committed,
	[STEP_RENAME] = renamed, [STEP_RESET] = was_reset,
};

static enum entry_group_step failed(struct entry_group *group, DBusMessage *reply)
{
	const char *name = dbus_message_get_error_name(reply);
	char condition[192];

	if (group->step == STEP_FREE)
		return freed(group, reply);
	if (strcmp(name, COLLISION_ERROR) == 0)
		return collided(group);
	if (strcmp(name, DBUS_ERROR_DISCONNECTED) == 0 ||
	    strcmp(name, BUS_ERROR_NOT_SENT) == 0)
		return STEP_WAIT; /* that is told by itself */
	if (strcmp(name, DBUS_ERROR_ACCESS_DENIED) == 0)
		snprintf(condition, sizeof(condition),
			 "the bus refuses: a D-Bus policy forbids to call " AVAHI_NAME);
	else
		snprintf(condition, sizeof(condition), "Avahi answers %s with %.128s",
			 calls[group->step].method, name);
	return give_up(group, condition);
}

static void on_reply(void *data, DBusMessage *reply)
{
	struct entry_group *group = data;
	bool is_error = dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR;
	enum entry_group_step next;

	group->call = NULL;
	next = is_error ? failed(group, reply) : answered[group->step](group, reply);
	if (group->again)
		entry_group_begin(group);
	else if (next != STEP_WAIT)
		go(group, next);
}

void entry_group_begin(struct entry_group *group)
{
	group->again = group->call != NULL;
	group->gave_up = false;
	group->state = GROUP_UNCOMMITTED;
	if (!group->again)
		go(group, *group->path ? STEP_FREE : STEP_STATE);
}

void entry_group_drop(struct entry_group *group)
{
	bus_call_cancel(group->call);
	group->call = NULL;
	group->again = false;
	group->state = GROUP_UNCOMMITTED;
	group->path[0] = '\0';
}

bool entry_group_is_established(const struct entry_group *group)
{
	return group->state == GROUP_ESTABLISHED;
}

static void group_changed(struct entry_group *group, int32_t state)
{
	enum entry_group_step next;

	group->state = state;
	if (group->call)
		return; /* it is looked at when that is answered */
	next = settled(group);
	if (next != STEP_WAIT)
		go(group, next);
}

void entry_group_signal(struct entry_group *group, DBusMessage *signal)
{
	const char *error;
	int32_t state;

	if (!dbus_message_has_member(signal, "StateChanged") ||
	    !dbus_message_get_args(signal, NULL, DBUS_TYPE_INT32, &state,
				   DBUS_TYPE_STRING, &error, DBUS_TYPE_INVALID))
		return;
	if (dbus_message_has_interface(signal, SERVER_NAME))
		entry_group_begin(group);
	else if (dbus_message_has_interface(signal, GROUP_NAME) && *group->path &&
		 dbus_message_has_path(signal, group->path) && !group->again)
		group_changed(group, state);
}
