/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stub of Avahi for what the real one cannot be made to do: fail, run out of free names, or
 * answer while the offer changes. tests/integration/test_mdns.py uses the real one.
 */
#include "unit_test.h"
#include "bus_lab.h"

#include <netinet/in.h>

#include "bus/avahi.h"

#define SERVICE "org.freedesktop.Avahi"
#define SERVER	SERVICE ".Server"
#define GROUP	SERVICE ".EntryGroup"
#define PATH	"/Client0/EntryGroup1"

enum { RUNNING = 2, ESTABLISHED = 2, COLLISION = 3, FAILURE = 4, STATES = 5 };

struct fixture {
	struct lab lab;
	struct peer peer;
	struct avahi *avahi;
	const char *refused;  /* refuses this method, */
	const char *error;    /* with this error */
	const char *held;     /* does not answer this method yet, */
	DBusMessage *waiting; /* which is this call */
	int32_t after_commit; /* the state of the group then; 0: no signal */
	unsigned added, commits, renames, frees;
	uint16_t port; /* of the service added last */
};

static const struct avahi_offer wlan = { 1, { { 2, AF_INET, 9531, false } } };
static const struct avahi_offer both = {
	2,
	{ { 2, AF_INET, 9531, false }, { 3, AF_INET6, 9532, true } },
};

static void reply(struct fixture *fixture, DBusMessage *call, int type, const void *value)
{
	DBusMessage *message = dbus_message_new_method_return(call);

	if (type)
		assert_true(dbus_message_append_args(message, type, value,
						     DBUS_TYPE_INVALID));
	peer_send(&fixture->peer, message);
}

static DBusMessage *state_changed(const char *path, const char *interface, int32_t state)
{
	DBusMessage *signal = dbus_message_new_signal(path, interface, "StateChanged");
	const char *error = SERVICE ".Failure";

	assert_true(dbus_message_append_args(signal, DBUS_TYPE_INT32, &state,
					     DBUS_TYPE_STRING, &error,
					     DBUS_TYPE_INVALID));
	return signal;
}

static void tell_group(struct fixture *fixture, DBusMessage *call, int32_t state)
{
	DBusMessage *signal = state_changed(PATH, GROUP, state);

	dbus_message_set_destination(signal, dbus_message_get_sender(call));
	peer_send(&fixture->peer, signal);
}

static void add(struct fixture *fixture, DBusMessage *call)
{
	DBusMessageIter at;
	int type;

	assert_true(dbus_message_has_signature(call, "iiussssqaay"));
	for (dbus_message_iter_init(call, &at);
	     (type = dbus_message_iter_get_arg_type(&at)) != DBUS_TYPE_UINT16;)
		dbus_message_iter_next(&at);
	dbus_message_iter_get_basic(&at, &fixture->port);
	fixture->added++;
	reply(fixture, call, 0, NULL);
}

static void answer(struct fixture *fixture, DBusMessage *call)
{
	const char *method = dbus_message_get_member(call), *path = PATH;
	const char *host = "phone.local", *name = "another name";
	const int32_t state = RUNNING;

	if (strcmp(method, "GetState") == 0) {
		reply(fixture, call, DBUS_TYPE_INT32, &state);
	} else if (strcmp(method, "GetHostNameFqdn") == 0) {
		reply(fixture, call, DBUS_TYPE_STRING, &host);
	} else if (strcmp(method, "EntryGroupNew") == 0) {
		reply(fixture, call, DBUS_TYPE_OBJECT_PATH, &path);
	} else if (strcmp(method, "GetAlternativeServiceName") == 0) {
		fixture->renames++;
		reply(fixture, call, DBUS_TYPE_STRING, &name);
	} else if (strcmp(method, "AddService") == 0) {
		add(fixture, call);
	} else if (strcmp(method, "Commit") == 0) {
		fixture->commits++;
		if (fixture->after_commit)
			tell_group(fixture, call, fixture->after_commit);
		reply(fixture, call, 0, NULL);
	} else {
		fixture->frees += strcmp(method, "Free") == 0;
		reply(fixture, call, 0, NULL);
	}
}

static void called(struct peer *peer, DBusMessage *call)
{
	struct fixture *fixture = peer->data;
	const char *method = dbus_message_get_member(call);

	if (fixture->refused && strcmp(method, fixture->refused) == 0)
		peer_reply_error(peer, call, fixture->error);
	else if (fixture->held && strcmp(method, fixture->held) == 0)
		fixture->waiting = dbus_message_ref(call);
	else
		answer(fixture, call);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	log_set_level(LOG_LEVEL_ERROR);
	lab_open(&fixture->lab);
	lab_start_daemon(&fixture->lab);
	peer_open(&fixture->peer, &fixture->lab, SERVICE, called);
	fixture->peer.data = fixture;
	fixture->after_commit = ESTABLISHED;
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	avahi_free(fixture->avahi);
	if (fixture->waiting)
		dbus_message_unref(fixture->waiting);
	peer_close(&fixture->peer);
	lab_close(&fixture->lab);
	free(fixture);
	return 0;
}

static void begin(struct fixture *fixture, const struct avahi_offer *offer)
{
	assert_int_equal(avahi_new(fixture->lab.loop, fixture->lab.address, offer,
				   &fixture->avahi),
			 0);
}

static void wait_published(struct fixture *fixture)
{
	lab_wait(&fixture->lab, avahi_published_name(fixture->avahi));
}

static void wait_status(struct fixture *fixture, const char *part)
{
	lab_wait(&fixture->lab, strstr(avahi_status(fixture->avahi), part));
	assert_null(avahi_published_name(fixture->avahi));
}

FIXTURE(setup, teardown)

TEST(test_the_same_again_changes_nothing)
{
	struct fixture *fixture = *state;

	begin(fixture, &wlan);
	wait_published(fixture);
	avahi_set_offer(fixture->avahi, &wlan);
	lab_settle(&fixture->lab, 20);
	assert_int_equal(fixture->commits, 1);
	avahi_set_offer(fixture->avahi, &both);
	assert_null(avahi_published_name(fixture->avahi));
	wait_published(fixture);
	assert_int_equal(fixture->frees, 1);
	assert_int_equal(fixture->added, 3);
}

/* If the answer were ignored, the path would be lost and the group would stay for ever. */
TEST(test_an_offer_may_change_while_a_group_is_created)
{
	struct fixture *fixture = *state;

	fixture->held = "EntryGroupNew";
	begin(fixture, &wlan);
	lab_wait(&fixture->lab, fixture->waiting);
	avahi_set_offer(fixture->avahi, &both);
	fixture->held = NULL;
	answer(fixture, fixture->waiting);
	wait_published(fixture);
	assert_int_equal(fixture->frees, 1);
	assert_int_equal(fixture->added, 2);
	assert_int_equal(fixture->commits, 1);
}

TEST(test_advertising_stops_when_every_name_is_taken)
{
	struct fixture *fixture = *state;

	fixture->after_commit = COLLISION;
	begin(fixture, &wlan);
	wait_status(fixture, "every name");
	assert_int_equal(fixture->renames, AVAHI_NAMES_MAX - 1);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(fixture->commits, AVAHI_NAMES_MAX);
}

/* A machine that joins later may have the older claim to the name. */
TEST(test_a_later_collision_renames_the_service)
{
	struct fixture *fixture = *state;

	fixture->held = "Commit";
	begin(fixture, &wlan);
	lab_wait(&fixture->lab, fixture->waiting);
	fixture->held = NULL;
	answer(fixture, fixture->waiting);
	wait_published(fixture);
	tell_group(fixture, fixture->waiting, COLLISION);
	lab_wait(&fixture->lab, fixture->renames == 1);
	wait_published(fixture);
	assert_string_equal(avahi_published_name(fixture->avahi), "another name");
}

TEST(test_a_failed_offer_is_retried)
{
	struct fixture *fixture = *state;

	fixture->after_commit = FAILURE;
	begin(fixture, &wlan);
	wait_status(fixture, "Avahi gave up");
	lab_settle(&fixture->lab, 50);
	assert_int_equal(fixture->commits, 1);
	fixture->after_commit = ESTABLISHED;
	avahi_set_offer(fixture->avahi, &wlan);
	wait_published(fixture);
}

TEST(test_any_method_may_be_refused)
{
	static const char *const methods[] = { "GetState", "GetHostNameFqdn",
					       "EntryGroupNew", "AddService", "Commit" };
	struct fixture *fixture = *state;
	char part[96];

	fixture->error = SERVICE ".TooManyObjectsError";
	begin(fixture, &wlan);
	wait_published(fixture);
	for (size_t at = 0; at < sizeof(methods) / sizeof(methods[0]); at++) {
		fixture->refused = methods[at];
		avahi_set_offer(fixture->avahi, &both);
		snprintf(part, sizeof(part), "Avahi answers %s with %s", methods[at],
			 fixture->error);
		wait_status(fixture, part);
		fixture->refused = NULL;
		avahi_set_offer(fixture->avahi, &wlan);
		wait_published(fixture);
	}
}

/* Avahi chooses another host name: what was published may name the old one. */
TEST(test_a_new_host_name_publishes_again)
{
	struct fixture *fixture = *state;

	begin(fixture, &wlan);
	wait_published(fixture);
	peer_send(&fixture->peer, state_changed("/", SERVER, RUNNING));
	lab_wait(&fixture->lab, fixture->commits == 2);
	assert_int_equal(fixture->frees, 1);
	wait_published(fixture);
}

TEST(test_signals_from_others_are_ignored)
{
	struct fixture *fixture = *state;
	struct peer stranger = { 0 };
	DBusMessage *signal;

	fixture->held = "Commit";
	begin(fixture, &wlan);
	lab_wait(&fixture->lab, fixture->waiting);
	fixture->held = NULL;
	fixture->after_commit = 0;
	answer(fixture, fixture->waiting);
	wait_status(fixture, "checks whether");
	peer_open(&stranger, &fixture->lab, NULL, NULL);
	for (int32_t at = 0; at < STATES; at++) {
		signal = state_changed(PATH, GROUP, at);
		dbus_message_set_destination(signal,
					     dbus_message_get_sender(fixture->waiting));
		peer_send(&stranger, signal);
		peer_send(&stranger, state_changed("/", SERVER, at));
	}
	lab_settle(&fixture->lab, 50);
	peer_close(&stranger);
	assert_null(avahi_published_name(fixture->avahi));
	assert_int_equal(fixture->commits, 1);
	assert_int_equal(fixture->renames, 0);
}

/* Its services disappear with its connection, which closes then. */
TEST(test_it_can_be_freed_at_any_moment)
{
	static const char *const methods[] = { "GetState", "EntryGroupNew", "AddService",
					       "Commit", NULL };
	struct fixture *fixture = *state;

	for (size_t at = 0; methods[at]; at++) {
		fixture->held = methods[at];
		begin(fixture, &wlan);
		lab_wait(&fixture->lab, fixture->waiting);
		avahi_free(fixture->avahi);
		fixture->avahi = NULL;
		answer(fixture, fixture->waiting);
		lab_settle(&fixture->lab, 20);
		dbus_message_unref(fixture->waiting);
		fixture->waiting = NULL;
	}
}
