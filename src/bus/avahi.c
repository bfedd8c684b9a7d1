/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus connected -> GetNameOwner -> Avahi is running -> the entry group, call by call:
 *
 *     FREE (what was published) -> STATE -> HOST -> GROUP -> ADD each place -> COMMIT
 *
 * Then Avahi asks the network whether the name is free, and reports by a signal:
 *
 *     ESTABLISHED  it is published
 *     COLLISION    RENAME -> RESET -> ADD ...; also after an ADD with a name taken here
 *
 * One call is under way at a time, and its answer decides on the next. While the server is
 * not RUNNING, its signal is awaited. Losing the bus, or another owner of Avahi's name, starts
 * everything anew. Another offer, or another state of the server, also starts the entry group
 * anew, but only after the answer under way: dropping the call could lose the path of a group
 * that it created. Only signals of the present owner are accepted.
 */
#include "bus/avahi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/utf8.h"
#include "bus/bus.h"

#define AVAHI_NAME	"org.freedesktop.Avahi"
#define AVAHI_SERVER	AVAHI_NAME ".Server"
#define AVAHI_GROUP	AVAHI_NAME ".EntryGroup"
#define AVAHI_COLLISION AVAHI_NAME ".CollisionError"
#define AVAHI_SERVICE	"_mcp._tcp"

enum {
	SERVICE_NAME_BYTES = 64, /* a DNS label has 63 */
	HOST_NAME_BYTES = 256,
	GROUP_PATH_BYTES = 128,
};

/* avahi-common/defs.h */
enum { AVAHI_SERVER_RUNNING = 2 };
enum avahi_group_state {
	AVAHI_GROUP_UNCOMMITTED = 0,
	AVAHI_GROUP_ESTABLISHED = 2,
	AVAHI_GROUP_COLLISION = 3,
	AVAHI_GROUP_FAILURE = 4
};
enum { AVAHI_PROTOCOL_INET = 0, AVAHI_PROTOCOL_INET6 = 1 };

enum avahi_step {
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

struct avahi {
	struct bus *bus;
	struct bus_call *owner_call; /* GetNameOwner */
	char owner[256];	     /* unique name; "" if Avahi is not running */
	struct avahi_offer offer;
	char status[256];

	/* the entry group */
	struct bus_call *call; /* NULL if none is under way */
	enum avahi_step step;  /* of that call */
	bool restart;	       /* begin anew after the answer to that call */
	bool gave_up;	       /* until the next avahi_begin() */
	size_t added;	       /* places of the offer */
	unsigned names_tried;
	char path[GROUP_PATH_BYTES]; /* "" if there is no group */
	char name[SERVICE_NAME_BYTES];
	char host[HOST_NAME_BYTES]; /* "phone.local" */
	int32_t state;		    /* enum avahi_group_state, as signalled */
};

static const char *const avahi_match_rules[] = {
	"type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
	"',member='NameOwnerChanged',arg0='" AVAHI_NAME "'",
	/* signals of a group are sent to its creator alone */
	"type='signal',sender='" AVAHI_NAME "',interface='" AVAHI_SERVER
	"',member='StateChanged'",
	NULL,
};

static void avahi_on_reply(void *data, DBusMessage *reply);

static bool avahi_is_established(const struct avahi *avahi)
{
	return avahi->state == AVAHI_GROUP_ESTABLISHED;
}

static void avahi_set_status(struct avahi *avahi, const char *status)
{
	if (strcmp(avahi->status, status) == 0)
		return;
	snprintf(avahi->status, sizeof(avahi->status), "%s", status);
	if (avahi_is_established(avahi))
		log_info("mdns: %s: \"%s\"", status, avahi->name);
	else
		log_info("mdns: %s", status);
}

static enum avahi_step avahi_give_up(struct avahi *avahi, const char *status)
{
	avahi->gave_up = true;
	avahi_set_status(avahi, status);
	return STEP_WAIT;
}

/* ---- the calls */

static bool avahi_append_text(DBusMessageIter *texts, const char *text)
{
	DBusMessageIter octets;
	bool added =
		dbus_message_iter_open_container(texts, DBUS_TYPE_ARRAY, "y", &octets);

	added = added && dbus_message_iter_append_fixed_array(&octets, DBUS_TYPE_BYTE,
							      &text, (int)strlen(text));
	return added && dbus_message_iter_close_container(texts, &octets);
}

static bool avahi_append_txt_record(DBusMessage *message, bool tls)
{
	const char *const all[] = { "txtvers=1", "path=/mcp",
				    tls ? "proto=https" : "proto=http", "auth=bearer" };
	DBusMessageIter end, texts;
	bool added;

	dbus_message_iter_init_append(message, &end);
	added = dbus_message_iter_open_container(&end, DBUS_TYPE_ARRAY, "ay", &texts);
	for (size_t at = 0; added && at < sizeof(all) / sizeof(all[0]); at++)
		added = avahi_append_text(&texts, all[at]);
	return added && dbus_message_iter_close_container(&end, &texts);
}

static bool avahi_fill_add(struct avahi *avahi, DBusMessage *message)
{
	const struct avahi_place *place = &avahi->offer.places[avahi->added];
	const char *name = avahi->name, *type = AVAHI_SERVICE, *is_default = "";
	int32_t protocol =
		place->family == AF_INET6 ? AVAHI_PROTOCOL_INET6 : AVAHI_PROTOCOL_INET;
	int32_t interface = place->interface;
	uint32_t flags = 0;

	return dbus_message_append_args(message, DBUS_TYPE_INT32, &interface,
					DBUS_TYPE_INT32, &protocol, DBUS_TYPE_UINT32,
					&flags, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING,
					&type, DBUS_TYPE_STRING, &is_default,
					DBUS_TYPE_STRING, &is_default, DBUS_TYPE_UINT16,
					&place->port, DBUS_TYPE_INVALID) &&
	       avahi_append_txt_record(message, place->tls);
}

static bool avahi_fill_rename(struct avahi *avahi, DBusMessage *message)
{
	const char *name = avahi->name;

	return dbus_message_append_args(message, DBUS_TYPE_STRING, &name,
					DBUS_TYPE_INVALID);
}

static const struct {
	const char *interface;
	const char *method;
	bool (*fill)(struct avahi *avahi, DBusMessage *message); /* or NULL */
} avahi_calls[] = {
	[STEP_FREE] = { AVAHI_GROUP, "Free" },
	[STEP_STATE] = { AVAHI_SERVER, "GetState" },
	[STEP_HOST] = { AVAHI_SERVER, "GetHostNameFqdn" },
	[STEP_GROUP] = { AVAHI_SERVER, "EntryGroupNew" },
	[STEP_ADD] = { AVAHI_GROUP, "AddService", avahi_fill_add },
	[STEP_COMMIT] = { AVAHI_GROUP, "Commit" },
	[STEP_RENAME] = { AVAHI_SERVER, "GetAlternativeServiceName", avahi_fill_rename },
	[STEP_RESET] = { AVAHI_GROUP, "Reset" },
};

static void avahi_start_step(struct avahi *avahi, enum avahi_step step)
{
	const char *interface = avahi_calls[step].interface;
	bool is_group = strcmp(interface, AVAHI_GROUP) == 0;
	DBusMessage *message =
		dbus_message_new_method_call(AVAHI_NAME, is_group ? avahi->path : "/",
					     interface, avahi_calls[step].method);

	avahi->step = step;
	if (message &&
	    (!avahi_calls[step].fill || avahi_calls[step].fill(avahi, message))) {
		dbus_message_set_auto_start(message, FALSE);
		avahi->call = bus_call(avahi->bus, dbus_message_ref(message), 0,
				       avahi_on_reply, avahi);
	}
	if (message)
		dbus_message_unref(message);
	if (!avahi->call)
		avahi_give_up(avahi, "out of memory");
}

/* ---- the answers; each returns the next step */

static enum avahi_step avahi_on_free(struct avahi *avahi, DBusMessage *reply)
{
	avahi->path[0] = '\0';
	return STEP_STATE;
}

static enum avahi_step avahi_on_state(struct avahi *avahi, DBusMessage *reply)
{
	int32_t state = -1;

	dbus_message_get_args(reply, NULL, DBUS_TYPE_INT32, &state, DBUS_TYPE_INVALID);
	if (state == AVAHI_SERVER_RUNNING)
		return STEP_HOST;
	avahi_set_status(avahi, "Avahi does not know this machine's name yet");
	return STEP_WAIT;
}

/* The name is at most a DNS label long, ending with a whole character. */
static void avahi_make_name(struct avahi *avahi)
{
	char text[HOST_NAME_BYTES + 16];
	size_t length;

	snprintf(text, sizeof(text), PROGRAM_NAME " on %.*s",
		 (int)strcspn(avahi->host, "."), avahi->host);
	length = strnlen(text, SERVICE_NAME_BYTES - 1);
	while (!utf8_valid(text, length))
		length--;
	memcpy(avahi->name, text, length);
	avahi->name[length] = '\0';
}

static enum avahi_step avahi_on_host(struct avahi *avahi, DBusMessage *reply)
{
	const char *host = "";

	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &host, DBUS_TYPE_INVALID);
	if (strlen(host) >= sizeof(avahi->host))
		return avahi_give_up(avahi, "Avahi does not report this machine's name");
	strcpy(avahi->host, host);
	avahi_make_name(avahi);
	avahi->names_tried = 1;
	return STEP_GROUP;
}

static enum avahi_step avahi_next_place(const struct avahi *avahi)
{
	return avahi->added < avahi->offer.count ? STEP_ADD : STEP_COMMIT;
}

static enum avahi_step avahi_on_group(struct avahi *avahi, DBusMessage *reply)
{
	const char *path;

	if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path,
				   DBUS_TYPE_INVALID) ||
	    strlen(path) >= sizeof(avahi->path))
		return avahi_give_up(avahi, "Avahi creates no entry group");
	strcpy(avahi->path, path);
	avahi->state = AVAHI_GROUP_UNCOMMITTED;
	avahi->added = 0;
	return avahi_next_place(avahi);
}

static enum avahi_step avahi_on_added(struct avahi *avahi, DBusMessage *reply)
{
	avahi->added++;
	return avahi_next_place(avahi);
}

/* Bounded: a hostile network could claim to have every name. */
static enum avahi_step avahi_handle_collision(struct avahi *avahi)
{
	log_info("mdns: the name \"%s\" is taken", avahi->name);
	if (avahi->names_tried++ < AVAHI_NAMES_MAX)
		return STEP_RENAME;
	return avahi_give_up(avahi, "every name that Avahi suggested is taken");
}

static enum avahi_step avahi_handle_state(struct avahi *avahi)
{
	if (avahi->state == AVAHI_GROUP_COLLISION)
		return avahi_handle_collision(avahi);
	if (avahi->state == AVAHI_GROUP_FAILURE)
		return avahi_give_up(avahi, "Avahi gave up");
	avahi_set_status(avahi, avahi_is_established(avahi)
					? "advertised by Avahi"
					: "Avahi checks whether the name is free");
	return STEP_WAIT;
}

/* Signals may have changed the state while Commit was under way. */
static enum avahi_step avahi_on_committed(struct avahi *avahi, DBusMessage *reply)
{
	return avahi_handle_state(avahi);
}

static enum avahi_step avahi_on_renamed(struct avahi *avahi, DBusMessage *reply)
{
	const char *name = "";

	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
	if (strlen(name) >= sizeof(avahi->name)) /* cutting it might break its UTF-8 */
		return avahi_give_up(avahi, "the name that Avahi suggests is too long");
	strcpy(avahi->name, name);
	return STEP_RESET;
}

static enum avahi_step avahi_on_reset(struct avahi *avahi, DBusMessage *reply)
{
	avahi->state = AVAHI_GROUP_UNCOMMITTED;
	avahi->added = 0;
	return avahi_next_place(avahi);
}

static enum avahi_step (*const avahi_answers[])(struct avahi *avahi,
						DBusMessage *reply) = {
	[STEP_FREE] = avahi_on_free,	  [STEP_STATE] = avahi_on_state,
	[STEP_HOST] = avahi_on_host,	  [STEP_GROUP] = avahi_on_group,
	[STEP_ADD] = avahi_on_added,	  [STEP_COMMIT] = avahi_on_committed,
	[STEP_RENAME] = avahi_on_renamed, [STEP_RESET] = avahi_on_reset,
};

static enum avahi_step avahi_on_error(struct avahi *avahi, DBusMessage *reply)
{
	const char *name = dbus_message_get_error_name(reply);
	char status[192];

	if (avahi->step == STEP_FREE)
		return avahi_on_free(avahi, reply);
	if (strcmp(name, AVAHI_COLLISION) == 0)
		return avahi_handle_collision(avahi);
	if (strcmp(name, DBUS_ERROR_DISCONNECTED) == 0 ||
	    strcmp(name, BUS_ERROR_NOT_SENT) == 0)
		return STEP_WAIT; /* avahi_on_disconnected() handles it */
	if (strcmp(name, DBUS_ERROR_ACCESS_DENIED) == 0)
		snprintf(status, sizeof(status),
			 "the bus refuses: a D-Bus policy forbids calling " AVAHI_NAME);
	else
		snprintf(status, sizeof(status), "Avahi answers %s with %.128s",
			 avahi_calls[avahi->step].method, name);
	return avahi_give_up(avahi, status);
}

/* Publishes the offer, and withdraws what was published before. */
static void avahi_begin(struct avahi *avahi)
{
	avahi->restart = avahi->call != NULL;
	avahi->gave_up = false;
	avahi->state = AVAHI_GROUP_UNCOMMITTED;
	if (!avahi->restart)
		avahi_start_step(avahi, *avahi->path ? STEP_FREE : STEP_STATE);
}

/* Avahi or the bus is gone, and with it everything that was published. */
static void avahi_drop_group(struct avahi *avahi)
{
	bus_call_cancel(avahi->call);
	avahi->call = NULL;
	avahi->restart = false;
	avahi->state = AVAHI_GROUP_UNCOMMITTED;
	avahi->path[0] = '\0';
}

static void avahi_on_reply(void *data, DBusMessage *reply)
{
	struct avahi *avahi = data;
	bool is_error = dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR;
	enum avahi_step next;

	avahi->call = NULL;
	next = is_error ? avahi_on_error(avahi, reply)
			: avahi_answers[avahi->step](avahi, reply);
	if (avahi->restart)
		avahi_begin(avahi);
	else if (next != STEP_WAIT)
		avahi_start_step(avahi, next);
}

static void avahi_on_state_changed(struct avahi *avahi, DBusMessage *signal)
{
	enum avahi_step next;
	const char *error;
	int32_t state;

	if (!dbus_message_has_member(signal, "StateChanged") ||
	    !dbus_message_get_args(signal, NULL, DBUS_TYPE_INT32, &state,
				   DBUS_TYPE_STRING, &error, DBUS_TYPE_INVALID))
		return;
	if (dbus_message_has_interface(signal, AVAHI_SERVER)) {
		avahi_begin(avahi);
		return;
	}
	if (!dbus_message_has_interface(signal, AVAHI_GROUP) || !*avahi->path ||
	    !dbus_message_has_path(signal, avahi->path) || avahi->restart)
		return;
	avahi->state = state;
	if (avahi->call)
		return; /* avahi_on_committed() reads the state */
	next = avahi_handle_state(avahi);
	if (next != STEP_WAIT)
		avahi_start_step(avahi, next);
}

/* ---- the bus and Avahi's name */

static void avahi_set_status_no_bus(struct avahi *avahi)
{
	char status[sizeof(avahi->status)];

	snprintf(status, sizeof(status), "no D-Bus system bus at %s",
		 bus_address(avahi->bus));
	avahi_set_status(avahi, status);
}

/* `owner` is a unique name, or "". */
static void avahi_set_owner(struct avahi *avahi, const char *owner)
{
	avahi_drop_group(avahi);
	avahi->owner[0] = '\0';
	if (!*owner || strlen(owner) >= sizeof(avahi->owner)) {
		avahi_set_status(avahi, "Avahi is not running");
		return;
	}
	strcpy(avahi->owner, owner);
	avahi_set_status(avahi, "Avahi has not answered yet");
	avahi_begin(avahi);
}

static void avahi_on_owner(void *data, DBusMessage *reply)
{
	struct avahi *avahi = data;
	const char *owner = "";

	avahi->owner_call = NULL;
	dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &owner, DBUS_TYPE_INVALID);
	if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR)
		owner = "";
	avahi_set_owner(avahi, owner);
}

static void avahi_on_connected(void *data)
{
	struct avahi *avahi = data;
	const char *name = AVAHI_NAME;
	DBusMessage *message = dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetNameOwner");

	if (message &&
	    dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
		avahi->owner_call = bus_call(avahi->bus, dbus_message_ref(message), 0,
					     avahi_on_owner, avahi);
	if (message)
		dbus_message_unref(message);
	if (!avahi->owner_call)
		avahi_set_status(avahi, "out of memory");
}

static void avahi_on_disconnected(void *data)
{
	struct avahi *avahi = data;

	bus_call_cancel(avahi->owner_call);
	avahi->owner_call = NULL;
	avahi_drop_group(avahi);
	avahi->owner[0] = '\0';
	avahi_set_status_no_bus(avahi);
}

static void avahi_on_unreachable(void *data)
{
	avahi_set_status_no_bus(data);
}

static void avahi_on_signal(void *data, DBusMessage *signal)
{
	struct avahi *avahi = data;
	const char *name, *before, *owner;

	if (dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameOwnerChanged") &&
	    dbus_message_has_sender(signal, DBUS_SERVICE_DBUS)) {
		if (dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &name,
					  DBUS_TYPE_STRING, &before, DBUS_TYPE_STRING,
					  &owner, DBUS_TYPE_INVALID) &&
		    strcmp(name, AVAHI_NAME) == 0 && !avahi->owner_call)
			avahi_set_owner(avahi, owner);
	} else if (*avahi->owner && dbus_message_has_sender(signal, avahi->owner)) {
		avahi_on_state_changed(avahi, signal);
	}
}

static const struct bus_handlers avahi_bus_handlers = {
	.connected = avahi_on_connected,
	.disconnected = avahi_on_disconnected,
	.unreachable = avahi_on_unreachable,
	.signal = avahi_on_signal,
};

int avahi_new(sd_event *loop, const char *address, const struct avahi_offer *offer,
	      struct avahi **avahi_out)
{
	struct avahi *avahi = calloc(1, sizeof(*avahi));
	int error;

	if (!avahi)
		return -ENOMEM;
	avahi->offer = *offer;
	error = bus_new(loop, address, avahi_match_rules, &avahi_bus_handlers, avahi,
			&avahi->bus);
	if (error < 0) {
		free(avahi);
		return error;
	}
	strcpy(avahi->status, "not connected to the bus yet");
	*avahi_out = avahi;
	return 0;
}

void avahi_free(struct avahi *avahi)
{
	if (!avahi)
		return;
	bus_call_cancel(avahi->owner_call);
	avahi_drop_group(avahi);
	bus_free(avahi->bus);
	free(avahi);
}

static bool avahi_same_offer(const struct avahi_offer *one,
			     const struct avahi_offer *other)
{
	bool same = one->count == other->count;

	for (size_t at = 0; same && at < one->count; at++) {
		const struct avahi_place *a = &one->places[at], *b = &other->places[at];

		same = a->interface == b->interface && a->family == b->family &&
		       a->port == b->port && a->tls == b->tls;
	}
	return same;
}

void avahi_set_offer(struct avahi *avahi, const struct avahi_offer *offer)
{
	if (avahi_same_offer(&avahi->offer, offer) && !avahi->gave_up)
		return;
	avahi->offer = *offer;
	if (*avahi->owner)
		avahi_begin(avahi);
}

const char *avahi_published_name(const struct avahi *avahi)
{
	return avahi_is_established(avahi) ? avahi->name : NULL;
}

const char *avahi_status(const struct avahi *avahi)
{
	return avahi->status;
}

const char *avahi_host(const struct avahi *avahi)
{
	return avahi->host;
}
